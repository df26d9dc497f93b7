//! `lookback sessions`: what is stored, and how to let go of it.

mod cost;
mod remove;

use std::io::Write;

use anyhow::Result;
use jiff::Timestamp as Instant;
use lookback_engine::trace::Timestamp;
use lookback_store::{Billed, SessionSummary};
use serde_json::{Value, json};

use crate::{
    cli::{SessionsArguments, SessionsCommand},
    home,
    names::Names,
    screen::{self, Screen},
    settings::{self, Flags},
};
use cost::Costs;

pub(crate) fn run(arguments: SessionsArguments) -> Result<()> {
    let store = home::open_store()?;
    // Only prices come from there: without them the list is as good.
    let settings = settings::load(Flags::default()).inspect_err(|error| screen::remark(&error.to_string())).ok();
    let costs = Costs::read(&store, settings.as_ref())?;
    if let Some(SessionsCommand::Rm(arguments)) = arguments.command {
        return remove::run(&store, arguments, &costs);
    }
    let all = store.sessions()?;
    let names = Names::of(&all);
    let is_empty = all.is_empty();
    let now = Instant::now();
    let wanted: Vec<SessionSummary> = all.into_iter().filter(|session| is_wanted(session, &arguments, now)).collect();
    if arguments.json {
        return screen::show_json(&wanted.iter().map(|session| told(session, &costs)).collect());
    }
    match wanted.is_empty() {
        true if is_empty => screen::say("no sessions yet: `lookback import FILE` stores one"),
        true => screen::say("no session is as you ask: `lookback sessions` lists all"),
        false => list(&wanted, &names, &costs, now),
    }
}

fn is_wanted(session: &SessionSummary, asked: &SessionsArguments, now: Instant) -> bool {
    let has = |text: &str, part: &Option<String>| {
        part.as_ref().is_none_or(|part| text.to_lowercase().contains(&part.to_lowercase()))
    };
    // As the list shows it: what was imported today may be a year old.
    let age = now.as_millisecond().saturating_sub(session.updated.0);
    has(&session.agent, &asked.agent)
        && has(&session.root, &asked.project)
        && has(&session.title, &asked.title)
        && asked.used_within.is_none_or(|within| i128::from(age) <= within.as_millis())
}

fn list(sessions: &[SessionSummary], names: &Names, costs: &Costs<'_>, now: Instant) -> Result<()> {
    let mut out = screen::screen();
    let rows = sessions.iter().map(|session| row(session, session.updated, names, costs, now));
    write_rows(&mut out, rows)?;
    Ok(out.flush()?)
}

/// What a session is about must stay in sight: below these widths calls are left out and a project's name is shortened, then
/// agents are left out, then projects.
const ROOM_FOR_ALL: usize = 100;
const ROOM_FOR_AGENTS: usize = 80;
const ROOM_FOR_PROJECTS: usize = 70;
const SHORT_NAME: usize = 12;

fn write_rows<W: Write>(out: &mut Screen<W>, rows: impl Iterator<Item = Vec<String>>) -> Result<()> {
    let heading = ["session", "used", "agent", "project", "calls", "cost", "what"].map(str::to_owned).to_vec();
    let mut rows: Vec<Vec<String>> = std::iter::once(heading).chain(rows).collect();
    let width = screen::columns();
    let (left_out, right): (&[usize], &[usize]) = match width {
        ROOM_FOR_ALL.. => (&[], &[4, 5]),
        ROOM_FOR_AGENTS.. => (&[4], &[4]),
        ROOM_FOR_PROJECTS.. => (&[4, 2], &[3]),
        _ => (&[4, 3, 2], &[2]),
    };
    for row in &mut rows {
        if width < ROOM_FOR_ALL {
            row[3] = screen::one_line(&row[3], SHORT_NAME);
        }
        left_out.iter().for_each(|column| drop(row.remove(*column)));
    }
    Ok(screen::write_table(out, &rows, right, width)?)
}

fn row(session: &SessionSummary, used: Timestamp, names: &Names, costs: &Costs<'_>, now: Instant) -> Vec<String> {
    // Its parent comes first: a fork has its parent's title, and what is cut is the end.
    let fork = session.parent.as_ref().map(|fork| format!("(fork of {}) ", names.short(&fork.session)));
    let recording = if session.recording { "(recording) " } else { "" };
    let what = format!("{recording}{}{}", fork.unwrap_or_default(), session.title);
    let project = session.root.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    vec![
        names.short(&session.id),
        screen::age(used, now),
        screen::one_line(&session.agent, 14),
        screen::one_line(project, 18),
        screen::exact(u64::from(session.calls)),
        costs.of(&session.id).map_or("–".to_owned(), |dollars| format!("${dollars:.2}")),
        what,
    ]
}

fn told(session: &SessionSummary, costs: &Costs<'_>) -> Value {
    let Billed { uncached, cached, written, written_1h, output } = session.billed;
    json!({
        "id": session.id,
        "created": session.created,
        "updated": session.updated,
        "stored": session.stored,
        "last_use": session.last_use(),
        "title": session.title,
        "agent": session.agent,
        "project": session.root,
        "root": session.root,
        "model": session.model,
        "provider": session.provider,
        "turns": session.turns,
        "calls": session.calls,
        "billed": { "uncached": uncached, "cached": cached, "written": written, "written_1h": written_1h, "output": output },
        "cost_usd": costs.of(&session.id),
        "events": session.events,
        "bytes": session.bytes,
        "recording": session.recording,
        "parent": session.parent.as_ref().map(|fork| json!({"session": fork.session, "upto": fork.upto})),
    })
}
