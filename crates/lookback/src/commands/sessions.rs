//! `lookback sessions`: what is stored, and how to let go of it.

mod remove;

use anyhow::Result;
use jiff::Timestamp as Instant;
use lookback_engine::trace::Timestamp;
use lookback_store::{SessionSummary, Store};
use serde_json::{Value, json};

use crate::{
    cli::{SessionsArguments, SessionsCommand},
    home,
    names::Names,
    screen,
};

pub(crate) fn run(arguments: SessionsArguments) -> Result<()> {
    let store = home::open_store()?;
    match arguments.command {
        Some(SessionsCommand::Rm(arguments)) => remove::run(&store, arguments),
        None if arguments.json => list_json(&store),
        None => list(&store),
    }
}

fn list(store: &Store) -> Result<()> {
    let sessions = store.sessions()?;
    let names = Names::of(&sessions);
    if sessions.is_empty() {
        return screen::say("no sessions yet: `lookback import FILE` stores one");
    }
    let mut out = screen::screen();
    let now = Instant::now();
    let rows = sessions.iter().map(|session| row(session, session.updated, &names, now));
    screen::write_table(
        &mut out,
        &std::iter::once(heading()).chain(rows).collect::<Vec<_>>(),
        &[2, 3],
        screen::columns(),
    )?;
    Ok(out.flush()?)
}

fn heading() -> Vec<String> {
    ["session", "used", "turns", "size", "model", "what"].map(str::to_owned).to_vec()
}

fn row(session: &SessionSummary, used: Timestamp, names: &Names, now: Instant) -> Vec<String> {
    // Its parent comes first: a fork has its parent's title, and what is cut is the end.
    let fork = session.parent.as_ref().map(|fork| format!("(fork of {}) ", names.short(&fork.session)));
    let recording = if session.recording { "(recording) " } else { "" };
    let what = format!("{recording}{}{}", fork.unwrap_or_default(), session.title);
    vec![
        names.short(&session.id),
        screen::age(used, now),
        screen::exact(u64::from(session.turns)),
        size(session.bytes),
        screen::one_line(&session.model, 24),
        what,
    ]
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{} kB", bytes / 1_000),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}

fn list_json(store: &Store) -> Result<()> {
    let sessions: Vec<Value> = store
        .sessions()?
        .into_iter()
        .map(|session| {
            json!({
                "id": session.id,
                "created": session.created,
                "updated": session.updated,
                "title": session.title,
                "root": session.root,
                "model": session.model,
                "provider": session.provider,
                "turns": session.turns,
                "events": session.events,
                "bytes": session.bytes,
                "recording": session.recording,
                "parent": session.parent.map(|fork| json!({"session": fork.session, "upto": fork.upto})),
            })
        })
        .collect();
    screen::show_json(&sessions.into())
}
