//! Lookback's own traces, one event a line: stored as they are, or refused.
//!
//! The whole trace is replayed before anything is stored, so that a damaged file leaves nothing behind. What it says of
//! its own decisions is not believed: they are checked, and the first event says what came of that.

use anyhow::{Context, Result, anyhow, bail};
use lookback_engine::{
    Session, SessionError,
    session::Checked,
    trace::{Event, EventBody, NoBlobs, Output, Timestamp, upgrade::TraceReader},
};

use super::{
    Outcome,
    gathered::{Gathered, Whole},
};
use crate::{
    counter::Counter,
    input::{Input, LONGEST_LINE, Line},
    screen,
};

pub(super) fn import(gathered: &mut Gathered<'_>, input: Input, name: &str) -> Result<Outcome> {
    let mut events = screen::announce(&format!("reading {name}…"), || read_events(input, name))?;
    for event in &events {
        check(event).with_context(|| format!("{name} cannot be imported"))?;
    }
    let count = screen::counted(events.len() as u64, "event");
    let Checked { session, decisions, doubted } =
        screen::announce(&format!("replaying {count}…"), || replay(&events))
            .with_context(|| format!("{name} is not a whole trace"))?;
    if let Some(Event { event: EventBody::SessionStarted(start), .. }) = events.first_mut() {
        start.decisions = decisions;
    }
    let id = session.id().clone();
    let turns = screen::counted(u64::from(session.turns()), "turn");
    let imported = format!("imported session {id}: {turns}, {count}");
    let told = move |short: &str| match doubted {
        None => format!("{imported}\nlook at it with `lookback show {short}`"),
        Some(doubted) => format!(
            "{imported}\nit is kept as a recording, to be looked at and not continued: {doubted}\n\
             look at it with `lookback show {short} --trace`"
        ),
    };
    gathered.push(Whole { id, events, told: Box::new(told), name: name.to_owned() });
    Ok(Outcome::Gathered)
}

/// By the counter that the trace names. Where that is not known, no count is right.
fn replay(events: &[Event]) -> Result<Checked, SessionError> {
    let counter = events.first().and_then(|event| match &event.event {
        EventBody::SessionStarted(start) => Counter::of(start).ok(),
        _ => None,
    });
    let count = |bytes: &[u8]| counter.map_or(1 << 20, |counter| counter.count(bytes));
    let context = lookback_engine::Context { now: Timestamp(0), count: &count, blobs: &NoBlobs };
    Session::replay_checked(events.iter().cloned(), &context)
}

/// What a replay does not look at, but every later use of the session would stumble over.
fn check(Event { seq, event, .. }: &Event) -> Result<()> {
    if event.outputs().iter().any(|output| matches!(output, Output::Blob { .. })) {
        bail!(
            "the file is incomplete: event {seq} names an output that is not in it; \
             `lookback show ID --trace --json` writes files with all outputs"
        );
    }
    let window = match event {
        EventBody::SessionStarted(start) => Some(start.window),
        EventBody::ModelChanged { window, .. } => Some(*window),
        _ => None,
    };
    if window == Some(0) {
        bail!(
            "event {seq} says that the model's window is 0 tokens: nothing could ever be sent; correct \"window\" there"
        );
    }
    Ok(())
}

/// The parser counts lines within its text, which is one line of the file: only its column means something.
fn not_an_event(error: &serde_json::Error, number: u64, name: &str) -> anyhow::Error {
    let reason = error.to_string();
    let reason = reason.split(" at line ").next().unwrap_or_default();
    anyhow!(
        "line {number} of {name} is not an event (column {}: {reason}); `lookback show ID --trace --json` writes such files",
        error.column()
    )
}

fn read_events(input: Input, name: &str) -> Result<Vec<Event>> {
    let mut events = Vec::new();
    let mut reader = TraceReader::default();
    let mut lines = input.lines();
    while let Some(line) = lines.next().with_context(|| format!("cannot read {name}"))? {
        match line {
            Line::Text(number, text) => {
                events.push(reader.event(text).map_err(|error| not_an_event(&error, number, name))?);
            }
            Line::TooLong(number) => bail!("line {number} of {name} is longer than {} MB", LONGEST_LINE >> 20),
        }
    }
    Ok(events)
}
