//! A reply as a session records it.

use lookback_engine::{
    NewPart,
    card::{Card, ThinkingHabit},
    trace::Stop,
};
use lookback_wire::{Provider, Reply, ReplyContent, ReplyPart, ReplyStop, Seal};

/// The parts of an answer that came by this API. What its provider said beyond what we understand stays with them.
pub fn new_parts(api: Provider, reply: Reply, card: Option<&Card>) -> Vec<NewPart> {
    reply.parts.into_iter().filter_map(|part| new_part(api, part, card)).collect()
}

fn new_part(api: Provider, part: ReplyPart, card: Option<&Card>) -> Option<NewPart> {
    let plain = match part.content {
        ReplyContent::Text(text) => Some(NewPart::Text(text)),
        ReplyContent::Thinking { text, seal } if is_unwanted(&seal, card) => {
            return Some(NewPart::Thinking { text, seal: Seal::None });
        }
        ReplyContent::Thinking { text, seal } => Some(NewPart::Thinking { text, seal }),
        ReplyContent::Call { id, name, arguments } => Some(NewPart::Call { id, name, arguments }),
        ReplyContent::UnfinishedCall { id, name, arguments } => {
            return Some(NewPart::UnfinishedCall { id, name, arguments });
        }
        ReplyContent::Unknown => None,
    };
    match part.native {
        Some(raw) => Some(NewPart::Native { provider: api, raw, plain: plain.map(Box::new) }),
        None => plain,
    }
}

/// Plain thinking goes back only to models that refuse a history without it; others refuse one with it.
fn is_unwanted(seal: &Seal, card: Option<&Card>) -> bool {
    *seal == Seal::Plain && card.is_none_or(|card| card.thinking != ThinkingHabit::Required)
}

/// Why the answer ended, as the trace knows it.
pub(super) fn stop_of(stop: &ReplyStop) -> Stop {
    match stop {
        ReplyStop::End | ReplyStop::Refused(_) => Stop::End,
        ReplyStop::Limit | ReplyStop::WindowFull => Stop::Limit,
        ReplyStop::Cut => Stop::Cut,
    }
}
