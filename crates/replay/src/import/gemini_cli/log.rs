//! The newer recordings: a log of lines that is replayed into messages.
//!
//! The first line is the frame without its messages. Then: a message (again, whenever something of it changed),
//! `{"$rewindTo": id}` (that message and all behind it are gone), `{"$set": {…}}` (new fields of the frame). A `$set`
//! with `messages` puts other messages in the place of all: those that are known already mean that the last turns were
//! taken back, new ones that the client has compressed its context.

use std::collections::BTreeMap;

use serde::de::IgnoredAny;
use serde_json::Value;

use super::{Given, Reader};
use crate::{
    import::{
        Sink,
        fields::{list, text},
        time::time_of,
    },
    recording::{About, Compaction, CompactionKind, Item, Skipped},
};

/// A first line that is an object by itself, with another behind it.
pub(super) fn is_log(bytes: &[u8]) -> bool {
    let mut lines = bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    let (Some(first), Some(_)) = (lines.next(), lines.next()) else { return false };
    first.starts_with(b"{") && serde_json::from_slice::<IgnoredAny>(first).is_ok()
}

enum Step {
    Message {
        line: u64,
        message: Value,
    },
    /// The message with this id and what follows it are gone.
    BackBefore(String),
    /// Everything behind the message with this id is gone.
    BackTo(Option<String>),
    Compressed(Option<lookback_engine::trace::Timestamp>),
}

#[derive(Default)]
struct Log {
    about: About,
    steps: Vec<Step>,
    /// Where the message with an id stands in `steps`.
    places: BTreeMap<String, usize>,
}

pub(super) fn replay(bytes: &[u8], sink: &mut dyn Sink) -> About {
    let mut log = Log::default();
    for (number, line) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
        if line.trim_ascii().is_empty() {
            continue;
        }
        match serde_json::from_slice(line) {
            Ok(record) => log.record(number, record),
            Err(error) => sink.skipped(Skipped { line: number, reason: error.to_string() }),
        }
    }
    log.give_out(sink)
}

impl Log {
    fn record(&mut self, line: u64, record: Value) {
        if let Some(target) = text(&record, "$rewindTo") {
            self.steps.push(Step::BackBefore(target.to_owned()));
        } else if let Some(set) = record.get("$set") {
            self.set(line, set);
        } else if text(&record, "type").is_some() {
            self.message(line, record);
        } else {
            self.set(line, &record);
        }
    }

    fn message(&mut self, line: u64, message: Value) {
        let id = text(&message, "id").map(str::to_owned);
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

    fn set(&mut self, line: u64, fields: &Value) {
        if let Some(session) = text(fields, "sessionId") {
            self.about.session = Some(session.to_owned());
        }
        if let Some(directory) = list(fields, "directories").first().and_then(Value::as_str) {
            self.about.cwd = Some(directory.to_owned());
        }
        if fields["messages"].is_null() {
            return;
        }
        let messages = list(fields, "messages");
        let is_known = |message: &Value| text(message, "id").is_some_and(|id| self.places.contains_key(id));
        if self.places.is_empty() {
            messages.iter().for_each(|message| self.message(line, message.clone()));
        } else if messages.iter().all(is_known) {
            let last = messages.last().and_then(|message| text(message, "id"));
            self.steps.push(Step::BackTo(last.map(str::to_owned)));
        } else {
            self.steps.push(Step::Compressed(time_of(&fields["lastUpdated"])));
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
                    match reader.message(line as usize, &message, sink) {
                        Ok(Given::Turn) => (leaf, items) = (Some(items), items + 1),
                        Ok(Given::Nothing) => {}
                        Err(reason) => sink.skipped(Skipped { line, reason }),
                    }
                    if let Some(id) = text(&message, "id") {
                        turns.insert(id.to_owned(), (before, leaf));
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
