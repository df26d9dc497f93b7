//! The `lookback` program: arguments in, one command run, errors told so that a person knows what to do.
//!
//! What the commands do lives in `commands/`; what they work with lives in the crates below.

mod cards;
mod cli;
mod commands;
mod counter;
mod decided;
mod discovery;
mod home;
mod input;
mod interruption;
mod names;
mod opened;
mod progress;
mod reading;
mod screen;
mod settings;
mod skips;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let outcome = commands::run(cli::Arguments::parse());
    screen::end_paging();
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if screen::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) if error.is::<commands::EndedWith>() => {
            error.downcast_ref().map_or(ExitCode::FAILURE, |commands::EndedWith(code)| ExitCode::from(*code))
        }
        Err(error) => {
            screen::complain(&error);
            if error.is::<commands::Usage>() { ExitCode::from(2) } else { ExitCode::FAILURE }
        }
    }
}
