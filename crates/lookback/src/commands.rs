//! The commands, one file each.

mod completions;
mod doctor;
mod fold;
mod gateway;
mod import;
mod mcp;
mod pin;
mod recall;
mod record;
mod replay;
mod run;
mod sessions;
mod show;
mod undo;
mod unfold;
mod upstream;
mod with;

use anyhow::{Context, Result, bail};

use crate::cli::{Arguments, Command};

/// A command that has said everything and ends with this code.
#[derive(Debug, thiserror::Error)]
#[error("ended with {0}")]
pub(crate) struct EndedWith(pub(crate) u8);

/// What was typed makes no sense: the code of a usage error.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Usage(pub(crate) String);

/// For what waits for a network, on this thread.
fn runtime() -> Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build().context("cannot wait for the network")
}

pub(crate) fn run(arguments: Arguments) -> Result<()> {
    match arguments.command {
        Command::Sessions(arguments) => sessions::run(arguments),
        Command::Show(arguments) => show::run(arguments),
        Command::Fold(arguments) => fold::run(arguments),
        Command::Undo(arguments) => undo::run(arguments),
        Command::Unfold(arguments) => unfold::run(arguments),
        Command::Pin(arguments) => pin::pin(arguments),
        Command::Unpin(arguments) => pin::unpin(arguments),
        Command::Import(arguments) => import::run(arguments),
        Command::Replay(arguments) => replay::run(arguments),
        Command::Run(arguments) => run::run(*arguments),
        Command::Resume(arguments) => run::resume(*arguments),
        Command::Inside { spec } => run::inside(&spec),
        Command::Gateway(arguments) => gateway::run(arguments),
        Command::Mcp => mcp::run(),
        Command::Recall(arguments) => recall::run(arguments),
        Command::Doctor(arguments) => doctor::run(arguments),
        Command::Record(arguments) => record::run(arguments),
        Command::Upstream(arguments) => upstream::run(arguments),
        Command::With(arguments) => with::run(arguments),
        Command::Rm { what } => {
            let rest: String = what.iter().map(|word| format!(" {word}")).collect();
            bail!("there is no `lookback rm`: sessions are removed by `lookback sessions rm{rest}`")
        }
        Command::Completions { shell } => completions::run(shell),
    }
}
