//! `lookback show ID`: a session as its model sees it, as it happened, or as its calls were paid for.

mod ledger;
mod trace;
mod view;

use anyhow::{Result, bail};
use lookback_engine::Replay;

use crate::{cli::ShowArguments, home};

pub(crate) fn run(arguments: ShowArguments) -> Result<()> {
    // One moment of the store for the whole command: what is removed meanwhile is still shown whole.
    let store = home::open_store()?.snapshot()?;
    let id = store.find(&arguments.id)?;
    if arguments.what.trace {
        if arguments.provider.is_some() {
            bail!("--provider says how a prompt is written; the trace is the same for all");
        }
        return if arguments.json { trace::show_json(&store, &id) } else { trace::show(&store, &id) };
    }
    let mut replay = Replay::new(arguments.provider, &store);
    store.for_each_event(&id, |event| replay.push(event).map_err(anyhow::Error::from))?;
    let session = replay.finish()?;
    match (arguments.what.ledger, arguments.json) {
        (true, true) => ledger::show_json(&session),
        (true, false) => ledger::show(&session),
        (false, true) => view::show_json(&session, &store),
        (false, false) => view::show(&session, &store.short_id(&id)?, &store),
    }
}
