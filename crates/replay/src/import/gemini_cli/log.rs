//! The newer recordings: a log of lines that is replayed into messages.
//!
//! The first line is the frame without its messages. Then: a message (again, whenever something of it changed),
//! `{"$rewindTo": id}` (that message and all behind it are gone), `{"$set": {…}}` (new fields of the frame). A `$set`
//! with `messages` puts other messages in the place of all: those that are known already mean that the last turns were
//! taken back, new ones that the client has compressed its context.

use std::collections::BTreeMap;

use serde::{Deserialize, de::IgnoredAny};
use serde_json::{Value, value::RawValue};

use super::{Given, Reader};
use crate::{
    import::{
        ImportError, Sink,
        bounds::{Held, Messages, check_values},
        time::time_of,
    },
    parameters::LOG_LINE_WEIGHT,
    recording::{About, Compaction, CompactionKind, Item, Skipped},
};

/// A first line that is an object by itself, with another behind it.
pub(super) fn is_log(bytes: &[u8]) -> bool {
    let mut lines = bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    let (Some(first), Some(_)) = (lines.next(), lines.next()) else { return false };
    first.starts_with(b"{") && serde_json::from_slice::<IgnoredAny>(first).is_ok()
}

/// Messages stay raw until they are given out: the trees of all together would be many times the file.
enum Step<'a> {
    Message {
        line: u64,
        message: &'a RawValue,
    },
    /// The message with this id and what follows it are gone.
    BackBefore(String),
    /// Everything behind the message with this id is gone.
    BackTo(Option<String>),
    Compressed(Option<lookback_engine::trace::Timestamp>),
}

#[derive(Default)]
struct Log<'a> {
    about: About,
    steps: Vec<Step<'a>>,
    /// Where the message with an id stands in `steps`.
    places: BTreeMap<String, usize>,
}

pub(super) fn replay(bytes: &[u8], sink: &mut dyn Sink) -> Result<About, ImportError> {
    let (mut log, mut held) = (Log::default(), Held::default());
    for (number, line) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
        if line.trim_ascii().is_empty() {
            continue;
        }
        held.add(line.len() as u64 + LOG_LINE_WEIGHT)
            .map_err(|error| ImportError::TooLarge { place: format!("line {number}"), error })?;
        let parsed = serde_json::from_slice::<&RawValue>(line).map_err(|error| error.to_string());
        if let Err(reason) = parsed.and_then(|record| log.record(number, record)) {
            sink.skipped(Skipped { line: number, reason });
        }
    }
    Ok(log.give_out(sink))
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Record<'a> {
    #[serde(rename = "$rewindTo")]
    rewind_to: Option<Value>,
    #[serde(borrow, rename = "$set")]
    set: Option<&'a RawValue>,
    #[serde(rename = "type")]
    kind: Option<Value>,
}

/// New fields of the frame.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Fields<'a> {
    session_id: Option<Value>,
    directories: Option<Value>,
    #[serde(borrow)]
    messages: Option<Messages<'a>>,
    last_updated: Value,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Named {
    id: Option<Value>,
}

impl<'a> Log<'a> {
    fn record(&mut self, line: u64, record: &'a RawValue) -> Result<(), String> {
        check_values(record.get().as_bytes())?;
        let Record { rewind_to, set, kind } = parse(record)?;
        if let Some(target) = rewind_to.as_ref().and_then(Value::as_str) {
            self.steps.push(Step::BackBefore(target.to_owned()));
        } else if let Some(set) = set {
            self.set(line, parse(set)?);
        } else if kind.is_some_and(|kind| kind.is_string()) {
            self.message(line, record);
        } else {
            self.set(line, parse(record)?);
        }
        Ok(())
    }

    fn message(&mut self, line: u64, message: &'a RawValue) {
        let id = id_of(message);
        match id.as_ref().and_then(|id| self.places.get(id)) {
            // The latest state of a message counts, at its first place.
            Some(place) => self.steps[*place] = Step::Message { line, message },
            None => {
                if let Some(id) = id {
                    self.places.insert(id, self.steps.len());
                }
                self.steps.push(Step::Message { line, message });
            }
        }
    }

    fn set(&mut self, line: u64, fields: Fields<'a>) {
        if let Some(Value::String(session)) = fields.session_id {
            self.about.session = Some(session);
        }
        if let Some(Value::String(directory)) = fields.directories.as_ref().and_then(|all| all.get(0)) {
            self.about.cwd = Some(directory.clone());
        }
        let Some(Messages(messages)) = fields.messages else { return };
        let is_known = |message: &&RawValue| id_of(message).is_some_and(|id| self.places.contains_key(&id));
        if self.places.is_empty() {
            messages.into_iter().for_each(|message| self.message(line, message));
        } else if messages.iter().all(is_known) {
            self.steps.push(Step::BackTo(messages.last().and_then(|message| id_of(message))));
        } else {
            self.steps.push(Step::Compressed(time_of(&fields.last_updated)));
        }
    }

    fn give_out(self, sink: &mut dyn Sink) -> About {
        let mut reader = Reader { about: self.about };
        let (mut items, mut leaf) = (0, None);
        // Of each message: the newest turn before it, and with it.
        let mut turns: BTreeMap<String, (Option<usize>, Option<usize>)> = BTreeMap::new();
        for step in self.steps {
            let target = match step {
                Step::Message { line, message } => {
                    let before = leaf;
                    let read = parse(message).and_then(|message: Value| reader.message(line as usize, &message, sink));
                    match read {
                        Ok(Given::Turn) => (leaf, items) = (Some(items), items + 1),
                        Ok(Given::Nothing) => {}
                        Err(reason) => sink.skipped(Skipped { line, reason }),
                    }
                    if let Some(id) = id_of(message) {
                        turns.insert(id, (before, leaf));
                    }
                    continue;
                }
                Step::Compressed(at) => {
                    let compaction = Compaction { kind: CompactionKind::Head, at, billed: None };
                    sink.item(Item::Compaction(compaction));
                    continue;
                }
                Step::BackBefore(id) => turns.get(&id).and_then(|(before, _)| *before),
                Step::BackTo(id) => id.and_then(|id| turns.get(&id).and_then(|(_, with)| *with)),
            };
            if target != leaf {
                sink.item(Item::Rewind { last: target });
                leaf = target;
            }
        }
        reader.about
    }
}

fn parse<'a, T: Deserialize<'a>>(raw: &'a RawValue) -> Result<T, String> {
    serde_json::from_str(raw.get()).map_err(|error| error.to_string())
}

fn id_of(message: &RawValue) -> Option<String> {
    match parse::<Named>(message).ok()?.id? {
        Value::String(id) => Some(id),
        _ => None,
    }
}
