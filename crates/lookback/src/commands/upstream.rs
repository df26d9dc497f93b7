//! `lookback upstream --script FILE`: a provider on this machine, until Ctrl-C.

mod line;
mod log;

use std::fs;

use anyhow::{Context, Result};
use lookback_models::script::Script;
use lookback_upstream::{Logged, Running, Upstream, UpstreamOptions};

use crate::{cards, cli::UpstreamArguments, interruption, screen};
use line::{render_line, render_summary};
use log::Log;

pub(crate) fn run(arguments: UpstreamArguments) -> Result<()> {
    let name = arguments.script.display().to_string();
    let text = fs::read_to_string(&arguments.script).with_context(|| format!("cannot read {name}"))?;
    let script = Script::parse(&text).with_context(|| format!("{name} is no script"))?;
    let steps = screen::counted(u64::from(script.step_count()), "step");
    let log = arguments.log.as_deref().map(Log::create).transpose()?;
    let options = UpstreamOptions {
        card: arguments.model.as_deref().map(cards::named).transpose()?,
        chunks: arguments.chunks,
        listen: arguments.listen,
        watcher: Some(Box::new(move |logged| watch(logged, log.as_ref()))),
        ..UpstreamOptions::new(&name, script, cards::built_in()?.clone())
    };
    // Ctrl-C is heard from here on: whoever sees the addresses can end it.
    let interrupted = interruption::heard()?;
    let runtime = tokio::runtime::Runtime::new().context("cannot start the server")?;
    let running = runtime.block_on(Upstream::start(options))?;
    show_addresses(&format!("{name}: {steps}"), &running)?;
    interrupted.recv().context("Ctrl-C cannot be heard any more")?;
    screen::say(&render_summary(&running.log()))
}

fn show_addresses(what: &str, running: &Running) -> Result<()> {
    let mut out = screen::screen();
    writeln!(out, "{what}, played on this machine until Ctrl-C")?;
    writeln!(out, "  Anthropic Messages  {}", running.url())?;
    writeln!(out, "  Chat Completions    {}", running.base_url())?;
    writeln!(out, "  Responses           {}", running.base_url())?;
    Ok(out.flush()?)
}

/// One line for a person, one for the file. What cannot be written must not stop the server.
fn watch(logged: &Logged, log: Option<&Log>) {
    let _ = screen::say(&render_line(logged));
    if let Some(Err(error)) = log.map(|log| log.append(logged)) {
        screen::remark(&format!("the log cannot be written: {error}"));
    }
}
