//! From the parts of a view to the messages that a provider would get, with texts cut to a few characters.
//!
//! The rules ask for pairs, order, ids, names and for texts that say something, not for what they say. A blank text stays
//! blank, arguments that are no object stay as they are, a seal that is empty stays empty.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

use lookback_engine::{
    NewPart,
    text::beginning,
    trace::{Status, TurnNo},
};
use lookback_wire::{Call, CallResult, Message, Part as WirePart, Role as WireRole, Seal, Thinking, is_blank};

use crate::{
    conversation::{Conversation, Role},
    recording::CallItem,
    shown::{Part, Stands},
};

#[derive(Debug)]
pub(super) struct Messages<'a> {
    conversation: &'a Conversation<'a>,
    /// By piece: the call that made it.
    calls: Vec<Option<usize>>,
    /// By call: the ids of its calls with a result, each only once in a conversation.
    ids: Vec<Vec<String>>,
}

impl<'a> Messages<'a> {
    pub(super) fn new(conversation: &'a Conversation<'a>) -> Self {
        let mut calls = vec![None; conversation.pieces.len()];
        for (number, call) in conversation.calls.iter().enumerate() {
            calls[call.answer] = Some(number);
            calls[call.results.clone()].fill(Some(number));
        }
        Self { conversation, calls, ids: unique_ids(conversation) }
    }

    /// The parts of each message: results of one step together, everything else alone.
    pub(super) fn group<'p>(&self, parts: &'p [Part]) -> Vec<&'p [Part]> {
        let step = |part: &Part| self.result_of(part).map(|piece| self.conversation.pieces[piece].turn);
        parts.chunk_by(|one, next| step(one).is_some() && step(one) == step(next)).collect()
    }

    /// What a part stands for, in its own words or in others.
    fn stands(&self, part: &Part) -> Stands {
        match part {
            Part::Made(made) => made.stands,
            Part::Raw(piece) => match self.conversation.pieces[*piece].role {
                Role::Answer => Stands::ForAnswer(*piece),
                Role::Result { .. } => Stands::ForResult(*piece),
                Role::User(_) => Stands::Alone,
            },
        }
    }

    pub(super) fn answer_of(&self, part: &Part) -> Option<usize> {
        if let Stands::ForAnswer(piece) = self.stands(part) { Some(piece) } else { None }
    }

    fn result_of(&self, part: &Part) -> Option<usize> {
        if let Stands::ForResult(piece) = self.stands(part) { Some(piece) } else { None }
    }

    pub(super) fn turn_of(&self, part: &Part) -> Option<TurnNo> {
        let piece = match (part, self.stands(part)) {
            (Part::Raw(piece), _) => *piece,
            (_, Stands::ForAnswer(piece) | Stands::ForResult(piece)) => piece,
            (Part::Made(_), Stands::Alone | Stands::Board) => return None,
        };
        Some(self.conversation.pieces[piece].turn)
    }

    pub(super) fn message(&self, parts: &[Part]) -> Message<'_> {
        let [first, ..] = parts else { return Message { role: WireRole::User, parts: Vec::new() } };
        match self.stands(first) {
            Stands::ForResult(_) => {
                let results = parts.iter().filter_map(|part| self.result(part)).map(WirePart::Result).collect();
                Message { role: WireRole::Tool, parts: results }
            }
            Stands::ForAnswer(piece) => self.answer(piece, first),
            Stands::Alone | Stands::Board => Message::user(short(first.text(self.conversation)).to_owned()),
        }
    }

    fn result(&self, part: &Part) -> Option<CallResult<'_>> {
        let piece = self.result_of(part)?;
        let Role::Result { index, .. } = self.conversation.pieces[piece].role else { return None };
        let call = self.calls[piece]?;
        let result = self.conversation.calls[call].recorded.results.get(index as usize)?;
        // Results without a call of their own are shown to the rules as such.
        let id = self.ids[call].get(index as usize).map_or("unknown", String::as_str);
        let text = short(part.text(self.conversation)).to_owned();
        let is_error = matches!(result.status, Status::Error | Status::Interrupted);
        Some(CallResult { id: id.into(), text: text.into(), pictures: Vec::new(), is_error })
    }

    /// An answer as it was, or with another text in the place of its own and of its thinking. As in the engine, nothing is
    /// left of an answer that only thought.
    fn answer(&self, piece: usize, part: &Part) -> Message<'_> {
        let instead = if let Part::Made(made) = part { Some(made) } else { None };
        let Some(number) = self.calls[piece] else { return Message { role: WireRole::Assistant, parts: Vec::new() } };
        let mut ids = self.ids[number].iter();
        let mut parts = Vec::new();
        if let Some(made) = instead.filter(|made| !is_blank(&made.text)) {
            parts.push(WirePart::Text(short(&made.text).to_owned().into()));
        }
        let recorded = self.conversation.calls[number].recorded;
        for part in &recorded.parts {
            match part {
                NewPart::Text(text) if instead.is_none() && !is_blank(text) => {
                    parts.push(WirePart::Text(short(text).into()));
                }
                NewPart::Thinking { text, seal } if instead.is_none() && is_sent(recorded, seal) => {
                    let seal = Cow::Owned(short_seal(seal));
                    parts.push(WirePart::Thinking(Thinking { text: short(text).into(), seal }));
                }
                NewPart::Call { name, arguments, .. } => {
                    let Some(id) = ids.next() else { continue };
                    let arguments = if is_object(arguments) { "{}" } else { arguments };
                    let (id, name) = (id.as_str().into(), name.as_str().into());
                    parts.push(WirePart::Call(Call { id, name, arguments: arguments.into() }));
                }
                NewPart::Text(_)
                | NewPart::Thinking { .. }
                | NewPart::UnfinishedCall { .. }
                | NewPart::Native { .. } => {}
            }
        }
        if parts.iter().all(|part| matches!(part, WirePart::Thinking(_))) {
            parts.clear();
        }
        Message { role: WireRole::Assistant, parts }
    }
}

/// Ids that a session used before get another one, as in the engine. A call that never had a result is not sent again.
fn unique_ids(conversation: &Conversation<'_>) -> Vec<Vec<String>> {
    let mut taken = BTreeSet::new();
    let ids = conversation.calls.iter().map(|call| {
        let turn = conversation.pieces[call.answer].turn;
        let ids = call.recorded.parts.iter().filter_map(|part| match part {
            NewPart::Call { id, .. } => Some(id),
            _ => None,
        });
        let unique = ids.take(call.recorded.results.len()).map(|id| {
            let mut id = id.clone();
            while !taken.insert(id.clone()) {
                id = format!("{id}_t{turn}");
            }
            id
        });
        unique.collect()
    });
    ids.collect()
}

/// Enough to see whether a text says something.
const SHORT: usize = 8;

fn short(text: &str) -> &str {
    if is_blank(text) {
        return "";
    }
    beginning(text.trim_start(), SHORT)
}

/// Unsigned thinking of an answer that was cut off does not go back.
fn is_sent(recorded: &CallItem, seal: &Seal) -> bool {
    !(recorded.stop.is_interrupted() && *seal == Seal::None)
}

fn short_seal(seal: &Seal) -> Seal {
    match seal {
        Seal::None => Seal::None,
        Seal::Plain => Seal::Plain,
        Seal::Signature(text) => Seal::Signature(short(text).to_owned()),
        Seal::Redacted(text) => Seal::Redacted(short(text).to_owned()),
        Seal::Encrypted { id, content } => Seal::Encrypted { id: id.clone(), content: short(content).to_owned() },
    }
}

fn is_object(arguments: &str) -> bool {
    serde_json::from_str::<BTreeMap<Cow<'_, str>, serde::de::IgnoredAny>>(arguments).is_ok()
}
