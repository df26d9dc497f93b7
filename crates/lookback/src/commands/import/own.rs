//! Lookback's own traces, one event a line: stored as they are, or refused.
//!
//! The whole trace is replayed before anything is stored, so that a damaged file leaves nothing behind. What it says of
//! its own decisions is not believed: they are checked, and the first event says what came of that.

use anyhow::{Context, Result, anyhow, bail};
use lookback_engine::{
    Session, SessionError,
    session::Checked,
    trace::{AssistantPart, Event, EventBody, NoBlobs, Output, Timestamp, upgrade::TraceReader},
};
use lookback_replay::{
    import::{Held, check_event, check_values},
    recording::Format,
};

use super::{
    Done, Kind, Outcome,
    gathered::{Gathered, Whole, Written},
};
use crate::{
    counter::Counter,
    input::{Input, LONGEST_LINE, Line},
    screen,
    skips::Skips,
};

pub(super) fn import(gathered: &mut Gathered<'_>, input: Input, name: &str) -> Result<Outcome> {
    let (mut events, lines) = screen::announce(&format!("reading {name}…"), || read_events(input, name))?;
    for (event, line) in events.iter().zip(&lines) {
        check(event).with_context(|| format!("line {line} of {name} cannot be imported"))?;
    }
    let count = screen::counted(events.len() as u64, "event");
    let Checked { session, decisions, doubted } =
        screen::announce(&format!("replaying {count}…"), || replay(&events))
            .with_context(|| format!("{name} is not a whole trace"))?;
    if let Some(Event { event: EventBody::SessionStarted(start), .. }) = events.first_mut() {
        start.decisions = decisions;
    }
    let id = session.id().clone();
    let bytes = Written::of(id.clone(), &events).bytes;
    let turns = screen::counted(u64::from(session.turns()), "turn");
    let imported = format!("imported session {id}: {turns}, {count}");
    let told = move |short: &str| match doubted {
        None => format!("{imported}\nlook at it with `lookback show {short}`"),
        Some(doubted) => format!(
            "{imported}\nit is kept as a recording, to be looked at and not continued: line {}: {doubted}\n\
             look at it with `lookback show {short} --trace`",
            lines.get(doubted.event.0 as usize).copied().unwrap_or_default()
        ),
    };
    let done = Done {
        kind: Kind::Imported,
        format: Format::Lookback,
        id: Some(id.clone()),
        name: name.to_owned(),
        text: String::new(),
        skips: Skips::default(),
    };
    gathered.push(Whole { id, events, bytes, told: Box::new(told), done });
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
fn check(Event { seq, at, event }: &Event) -> Result<()> {
    if at.0 < 0 {
        bail!("event {seq} says that it happened before 1970; correct \"at\" there");
    }
    if event.outputs().iter().any(|output| matches!(output, Output::Blob { .. })) {
        bail!(
            "the file is incomplete: event {seq} names an output that is not in it; \
             `lookback show ID --trace --json` writes files with all outputs"
        );
    }
    if let EventBody::AssistantTurn(turn) = event {
        for part in &turn.parts {
            if let AssistantPart::Call { arguments, .. } = part {
                check_values(arguments.as_bytes())
                    .map_err(|reason| anyhow!("event {seq}: the arguments of a call: {reason}"))?;
            }
        }
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

/// All events, and the line of each.
fn read_events(input: Input, name: &str) -> Result<(Vec<Event>, Vec<u64>)> {
    let (mut events, mut numbers, mut held) = (Vec::new(), Vec::new(), Held::default());
    let mut reader = TraceReader::default();
    let mut lines = input.lines();
    while let Some(line) = lines.next().with_context(|| format!("cannot read {name}"))? {
        match line {
            Line::Text(number, text) => {
                // An event is held twice: as it came, and replayed.
                held.add(2 * text.len() as u64)
                    .map_err(anyhow::Error::from)
                    .and_then(|()| check_event(text).map_err(|reason| anyhow!(reason)))
                    .with_context(|| format!("line {number} of {name}"))?;
                numbers.push(number);
                events.push(reader.event(text).map_err(|error| not_an_event(&error, number, name))?);
            }
            Line::TooLong(number) => bail!("line {number} of {name} is longer than {} MB", LONGEST_LINE >> 20),
        }
    }
    Ok((events, numbers))
}
