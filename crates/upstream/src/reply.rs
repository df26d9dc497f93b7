//! A reply in each API's own bytes: as a stream of events, or as one body. Knows no sockets, scripts or bills: it writes
//! down what it is given.

mod anthropic;
mod chat;
pub(crate) mod react;
mod responses;
#[cfg(test)]
mod tests;

use lookback_models::script::StepStop;
use lookback_wire::{Provider, ReplyContent, TokenUsage};
use serde_json::Value;

/// What is to be written.
#[derive(Debug)]
pub(crate) struct Spoken<'a> {
    /// Makes the ids of this answer.
    pub(crate) number: u64,
    /// In seconds.
    pub(crate) created: i64,
    pub(crate) model: &'a str,
    /// Thinking carries its seal.
    pub(crate) parts: &'a [ReplyContent],
    pub(crate) ending: Ending,
    pub(crate) usage: TokenUsage,
    pub(crate) thinking_tokens: u64,
    pub(crate) shown: Shown,
}

/// Whether the answer comes to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    Said(StepStop),
    /// It stops inside of its last part.
    Open,
}

/// What of an answer depends on the request and the card.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shown {
    pub(crate) usage_in_stream: bool,
    pub(crate) encrypted_reasoning: bool,
}

/// One event of a stream.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) name: Option<&'static str>,
    pub(crate) data: String,
    pub(crate) kind: EventKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EventKind {
    Frame,
    /// A piece of what is said: it comes at the step's pace.
    Piece,
}

impl Event {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let name = self.name.map(|name| format!("event: {name}\n")).unwrap_or_default();
        format!("{name}data: {}\n\n", self.data).into_bytes()
    }
}

pub(crate) fn render_stream(api: Provider, spoken: &Spoken<'_>) -> Vec<Event> {
    match api {
        Provider::Anthropic => anthropic::render_stream(spoken),
        Provider::Chat | Provider::React => chat::render_stream(spoken),
        Provider::Responses => responses::render_stream(spoken),
    }
}

pub(crate) fn render_whole(api: Provider, spoken: &Spoken<'_>) -> Vec<u8> {
    let body = match api {
        Provider::Anthropic => anthropic::render_whole(spoken),
        Provider::Chat | Provider::React => chat::render_whole(spoken),
        Provider::Responses => responses::render_whole(spoken),
    };
    body.to_string().into_bytes()
}

impl Spoken<'_> {
    /// A part is closed unless the answer ends inside of it.
    fn closes(&self, index: usize) -> bool {
        self.ending != Ending::Open || index + 1 < self.parts.len()
    }

    fn stop(&self) -> StepStop {
        match self.ending {
            Ending::Said(stop) => stop,
            Ending::Open => StepStop::Cut,
        }
    }

    fn has_calls(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, ReplyContent::Call { .. }))
    }
}

fn event(name: Option<&'static str>, data: &Value, kind: EventKind) -> Event {
    Event { name, data: data.to_string(), kind }
}
