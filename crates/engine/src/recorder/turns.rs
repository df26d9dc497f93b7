//! Recording what was said: user turns, calls to a model, answers, bills.

use super::{
    Book, NewPart, RecordedTurn,
    answer::{CountedParts, count_parts, finished_calls},
    results::end_interrupted_step,
};
use crate::{
    context::Context,
    error::{SessionError, expect_idle},
    trace::{
        AsCame, AssistantPart, AssistantTurn, CallNo, EventBody, Origin, Stop, TurnNo, UserTurn,
        event::{CallDetails, Cold, Interruption, Rents, Usage},
    },
};

pub(crate) fn user_turn(
    book: &mut impl Book,
    (text, as_came): (String, Option<Box<AsCame>>),
    origin: Origin,
    context: &Context<'_>,
) -> Result<TurnNo, SessionError> {
    expect_idle(book.history())?;
    let index = book.history().index();
    let turn = index.next_turn();
    let user = (origin != Origin::Machine).then(|| index.users.len() as u32 + 1);
    let tokens = context.count_user(&text, as_came.as_deref());
    let user_turn = UserTurn { turn, text, tokens, origin, user, as_came };
    book.record(EventBody::UserTurn(Box::new(user_turn)), context)?;
    Ok(turn)
}

/// A call to a model begins. What holding back edits costs it is in `rents`.
pub(crate) fn start_call(
    book: &mut impl Book,
    rents: Rents,
    cold: Option<Cold>,
    details: Option<Box<CallDetails>>,
    context: &Context<'_>,
) -> Result<CallNo, SessionError> {
    let call = CallNo(book.history().index().calls + 1);
    let input_tokens = u32::try_from(book.tokens()).unwrap_or(u32::MAX);
    let rents = (rents != Rents::default()).then(|| Box::new(rents));
    let cold = cold.map(Box::new);
    book.record(EventBody::CallStarted { call, input_tokens, rents, cold, details }, context)?;
    Ok(call)
}

/// The answer to the call under way. Interrupted answers may be partial; their finished calls do not run.
pub(crate) fn assistant_turn(
    book: &mut impl Book,
    parts: Vec<NewPart>,
    stop: Stop,
    context: &Context<'_>,
) -> Result<RecordedTurn, SessionError> {
    let index = book.history().index();
    let call = index.answerable_call().ok_or(SessionError::NoCallOpen)?;
    let turn = index.next_turn();
    let is_taken = |id: &str| index.call(id).is_some();
    let CountedParts { parts, native } = count_parts(parts, turn, &is_taken, context);
    // An answer that ends in the middle of a call did not end by itself, whatever its provider says.
    let is_cut = parts.iter().any(|part| matches!(part, AssistantPart::Call { unfinished: true, .. }));
    let stop = if is_cut && stop == Stop::End { Stop::Cut } else { stop };
    let calls: Vec<String> = finished_calls(&parts).map(str::to_owned).collect();
    let ended = match stop {
        Stop::End | Stop::Limit => EventBody::CallEnded { call },
        Stop::Cancelled => EventBody::CallInterrupted { call, reason: Interruption::Cancelled },
        Stop::Cut => EventBody::CallInterrupted { call, reason: Interruption::Failed("stream cut".into()) },
    };
    book.record(ended, context)?;
    let answer = AssistantTurn { turn, call, parts: parts.into(), stop, native: native.into(), raw: None };
    book.record(EventBody::AssistantTurn(Box::new(answer)), context)?;
    if stop.is_interrupted() {
        end_interrupted_step(book, context)?;
    }
    Ok(RecordedTurn { turn, calls })
}

/// What the provider billed for a call.
pub(crate) fn usage(book: &mut impl Book, usage: Usage, context: &Context<'_>) -> Result<(), SessionError> {
    let last = CallNo(book.history().index().calls);
    if usage.call > last {
        return Err(SessionError::NoSuchModelCall { call: usage.call, last });
    }
    book.record(EventBody::Usage(usage), context)
}

/// Ends what is open: the call without an answer, the step with `interrupted` for every result that is missing.
pub(crate) fn interrupt(book: &mut impl Book, reason: Interruption, context: &Context<'_>) -> Result<(), SessionError> {
    let index = book.history().index();
    if let Some(call) = index.open_call() {
        return book.record(EventBody::CallInterrupted { call, reason }, context);
    }
    if let Some(turn) = index.open_step() {
        book.record(EventBody::StepInterrupted { turn, reason }, context)?;
    }
    end_interrupted_step(book, context)
}
