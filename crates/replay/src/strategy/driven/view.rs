//! The session's view as parts: turns that it shows as they were are raw pieces, all else is made.

use std::{collections::BTreeMap, ops::Range, rc::Rc};

use lookback_engine::{
    Entry, Source,
    trace::{EventNo, NoBlobs, TurnNo},
};
use lookback_wire::{Message, Part as MessagePart};

use super::Driven;
use crate::{
    conversation::{Role, push_decoded},
    shown::{Made, Part, Shown, Stands},
};

/// Entries that were rendered, so that the same entry is the same part in every view.
#[derive(Debug, Default)]
pub(super) struct MadeEntries {
    known: BTreeMap<EntryKey, Vec<Part>>,
    next: u64,
}

/// What determines an entry's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct EntryKey {
    session: usize,
    turn: Option<TurnNo>,
    /// A fold may write a block and a board entry.
    board: bool,
    revision: EventNo,
    thoughtless: bool,
    separated: bool,
}

impl Driven<'_> {
    pub(super) fn shown(&mut self) -> Shown {
        let seam = self.session().view().seam();
        let entries: Vec<Entry> = self.session().view().entries().to_vec();
        let mut shown = Shown { hour: self.session().held_for_an_hour(), ..Shown::default() };
        for (place, entry) in entries.iter().enumerate() {
            if place == seam {
                shown.stable = shown.parts.len();
            }
            match self.raw_pieces(entry) {
                Some(pieces) => shown.parts.extend(pieces.map(Part::Raw)),
                None => shown.parts.extend(self.made_parts(entry)),
            }
        }
        if seam >= entries.len() {
            shown.stable = shown.parts.len();
        }
        shown
    }

    /// The pieces that an entry shows as they were.
    fn raw_pieces(&self, entry: &Entry) -> Option<Range<usize>> {
        let Source::Turn(turn) = entry.source else { return None };
        let pieces = self.fed.pieces(turn).filter(|pieces| pieces.whole)?;
        self.session().bench().shows_raw_turn(entry).then(|| pieces.range.clone())
    }

    fn made_parts(&mut self, entry: &Entry) -> Vec<Part> {
        let turn = match entry.source {
            Source::Turn(turn) => Some(turn),
            _ => None,
        };
        let key = EntryKey {
            session: self.fed.number(),
            turn,
            board: entry.source == Source::Board,
            revision: entry.revision,
            thoughtless: entry.thoughtless,
            separated: entry.separated,
        };
        if let Some(parts) = self.made.known.get(&key) {
            return parts.clone();
        }
        let message = self.session().message(entry, &NoBlobs).unwrap_or_else(|_| Message::user(""));
        let texts = texts_of(&message);
        let whole: usize = texts.iter().map(|text| text.len().max(1)).sum();
        let mut pieces = turn.and_then(|turn| self.fed.pieces(turn)).map_or(0..0, |pieces| pieces.range.clone());
        let mut parts = Vec::new();
        for text in texts {
            let share = text.len().max(1) as f64 / whole as f64;
            let tokens = (f64::from(entry.tokens) * share).round() as u32;
            let stands = match pieces.next() {
                Some(piece) => match self.conversation.pieces[piece].role {
                    Role::Result { .. } => Stands::ForResult(piece),
                    Role::Answer => Stands::ForAnswer(piece),
                    Role::User(_) => Stands::Alone,
                },
                None if entry.source == Source::Board => Stands::Board,
                None => Stands::Alone,
            };
            self.made.next += 1;
            parts.push(Part::Made(Rc::new(Made { id: self.made.next, tokens, text, stands })));
        }
        self.made.known.insert(key, parts.clone());
        parts
    }
}

/// What can be found in a message: one text for each result, or one for all else.
fn texts_of(message: &Message<'_>) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    let mut said = String::new();
    for part in message.parts.iter().filter_map(MessagePart::understood) {
        match part {
            MessagePart::Text(text) => said.push_str(text),
            MessagePart::Thinking(_) | MessagePart::Picture(_) | MessagePart::Native(_) => continue,
            MessagePart::Call(call) => {
                said.push_str(&call.name);
                said.push('\n');
                push_decoded(&mut said, &call.arguments);
            }
            MessagePart::Result(result) => {
                texts.push(result.text.to_string());
                continue;
            }
        }
        said.push('\n');
    }
    if texts.is_empty() {
        texts.push(said);
    }
    texts
}
