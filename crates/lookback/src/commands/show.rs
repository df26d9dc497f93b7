//! `lookback show ID`: a session as its model sees it, what it knows, as it happened, or as its calls were paid for.

mod board;
mod ledger;
mod trace;
mod view;

use anyhow::{Result, bail, ensure};
use lookback_engine::{
    LedgerLine, Session,
    trace::{Layout, decision::TurnRange},
};
use lookback_store::Snapshot;
use lookback_wire::Provider;

use crate::{
    cli::ShowArguments,
    home, opened, screen,
    settings::{self, Flags, Settings},
};

pub(crate) fn run(arguments: ShowArguments) -> Result<()> {
    // One moment of the store for the whole command: what is removed meanwhile is still shown whole.
    let store = home::open_store()?.snapshot()?;
    let id = store.find(&arguments.id)?;
    if !arguments.no_pager && !arguments.json {
        screen::begin_paging();
    }
    if arguments.what.trace || arguments.what.board {
        let what = if arguments.what.trace { "trace" } else { "board" };
        if arguments.provider.is_some() {
            bail!("--provider says how a prompt is written; the {what} is the same for all");
        }
        if arguments.layout.is_some() {
            bail!("--layout says how the view is laid out; the {what} is the same for all");
        }
    }
    if arguments.what.trace {
        return if arguments.json { trace::show_json(&store, &id) } else { trace::show(&store, &id, arguments.turns) };
    }
    if arguments.what.board {
        let session = opened::replay(&store, &id, None)?;
        tell_recording(&session);
        return if arguments.json { board::show_json(&session) } else { board::show(&session) };
    }
    if arguments.layout == Some(Layout::React) {
        let written = arguments.provider.unwrap_or(Provider::React);
        ensure!(written == Provider::React, "the react layout is one text: it cannot be written for {written}");
    }
    if arguments.what.ledger {
        let (session, next) = if_calls_were_laid_out(&arguments, &store)?;
        tell_recording(&session);
        return match arguments.json {
            true => ledger::show_json(&session, next.as_ref()),
            false => ledger::show(&session, next.as_ref()),
        };
    }
    let mut session = opened::replay(&store, &id, arguments.provider)?;
    opened::expect_no_recording(&session, &store.short_id(&id)?)?;
    let stored = session.state().layout();
    if let Some(layout) = arguments.layout {
        lay_out(&mut session, layout, &store, &settings::load(Flags::default())?)?;
    }
    expect_turns(arguments.turns, session.turns())?;
    match arguments.json {
        true => view::show_json(&session, &store),
        false => view::show(&session, &store.short_id(&id)?, stored, arguments.turns, &store),
    }
}

/// A range behind the last turn shows nothing, which says nothing.
fn expect_turns(wanted: Option<TurnRange>, turns: u32) -> Result<()> {
    if let Some(wanted) = wanted {
        let all = screen::counted(u64::from(turns), "turn");
        ensure!(wanted.first.0 < turns, "there is no turn {}: the session has {all}, numbered from 0", wanted.first);
    }
    Ok(())
}

/// Beside what is shown for people to look at.
fn tell_recording(session: &Session) {
    if session.is_recording() {
        screen::remark("this is a recording: what stands there for its turns does not all follow from them");
    }
}

/// In memory only.
fn lay_out(session: &mut Session, layout: Layout, store: &Snapshot, settings: &Settings) -> Result<()> {
    if session.state().layout() == layout {
        return Ok(());
    }
    opened::change(session, store, settings, |session, context| session.change_layout(layout, context))
}

/// The session, and the line of a next call for which the layout would change.
fn if_calls_were_laid_out(arguments: &ShowArguments, store: &Snapshot) -> Result<(Session, Option<LedgerLine>)> {
    let id = store.find(&arguments.id)?;
    let provider = match arguments.layout {
        Some(Layout::React) => Some(Provider::React),
        _ => arguments.provider,
    };
    let settings = settings::load(Flags::default())?;
    let session = opened::replay_billed(store, &id, provider, &settings)?;
    let layout = arguments.layout.filter(|layout| *layout != Layout::React && *layout != session.state().layout());
    let Some(layout) = layout else { return Ok((session, None)) };
    let mut changed = opened::replay(store, &id, provider)?;
    lay_out(&mut changed, layout, store, &settings)?;
    Ok((session, Some(opened::plan_call(changed, store, &settings)?)))
}
