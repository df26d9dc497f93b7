//! One call of a session: from the view to the recorded answer.
//!
//! Two refusals are answered by changing the view, each once: a prompt that the provider calls too long by making room
//! (docs/design/model.md, "The window"), thinking that it no longer takes by leaving it out (docs/design/folding.md,
//! "Thinking"). Everything else is for the caller to decide.

use lookback_engine::{
    CacheVerdict, Session, SessionError,
    card::ThinkingHabit,
    session::{Overflow, RecordedTurn, Room},
    trace::{
        CallNo, Stop,
        event::{Interruption, Usage},
    },
};
use lookback_wire::{Reply, ReplyContent, ReplyPart, ReplyStop, TokenUsage, is_blank};

use super::{
    Cancel, KeepError, Surroundings,
    reply::{new_parts, stop_of},
    surroundings::with_context,
};
use crate::{ErrorKind, Model, ModelError, Request};

/// An answer that was recorded, whole or not.
#[derive(Debug)]
pub struct Called {
    /// Its number in the session.
    pub call: CallNo,
    /// What the session made of the answer, with the ids of the calls to run.
    pub turn: RecordedTurn,
    /// Why the answer ended.
    pub stop: Stop,
    /// The provider or the model would not answer, in its words.
    pub refused: Option<String>,
    /// What broke the answer off, where it was not a person.
    pub broken: Option<ModelError>,
    /// None where the provider did not say.
    pub usage: Option<TokenUsage>,
    /// Whether its cache held what the ledger expects; none without a card or usage.
    pub cache: Option<CacheVerdict>,
    /// What it took, in order.
    pub repairs: Vec<Repair>,
}

/// What was done so that the provider takes the prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repair {
    /// The prompt was too long for it: counted tokens before and after.
    MadeRoom {
        /// Of the view that was refused.
        before: u64,
        /// Of the view that was sent instead.
        after: u64,
    },
    /// Thinking of earlier steps was left out.
    DroppedThinking,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the text of each says what it is")]
pub enum CallError {
    #[error(transparent)]
    Session(#[from] SessionError),
    #[error(transparent)]
    Keep(#[from] KeepError),
    /// Nothing of an answer came. The call is recorded as failed; the session can go on.
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error("the call was cancelled before an answer came")]
    Cancelled,
}

/// Sends the session's view and records what comes back.
pub async fn call(
    session: &mut Session,
    model: &Model,
    cancel: &mut Cancel,
    outside: &mut dyn Surroundings,
) -> Result<Called, CallError> {
    let mut repairs = Vec::new();
    loop {
        let call = with_context(outside, |context| session.start_call(context))?;
        outside.keep(session)?;
        let body = session.request(outside.blobs()).map_err(SessionError::from)?;
        let request = Request { api: session.prompt_provider(), body };
        let (reply, ended) = receive(model, request, cancel, outside).await;
        let is_empty = !reply.parts.iter().any(shows_something);
        let error = match ended {
            Ended::Failed(error) if is_empty => error,
            // Some providers end a stream properly and only say in it that they gave up.
            Ended::Whole if is_empty && reply.stop == ReplyStop::Cut => ModelError::new(
                ErrorKind::CutStream,
                None,
                "the provider broke the answer off before it said anything\ntry again, or choose another model",
            ),
            Ended::Cancelled if is_empty => {
                with_context(outside, |context| session.interrupt(Interruption::Cancelled, context))?;
                outside.keep(session)?;
                return Err(CallError::Cancelled);
            }
            ended => {
                let called = record(session, call, reply, ended, repairs, outside)?;
                outside.keep(session)?;
                return Ok(called);
            }
        };
        let failed = Interruption::Failed(error.first_line().to_owned());
        with_context(outside, |context| session.interrupt(failed, context))?;
        outside.keep(session)?;
        let repair = repair(session, &error, &repairs, outside)?;
        outside.keep(session)?;
        repairs.push(repair.ok_or(error)?);
    }
}

/// Thinking without words and parts that nobody understands show a person nothing.
fn shows_something(part: &ReplyPart) -> bool {
    match &part.content {
        ReplyContent::Text(text) | ReplyContent::Thinking { text, .. } => !is_blank(text),
        ReplyContent::Call { .. } | ReplyContent::UnfinishedCall { .. } => true,
        ReplyContent::Unknown => false,
    }
}

fn requires_thinking(session: &Session) -> bool {
    session.card().is_some_and(|card| card.thinking == ThinkingHabit::Required)
}

enum Ended {
    Whole,
    Cancelled,
    Failed(ModelError),
}

async fn receive(
    model: &Model,
    request: Request,
    cancel: &mut Cancel,
    outside: &mut dyn Surroundings,
) -> (Reply, Ended) {
    let mut answering = model.send(request);
    let ended = loop {
        let next = tokio::select! {
            biased;
            () = cancel.cancelled() => break Ended::Cancelled,
            next = answering.next() => next,
        };
        match next {
            Ok(Some(progress)) => outside.watch(&progress),
            Ok(None) => break Ended::Whole,
            Err(error) => break Ended::Failed(error),
        }
    };
    (answering.into_reply(), ended)
}

fn record(
    session: &mut Session,
    call: CallNo,
    reply: Reply,
    ended: Ended,
    repairs: Vec<Repair>,
    outside: &mut dyn Surroundings,
) -> Result<Called, CallError> {
    let (stop, broken) = match ended {
        Ended::Whole => (stop_of(&reply.stop), None),
        Ended::Cancelled => (Stop::Cancelled, None),
        Ended::Failed(error) => (Stop::Cut, Some(error)),
    };
    let refused = match &reply.stop {
        ReplyStop::Refused(why) => Some(why.clone()),
        _ => None,
    };
    let usage = reply.usage;
    let parts = new_parts(session.prompt_provider(), reply);
    let turn = with_context(outside, |context| session.assistant_turn(parts, stop, context))?;
    if let Some(usage) = usage {
        with_context(outside, |context| session.usage(Usage { call, billed: usage }, context))?;
    }
    let cache = session.cache_verdict(call);
    Ok(Called { call, turn, stop, refused, broken, usage, cache, repairs })
}

/// None: there is nothing to be done about it, or it was done already.
fn repair(
    session: &mut Session,
    error: &ModelError,
    done: &[Repair],
    outside: &mut dyn Surroundings,
) -> Result<Option<Repair>, SessionError> {
    match error.kind {
        ErrorKind::PromptTooLong { sent, limit }
            if !done.iter().any(|repair| matches!(repair, Repair::MadeRoom { .. })) =>
        {
            let before = session.view().tokens();
            let overflow = Overflow { sent, limit };
            Ok(match with_context(outside, |context| session.make_room(overflow, context))? {
                Room::Made => Some(Repair::MadeRoom { before, after: session.view().tokens() }),
                Room::NotFound => None,
            })
        }
        // Where thinking is required, its absence is what was refused: leaving out more of it helps nobody.
        ErrorKind::RefusedThinking if requires_thinking(session) => Ok(None),
        ErrorKind::RefusedThinking if !done.contains(&Repair::DroppedThinking) => {
            with_context(outside, |context| session.drop_thinking(context))?;
            Ok(Some(Repair::DroppedThinking))
        }
        _ => Ok(None),
    }
}
