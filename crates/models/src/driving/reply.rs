//! A reply as a session records it.

use lookback_engine::{NewPart, trace::Stop};
use lookback_wire::{Provider, Reply, ReplyContent, ReplyPart, ReplyStop};

/// The parts of an answer that came by this API. What its provider said beyond what we understand stays with them.
pub fn new_parts(api: Provider, reply: Reply) -> Vec<NewPart> {
    reply.parts.into_iter().filter_map(|part| new_part(api, part)).collect()
}

fn new_part(api: Provider, part: ReplyPart) -> Option<NewPart> {
    let plain = match part.content {
        ReplyContent::Text(text) => Some(NewPart::Text(text)),
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

/// Why the answer ended, as the trace knows it.
pub(super) fn stop_of(stop: &ReplyStop) -> Stop {
    match stop {
        ReplyStop::End | ReplyStop::Refused(_) => Stop::End,
        ReplyStop::Limit | ReplyStop::WindowFull => Stop::Limit,
        ReplyStop::Cut => Stop::Cut,
    }
}
