//! `lookback gateway`: another agent's requests, recorded and folded on their way, until Ctrl-C.

mod token;

use std::{sync::Arc, sync::mpsc, time::Duration};

use anyhow::{Context, Result};
use lookback_gateway::{Gateway, Mode, Options, Running, Upstreams};

use crate::{
    cards,
    cli::GatewayArguments,
    home, opened, screen,
    settings::{self, Flags},
};

/// Answers that are under way are finished for so long.
const FINISHES: Duration = Duration::from_secs(30);

pub(crate) fn run(arguments: GatewayArguments) -> Result<()> {
    // Ctrl-C is heard from here on: whoever sees the address can end it.
    let (sender, interrupted) = mpsc::channel();
    ctrlc::set_handler(move || {
        // A second one while the first is being answered changes nothing.
        let _ = sender.send(());
    })
    .context("cannot listen for Ctrl-C")?;
    let runtime = tokio::runtime::Runtime::new().context("cannot start the gateway")?;
    let mode = arguments.mode;
    let running = runtime.block_on(async { Gateway::start(options(arguments)?).await.map_err(anyhow::Error::from) })?;
    show_address(&running, mode)?;
    interrupted.recv().context("Ctrl-C cannot be heard any more")?;
    screen::remark("finishing what is under way…");
    runtime.block_on(running.stop(FINISHES));
    Ok(())
}

fn options(arguments: GatewayArguments) -> Result<Options> {
    let settings = settings::load(Flags::default())?;
    let keys = token::read(&home::locate()?)?;
    Ok(Options {
        listen: arguments.listen,
        upstreams: Upstreams { all: arguments.upstream, named: settings.base_urls() },
        mode: arguments.mode,
        store: home::open_store()?,
        token: keys.token,
        secret: keys.secret,
        cards: settings.cards().clone(),
        card: arguments.card.as_deref().map(cards::named).transpose()?,
        configuration: settings.context.value.clone(),
        clock: Arc::new(|| opened::now().0),
    })
}

fn show_address(running: &Running, mode: Mode) -> Result<()> {
    let mut out = screen::screen();
    writeln!(out, "the gateway listens on http://{} ({mode}) until Ctrl-C", running.address())?;
    Ok(out.flush()?)
}
