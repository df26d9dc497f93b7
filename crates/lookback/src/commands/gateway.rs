//! `lookback gateway`: another agent's requests, recorded and folded on their way, until Ctrl-C.

pub(in crate::commands) mod agents;
mod log;
pub(in crate::commands) mod report;
mod token;

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use anyhow::{Context, Result, anyhow};
use lookback_gateway::{Gateway, Left, Mode, Options, Running, Upstreams};

use crate::{
    cards,
    cli::{GatewayArguments, GatewayCommand},
    home, interruption, opened, screen,
    settings::{self, Flags, Settings},
};
use agents::Agent;

/// Answers that are under way are finished for so long.
const FINISHES: Duration = Duration::from_secs(30);
/// Where a login of ChatGPT's is taken: codex has one more often than a key.
const CHATGPT: (&str, &str) = ("chatgpt", "https://chatgpt.com");

pub(crate) fn run(arguments: GatewayArguments) -> Result<()> {
    if let Some(GatewayCommand::Report(asked)) = &arguments.command {
        return report::run(asked);
    }
    let Some(name) = &arguments.agent else { return stand(arguments) };
    let agent: Agent = name.parse().map_err(|reason| anyhow!("--for {name}: {reason}"))?;
    let upstreams = Upstreams { all: arguments.upstream, named: named(&settings::load(Flags::default())?) };
    screen::say(&agent.ways(&[], upstreams.all.as_deref())?.lines(arguments.listen, &upstreams)?)
}

fn stand(arguments: GatewayArguments) -> Result<()> {
    // Ctrl-C is heard from here on: whoever sees the address can end it.
    let interrupted = interruption::heard()?;
    let runtime = tokio::runtime::Runtime::new().context("cannot start the gateway")?;
    let mode = arguments.mode;
    let settings = settings::load(Flags::default())?;
    let upstreams = Upstreams { all: arguments.upstream, named: named(&settings) };
    let options =
        Options { listen: arguments.listen, ..options(&settings, upstreams, mode, arguments.card.as_deref())? };
    let running = runtime.block_on(Gateway::start(options))?;
    show_address(&running, mode)?;
    interrupted.recv().context("Ctrl-C cannot be heard any more")?;
    screen::remark("finishing what is under way… (once more ends it at once)");
    std::thread::spawn(move || {
        // What is not written yet is written with the conversation's next request, as after any end.
        if interrupted.recv().is_ok() {
            std::process::exit(130);
        }
    });
    say_left(&runtime.block_on(running.stop(FINISHES)));
    Ok(())
}

/// Leaving is announced: an agent that goes on without the gateway sends everything that blocks stood for.
pub(in crate::commands) fn say_left(left: &Left) {
    if let Some(raw) = left.raw {
        let raw = screen::exact(raw);
        screen::remark(&format!(
            "lookback: blocks stand in this conversation; before the agent goes on without the gateway, compact first: the raw history is about {raw} tokens"
        ));
    }
}

/// A gateway on a free port, with its log.
pub(in crate::commands) fn options(
    settings: &Settings,
    upstreams: Upstreams,
    mode: Mode,
    card: Option<&str>,
) -> Result<Options> {
    let home = home::locate()?;
    let keys = token::read(&home)?;
    log::start(&home)?;
    Ok(Options {
        listen: ([127, 0, 0, 1], 0).into(),
        upstreams,
        mode,
        store: home::open_store()?,
        token: keys.token,
        secret: keys.secret,
        cards: settings.cards().clone(),
        card: card.map(cards::named).transpose()?,
        configuration: settings.context.value.clone(),
        clock: Arc::new(|| opened::now().0),
    })
}

/// Upstreams that a path can name.
fn named(settings: &Settings) -> BTreeMap<String, String> {
    let mut named = settings.base_urls();
    named.entry(CHATGPT.0.to_owned()).or_insert_with(|| CHATGPT.1.to_owned());
    named
}

fn show_address(running: &Running, mode: Mode) -> Result<()> {
    let mut out = screen::screen();
    writeln!(out, "the gateway listens on http://{} ({mode}) until Ctrl-C", running.address())?;
    Ok(out.flush()?)
}
