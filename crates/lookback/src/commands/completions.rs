//! `lookback completions SHELL`

use anyhow::Result;
use clap::CommandFactory;
use clap_complete::Shell;

use crate::{cli::Arguments, screen};

pub(crate) fn run(shell: Shell) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "lookback", &mut script);
    std::io::Write::write_all(&mut screen::bytes(), &script)?;
    Ok(())
}
