//! Recording what was said: user turns and answers.

use super::{
    NewPart, RecordedTurn,
    counted_call::{CountedParts, count_parts, finished_calls},
};
use crate::{
    session::{Context, Session, SessionError},
    trace::{
        AssistantPart, AssistantTurn, CallNo, EventBody, Origin, Stop, TurnNo, UserTurn,
        event::{Interruption, Usage},
    },
};

impl Session {
    pub fn user_turn(
        &mut self,
        text: impl Into<String>,
        origin: Origin,
        context: &Context<'_>,
    ) -> Result<TurnNo, SessionError> {
        self.expect_idle()?;
        let text = text.into();
        let turn = self.index.next_turn();
        let user = (origin != Origin::Machine).then(|| self.index.users.len() as u32 + 1);
        let tokens = (context.count)(text.as_bytes());
        let user_turn = UserTurn { turn, text, tokens, origin, user, as_came: None };
        self.record(EventBody::UserTurn(Box::new(user_turn)), context)?;
        Ok(turn)
    }

    /// The answer to the call under way. Interrupted answers may be partial; their finished calls do not run.
    pub fn assistant_turn(
        &mut self,
        parts: Vec<NewPart>,
        stop: Stop,
        context: &Context<'_>,
    ) -> Result<RecordedTurn, SessionError> {
        let call = self.state.call.ok_or(SessionError::NoCallOpen)?;
        let turn = self.index.next_turn();
        let is_taken = |id: &str| self.index.call(id).is_some();
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
        self.record(ended, context)?;
        self.record(
            EventBody::AssistantTurn(Box::new(AssistantTurn {
                turn,
                call,
                parts: parts.into(),
                stop,
                native: native.into(),
                raw: None,
            })),
            context,
        )?;
        if stop.is_interrupted() {
            self.end_interrupted_step(context)?;
        }
        Ok(RecordedTurn { turn, calls })
    }

    /// What the provider billed for the last call.
    pub fn usage(&mut self, usage: Usage, context: &Context<'_>) -> Result<(), SessionError> {
        if usage.call > self.last_call() {
            return Err(SessionError::NoSuchModelCall { call: usage.call, last: self.last_call() });
        }
        self.record(EventBody::Usage(usage), context)
    }

    /// The number of the last call that was started, 0 before the first.
    pub fn last_call(&self) -> CallNo {
        CallNo(self.index.calls)
    }
}
