//! `lookback recall`: any detail of the raw trace, by exact pointer or by words.

mod words;

use std::io::Write;

use anyhow::{Context, Result, anyhow, bail};
use lookback_engine::{
    evidence::pointer::Pointer,
    recall::{self, Recalled},
    trace::{SessionId, Timestamp},
};
use lookback_store::{SessionSummary, Snapshot};
use serde_json::json;

use crate::{cli::RecallArguments, home, opened, screen};

pub(crate) fn run(arguments: RecallArguments) -> Result<()> {
    let store = home::open_store()?.snapshot()?;
    let what = arguments.what.join(" ");
    let session = arguments.session.as_deref().map(|prefix| store.find(prefix)).transpose()?;
    match what.trim().parse::<Pointer>() {
        Ok(pointer) => recall_pointer(&store, &pointer, session, arguments.json),
        // A typing error in a pointer must not become a search for odd words.
        Err(error) if Pointer::is_meant(what.trim()) => Err(error.into()),
        Err(_) => {
            let asked = words::Asked { query: &what, limit: arguments.limit as usize, json: arguments.json };
            words::recall(&store, &asked, session.as_ref())
        }
    }
}

fn recall_pointer(store: &Snapshot, pointer: &Pointer, session: Option<SessionId>, json: bool) -> Result<()> {
    let (id, is_guessed) = match (&pointer.session, session) {
        (Some(prefix), Some(given)) if !can_mean(store, prefix, &given) => {
            bail!("the pointer names session {prefix}, --session names {}", store.short_id(&given)?)
        }
        (_, Some(given)) => (given, false),
        (Some(prefix), None) => (store.find(prefix)?, false),
        (None, None) => (newest(store)?, true),
    };
    let name = store.short_id(&id)?;
    let guess = if is_guessed { " · the newest session; --session ID names another" } else { "" };
    let recalled = recall::recall(&pointer.place, None, &store.trace(&id)?, store);
    let recalled = match recalled {
        Err(error) if is_guessed => {
            return Err(anyhow!("{error} (in {name}, the newest session; --session ID names another)"));
        }
        outcome => outcome?,
    };
    match json {
        true => screen::show_json(&json!({
            "session": id.0,
            "turn": recalled.turn.map(|turn| turn.0),
            "at": recalled.at.0,
            "pieces": recalled.pieces.iter().map(|piece| json!({
                "label": piece.label,
                "text": String::from_utf8_lossy(&piece.bytes),
            })).collect::<Vec<_>>(),
        })),
        false => show_recalled(&name, guess, &recalled),
    }
}

/// `--session` decides between those that the pointer's prefix fits, but a whole id means itself alone.
fn can_mean(store: &Snapshot, prefix: &str, given: &SessionId) -> bool {
    given.0.starts_with(prefix) && store.find(prefix).map_or(true, |found| found == *given)
}

fn newest(store: &Snapshot) -> Result<SessionId> {
    let newest = choose_newest(store.sessions()?, opened::now());
    Ok(newest.context("no sessions yet: `lookback import FILE` stores one")?.id)
}

/// One session with a clock that was ahead must not be the newest until that time has come.
fn choose_newest(mut last_used_first: Vec<SessionSummary>, now: Timestamp) -> Option<SessionSummary> {
    let place = last_used_first.iter().position(|session| session.updated <= now).unwrap_or(0);
    (place < last_used_first.len()).then(|| last_used_first.swap_remove(place))
}

/// The bytes go out as they are; what they are is said beside them.
fn show_recalled(name: &str, guess: &str, recalled: &Recalled) -> Result<()> {
    let turn = recalled.turn.map(|turn| format!("/turn#{turn}")).unwrap_or_default();
    screen::remark(&format!("── {name}{turn} · {}{guess}", screen::time(recalled.at)));
    let mut out = screen::bytes();
    let terminal = screen::is_terminal();
    for piece in &recalled.pieces {
        if recalled.pieces.len() > 1 {
            out.flush()?;
            screen::remark(&format!("── {}", screen::one_line(&piece.label, screen::columns() - 3)));
        }
        match terminal {
            true => out.write_all(screen::visible(&String::from_utf8_lossy(&piece.bytes)).as_bytes())?,
            false => out.write_all(&piece.bytes)?,
        }
        if !piece.bytes.is_empty() && !piece.bytes.ends_with(b"\n") {
            writeln!(out)?;
        }
    }
    Ok(out.flush()?)
}
