//! A script in a model's place: the same requests, the same answers as from a provider, without a network.
//!
//! Waits are only those that the file names. What a provider would refuse, seal and bill is asked of whoever was given
//! for it; this crate does not know the rules.

mod act;
mod failure;
mod performance;

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use lookback_wire::{Reply, ReplyContent, ReplyPart, ReplyStop, TokenUsage};

use performance::Performance;

use super::{Fault, Played, Player, StepStop};
use crate::{Answering, ErrorKind, ModelError, Request};

/// What a provider adds to a reply.
pub trait Billing: fmt::Debug + Send {
    /// Seals the reply's thinking and says what is billed for it; or refuses the request.
    fn bill(&mut self, request: &Request, reply: &mut Reply) -> Result<TokenUsage, ModelError>;
}

/// Clones share one player, and with it the faults that were played already.
#[derive(Debug, Clone)]
pub struct ScriptModel {
    inner: Arc<Mutex<Inner>>,
}

#[derive(Debug)]
struct Inner {
    player: Player,
    billing: Option<Box<dyn Billing>>,
}

impl ScriptModel {
    /// Without billing, a reply costs what the file says, and nothing is said about the rest.
    pub fn new(player: Player, billing: Option<Box<dyn Billing>>) -> Self {
        Self { inner: Arc::new(Mutex::new(Inner { player, billing })) }
    }

    /// Nothing is played before the answer is asked for.
    pub fn send(&self, request: Request) -> Answering {
        Answering::new(Performance::new(self.clone(), request))
    }

    /// One try: what is said, and what it meets instead of its end.
    fn play(&self, request: &Request) -> Result<(Reply, Played), ModelError> {
        // A player is never left half changed.
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let Inner { player, billing } = &mut *inner;
        let played = player
            .plan(request.api, &request.body)
            .map_err(|error| ModelError::new(ErrorKind::BadRequest, None, error.to_string()))?;
        let mut reply = reply(&played);
        let is_refused = matches!(played.fault, Some(Fault::Status { .. } | Fault::Overflow | Fault::RefuseThinking));
        if let Some(billing) = billing.as_mut().filter(|_| !is_refused) {
            let billed = billing.bill(request, &mut reply)?;
            reply.usage = reply.usage.or(Some(billed));
        }
        player.apply(&played);
        Ok((reply, played))
    }
}

fn reply(played: &Played) -> Reply {
    let refusal = played.parts.iter().find_map(|part| match part {
        ReplyContent::Text(text) => Some(text.clone()),
        _ => None,
    });
    Reply {
        parts: played.parts.iter().map(|content| ReplyPart { content: content.clone(), native: None }).collect(),
        stop: match played.stop {
            StepStop::End => ReplyStop::End,
            StepStop::Limit => ReplyStop::Limit,
            StepStop::WindowFull => ReplyStop::WindowFull,
            StepStop::Refused => ReplyStop::Refused(refusal.unwrap_or_default()),
            StepStop::Cut => ReplyStop::Cut,
        },
        usage: played.usage,
        id: None,
        model: None,
    }
}

#[cfg(test)]
mod tests;
