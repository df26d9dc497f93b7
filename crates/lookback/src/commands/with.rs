//! `lookback with AGENT`: that agent through a gateway of its own, for as long as it runs.

mod child;

use std::{
    ffi::{OsStr, OsString},
    path::Path,
    process::{Command, ExitStatus},
    time::Duration,
};

use anyhow::{Context, Result, anyhow, bail};
use lookback_gateway::{CallBeside, Gateway, Mode};
use lookback_replay::numbers::dollars as usd;

use super::{
    EndedWith,
    gateway::{
        agents::{Agent, Recall, Ways},
        options,
        report::{Figures, Sums},
        say_left,
    },
};
use crate::{
    cli::WithArguments,
    opened, screen,
    settings::{self, Flags},
};

/// The agent is gone: who should take the rest of an answer?
const FINISHES: Duration = Duration::from_secs(2);
/// By these it is asked whether requests to this machine go through a proxy.
const PROXIES: [&str; 4] = ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"];

pub(crate) fn run(arguments: WithArguments) -> Result<()> {
    let (program, rest) = arguments.command.split_first().context("name an agent")?;
    let (agent, ways) = chosen(program, rest)?;
    let recall = arguments.recall.then(|| Recall::of(agent)).transpose()?;
    let settings = settings::load(Flags::default())?;
    let mode = if arguments.fold { Mode::Fold } else { Mode::Observe };
    let options = options(&settings, ways.upstreams()?, mode, arguments.card.as_deref())?;
    let store = options.store.clone();
    let runtime = tokio::runtime::Runtime::new().context("cannot start the gateway")?;
    let began = opened::now();
    let running = runtime.block_on(Gateway::start(options))?;
    let told = ways.told(running.address(), recall)?;
    let mut command = Command::new(program);
    command.args(&told.arguments).args(rest).envs(told.variables).envs(past_proxies());
    let ended = runtime.block_on(child::run(command));
    let left = runtime.block_on(running.stop(FINISHES));
    let status = match ended {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            bail!("{} is not installed, or not in PATH", program.display())
        }
        ended => ended.with_context(|| format!("cannot run {}", program.display()))?,
    };
    let mut sums = Sums::default();
    let figures = Figures::new(&settings, arguments.card.as_deref())?;
    // It may have been removed and begun anew.
    let store = if store.is_there() { store } else { store.open_again()? };
    let snapshot = store.snapshot()?;
    for session in &left.sessions {
        // What cannot be summed up takes nothing from the agent's own end.
        match figures.of(session, &snapshot) {
            Ok(None) => {}
            Ok(Some(figures)) => {
                figures.calls.iter().filter(|call| call.at >= began).for_each(|call| sums.add(&figures, call))
            }
            Err(error) => screen::remark(&format!("session {}: {error:#}", session.0)),
        }
    }
    screen::remark(&match (sums.sentence(), left.beside.as_slice()) {
        (None, [_, ..]) => beside(&left.beside, &figures),
        (told, _) => sentence(agent, &ways, told),
    });
    say_left(&left);
    end_as(status)
}

fn chosen(program: &OsStr, rest: &[OsString]) -> Result<(Agent, Ways)> {
    let name = Path::new(program).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let agent: Agent = name.parse().map_err(|reason| anyhow!("{name} cannot be run through the gateway: {reason}"))?;
    Ok((agent, agent.ways(rest, None)?))
}

/// A proxy is for the world outside, and the gateway is not there.
fn past_proxies() -> Vec<(&'static str, String)> {
    if PROXIES.iter().all(|name| std::env::var_os(name).is_none()) {
        return Vec::new();
    }
    let past = |name: &'static str| {
        let said = std::env::var(name).unwrap_or_default();
        let before = if said.is_empty() { "" } else { "," };
        (name, format!("{said}{before}127.0.0.1"))
    };
    ["NO_PROXY", "no_proxy"].map(past).into()
}

/// Titles, counts and the like, and nothing that they stand beside.
fn beside(calls: &[CallBeside], figures: &Figures<'_>) -> String {
    let count = screen::counted(calls.len() as u64, "call");
    let paid: Option<f64> = calls.iter().map(|call| figures.paid_beside(call)).sum();
    let paid = paid.map_or_else(
        || "no card has their prices: name one with --card".to_owned(),
        |paid| format!("{} paid", usd(paid)),
    );
    format!("lookback: {count} beside a conversation, {paid}; the conversation itself did not come through the gateway")
}

fn sentence(agent: Agent, ways: &Ways, told: Option<String>) -> String {
    match told {
        Some(sentence) => format!("lookback: {sentence}"),
        None => {
            let others = match ways.elsewhere.as_slice() {
                [] => "its own settings may name another address".to_owned(),
                elsewhere => format!("{} cannot be led through it", elsewhere.join(", ")),
            };
            format!("lookback: no conversation of {} came through the gateway; {others}", agent.name())
        }
    }
}

/// With its code, or with what a shell says of a signal.
fn end_as(status: ExitStatus) -> Result<()> {
    use std::os::unix::process::ExitStatusExt;
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1);
    if code == 0 { Ok(()) } else { Err(EndedWith(code as u8).into()) }
}
