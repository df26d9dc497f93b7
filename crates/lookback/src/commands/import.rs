//! `lookback import FILE`: a trace from a file, one event a line, becomes a stored session.
//!
//! The whole trace is replayed before anything is stored, so that a damaged file leaves nothing behind.

use std::{
    fs::File,
    io::{self, BufRead, BufReader},
    path::Path,
};

use anyhow::{Context, Result, anyhow, bail};
use lookback_engine::{
    Session,
    trace::{Event, EventBody, NoBlobs, Output},
};
use lookback_store::StoreError;

use crate::{cli::ImportArguments, home, screen};

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

pub(crate) fn run(arguments: ImportArguments) -> Result<()> {
    let name = arguments.file.display().to_string();
    let name = if name == "-" { "standard input".to_owned() } else { name };
    let events = screen::announce(&format!("reading {name}…"), || match arguments.file.as_os_str() == "-" {
        true => read_events(io::stdin().lock(), &name),
        false => read_events(open(&arguments.file)?, &name),
    })?;
    for event in &events {
        check(event).with_context(|| format!("{name} cannot be imported"))?;
    }
    let count = screen::counted(events.len() as u64, "event");
    let session = screen::announce(&format!("replaying {count}…"), || Session::replay(events.clone(), &NoBlobs))
        .with_context(|| format!("{name} is not a whole trace"))?;
    let store = home::open_store()?;
    match screen::announce(&format!("storing {count}…"), || store.create(&events)) {
        Ok(_) => {}
        Err(StoreError::Exists(id)) => {
            let short = store.short_id(&id)?;
            bail!("session {id} is stored already: look at it with `lookback show {short}`")
        }
        Err(error) => return Err(error.into()),
    }
    let mut out = screen::screen();
    let id = session.id();
    let turns = screen::counted(u64::from(session.turns()), "turn");
    let short = store.short_id(id)?;
    writeln!(out, "imported session {id}: {turns}, {count}\nlook at it with `lookback show {short}`")?;
    Ok(out.flush()?)
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

fn open(path: &Path) -> Result<BufReader<File>> {
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(BufReader::new(file))
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

fn read_events(mut lines: impl BufRead, name: &str) -> Result<Vec<Event>> {
    let mut events = Vec::new();
    let mut line = Vec::new();
    for number in 1u64.. {
        line.clear();
        let length = lines.read_until(b'\n', &mut line).with_context(|| format!("cannot read {name}"))?;
        if length == 0 {
            break;
        }
        // Some editors begin a file with a mark that is no part of its text.
        let text = if number == 1 { line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&line) } else { &line }.trim_ascii();
        if text.is_empty() {
            continue;
        }
        events.push(serde_json::from_slice(text).map_err(|error| not_an_event(&error, number, name))?);
    }
    Ok(events)
}
