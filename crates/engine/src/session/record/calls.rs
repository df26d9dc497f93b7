//! Recording calls to a model: the check before each, and what happens when one does not end well.

use crate::{
    ledger::LedgerLine,
    session::{Context, Session, SessionError, index::TurnRecord},
    trace::{
        Blobs, CallNo, EventBody, Timestamp,
        event::{Interruption, NoteKind, Rents},
    },
    view::{Entry, Source, recap::render_interrupted},
};

impl Session {
    /// Appends what has changed since the last call, checks the window, and opens a call. When the window is exceeded the
    /// refusal itself is recorded.
    pub fn start_call(&mut self, context: &Context<'_>) -> Result<CallNo, SessionError> {
        self.expect_idle()?;
        if self.ends_with_assistant() {
            if !self.state.last_stop.is_interrupted() {
                return Err(SessionError::NothingToAnswer);
            }
            self.note(NoteKind::Interrupted, "", render_interrupted(self.state.last_stop), context)?;
        } else if self.view().entries().iter().all(|entry| matches!(entry.source, Source::Note | Source::Board)) {
            return Err(SessionError::NothingToAnswer);
        }
        self.show_changed_notes(context)?;
        self.settle_always(context)?;
        self.make_it_fit(context)?;
        if let Err(exceeded) = self.check_window() {
            self.error("window_exceeded", exceeded.to_string(), context)?;
            return Err(SessionError::WindowExceeded(exceeded));
        }
        let call = CallNo(self.index.calls + 1);
        let input_tokens = u32::try_from(self.view().tokens()).unwrap_or(u32::MAX);
        let cold = self.cold(context.now).map(Box::new);
        let rents = std::mem::take(&mut self.coming_rents);
        let rents = (rents != Rents::default()).then(|| Box::new(rents));
        self.record(EventBody::CallStarted { call, input_tokens, rents, cold, details: None }, context)?;
        Ok(call)
    }

    /// What the ledger would say of a call made now, with the view as it stands. Nothing is recorded; the session is used
    /// up, because comparing prompts brings its bytes up to date as if the call had been made.
    pub fn plan_call(mut self, now: Timestamp, blobs: &dyn Blobs) -> Result<LedgerLine, SessionError> {
        let call = CallNo(self.index.calls + 1);
        let (reused, written, reasons) = self.sync_rendering((call, now), self.cold(now), blobs)?;
        Ok(LedgerLine { call, at: now, reused, written, reasons })
    }

    /// Ends what is open: the call without an answer, the step with `interrupted` for every result that is missing.
    pub fn interrupt(&mut self, reason: Interruption, context: &Context<'_>) -> Result<(), SessionError> {
        if let Some(call) = self.state.call {
            return self.record(EventBody::CallInterrupted { call, reason }, context);
        }
        if let Some(turn) = self.state.step {
            self.record(EventBody::StepInterrupted { turn, reason }, context)?;
        }
        self.end_interrupted_step(context)
    }

    /// To be called when a session is opened again: ends what a dead process left open, lets changed rules take effect,
    /// and where the cache is cold renders the history as the four parts of the `execute` layout.
    pub fn resume(&mut self, context: &Context<'_>) -> Result<(), SessionError> {
        self.interrupt(Interruption::Killed, context)?;
        self.let_rules_take_effect(context)?;
        self.enter_execute_when_cold(context)
    }

    fn ends_with_assistant(&self) -> bool {
        // Neither a board entry nor the request for one is something to answer.
        let says_something = |entry: &&Entry| match entry.source {
            Source::Board => false,
            Source::Note => {
                !matches!(self.body_of(entry.revision), EventBody::NoteShown { kind: NoteKind::BoardRequest, .. })
            }
            _ => true,
        };
        match self.view().entries().iter().rev().find(says_something).map(|entry| entry.source) {
            Some(Source::Turn(turn)) => matches!(self.index.turn(turn), Some(TurnRecord::Assistant { .. })),
            _ => false,
        }
    }
}
