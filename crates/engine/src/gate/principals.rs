//! Who may direct the work: the user, a gate's decision, and the assistant by what it really called.
//!
//! What a tool printed directs nothing, whoever repeats it (design 3-folding: "fifty planted instructions"). Here it is
//! asked whether a principal named something, and whether a text was copied from a tool's output.

use std::cell::OnceCell;

use super::{
    checkable::occurs,
    copied::{Runs, Words},
    named::names,
};
use crate::{
    session::{Session, index::TurnRecord},
    trace::{AssistantPart, Blobs, EventBody, EventNo, Origin, ToolResult, TurnNo, decision::TurnRange, event::Cut},
};

pub(super) struct Principals<'a> {
    session: &'a Session,
    /// Where the compactor got its input from.
    range: Option<TurnRange>,
    blobs: &'a dyn Blobs,
    /// What the tools of the range printed, as far as the model was shown it.
    printed: OnceCell<Words>,
}

/// A user turn or a decision, and the pointer that names it.
pub(super) struct Directive<'a> {
    pub(super) pointer: String,
    pub(super) text: &'a str,
}

impl<'a> Principals<'a> {
    pub(super) fn new(session: &'a Session, range: impl Into<Option<TurnRange>>, blobs: &'a dyn Blobs) -> Self {
        Self { session, range: range.into(), blobs, printed: OnceCell::new() }
    }

    /// What in a text nobody entitled to it has named.
    pub(super) fn unnamed(&self, text: &str) -> Option<String> {
        names(text).into_iter().find(|name| !self.named(name))
    }

    /// Whether a text repeats what a tool printed and no principal said.
    pub(super) fn is_copied(&self, text: &str) -> bool {
        let Some(runs) = Runs::of(text) else { return false };
        let copied = runs.found_in(self.printed.get_or_init(|| self.printed_words()));
        if copied.is_empty() {
            return false;
        }
        let mut said = Words::default();
        self.directives().for_each(|directive| said.push(directive.text));
        self.calls().for_each(|arguments| said.push(arguments));
        let said = runs.found_in(&said);
        copied.iter().any(|run| !said.contains(run))
    }

    /// User turns, then decisions, the newest first. What was rolled back directs nothing any more.
    pub(super) fn directives(&self) -> impl Iterator<Item = Directive<'a>> {
        let index = self.session.index();
        let users = index.users.iter().enumerate().rev().filter_map(|(place, turn)| {
            let TurnRecord::User { event } = index.turn(*turn)? else { return None };
            match self.live(*event)? {
                EventBody::UserTurn(user) if user.origin != Origin::Machine => {
                    Some(Directive { pointer: format!("user#{}", place + 1), text: &user.text })
                }
                _ => None,
            }
        });
        let decisions = index.gates.iter().rev().filter_map(|event| match self.live(*event)? {
            EventBody::Gate(gate) => {
                Some(Directive { pointer: format!("gate#{}", gate.number), text: gate.decision.as_deref()? })
            }
            _ => None,
        });
        users.chain(decisions)
    }

    /// The arguments of the assistant's finished calls, the newest first.
    fn calls(&self) -> impl Iterator<Item = &'a str> {
        let turns = self.session.index().turns.iter().rev();
        let parts = turns.filter_map(|record| match record {
            TurnRecord::Assistant { event } => match self.live(*event)? {
                EventBody::AssistantTurn(turn) => Some(&turn.parts),
                _ => None,
            },
            _ => None,
        });
        parts.flatten().filter_map(|part| match part {
            AssistantPart::Call { arguments, unfinished: false, .. } => Some(arguments.as_str()),
            _ => None,
        })
    }

    fn named(&self, name: &str) -> bool {
        if self.directives().any(|directive| occurs(name, directive.text)) {
            return true;
        }
        // Arguments are JSON: what stands in them is written with its escapes.
        let escaped = serde_json::Value::from(name).to_string();
        let escaped = &escaped[1..escaped.len() - 1];
        self.calls().any(|arguments| occurs(escaped, arguments))
    }

    fn printed_words(&self) -> Words {
        let mut words = Words::default();
        let Some(range) = self.range else { return words };
        for turn in range.first.0..=range.last.0.min(self.session.turns()) {
            let Some(step) = self.session.index().tool_turn(TurnNo(turn)) else { continue };
            let shown: &[_] = match step.ended().and_then(|event| self.live(event)) {
                Some(EventBody::StepEnded { shown, .. }) => shown,
                _ => &[],
            };
            for (call, shown) in step.calls.iter().zip(shown) {
                if let Some(EventBody::ToolResult { result, .. }) = call.result().and_then(|event| self.live(event)) {
                    self.push_printed(result, shown.cut, &mut words);
                }
            }
        }
        words
    }

    /// What cannot be read was not shown to the compactor either.
    fn push_printed(&self, result: &ToolResult, cut: Option<Cut>, words: &mut Words) {
        if let Some(error) = &result.error {
            words.push(&error.message);
        }
        let Ok(bytes) = result.text.bytes(self.blobs) else { return };
        let (head, tail) = match cut {
            Some(cut) => (cut.head as usize, cut.tail as usize),
            None => (bytes.len(), 0),
        };
        words.push(&String::from_utf8_lossy(&bytes[..head.min(bytes.len())]));
        words.push(&String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(tail)..]));
    }

    fn live(&self, event: EventNo) -> Option<&'a EventBody> {
        let event = self.session.trace().get(event.0 as usize)?;
        self.session.is_live(event.seq).then_some(&event.event)
    }
}
