//! Recording calls to a model: the check before each, and what happens when one does not end well.

use crate::{
    session::{Context, Session, SessionError, WindowExceeded, index::TurnRecord},
    trace::{
        CallNo, EventBody,
        event::{Effect, Interruption, NoteKind},
    },
    view::{Source, recap::render_interrupted},
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
        } else if self.view().entries().is_empty() {
            return Err(SessionError::NothingToAnswer);
        }
        self.show_changed_notes(context)?;
        if let Err(exceeded) = self.check_window() {
            let kind = "window_exceeded".to_owned();
            self.record(EventBody::Error { kind, message: exceeded.to_string() }, context)?;
            return Err(SessionError::WindowExceeded(exceeded));
        }
        let call = CallNo(self.index.calls + 1);
        let input_tokens = u32::try_from(self.view().tokens()).unwrap_or(u32::MAX);
        self.record(EventBody::CallStarted { call, input_tokens }, context)?;
        Ok(call)
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

    /// To be called when a session is opened again: ends what a dead process left open, and lets changed rules take effect.
    pub fn resume(&mut self, context: &Context<'_>) -> Result<(), SessionError> {
        self.interrupt(Interruption::Killed, context)?;
        if let Some(rules) = self.state.pending_rules.as_ref().map(|pending| pending.rules.clone()) {
            self.record(EventBody::RulesChanged { rules, effect: Effect::Now }, context)?;
        }
        Ok(())
    }

    /// The window is law: nothing is sent that does not fit with its answer.
    pub fn check_window(&self) -> Result<(), WindowExceeded> {
        let (window, reserve) = (self.state.model.window, self.state.model.reserve);
        let limit = window - reserve.min(window);
        let input = self.view().tokens();
        if input <= u64::from(limit) {
            return Ok(());
        }
        let entries = self.view().entries();
        let newest = match self.state.steps.last().and_then(|step| self.view().position(step.assistant)) {
            Some(position) => &entries[position..],
            None => entries,
        };
        let newest = newest.iter().map(|entry| u64::from(entry.tokens)).sum();
        Err(WindowExceeded { input, limit, window, reserve, head: self.view().head().tokens(), newest })
    }

    fn ends_with_assistant(&self) -> bool {
        match self.view().entries().last().map(|entry| entry.source) {
            Some(Source::Turn(turn)) => matches!(self.index.turn(turn), Some(TurnRecord::Assistant { .. })),
            _ => false,
        }
    }
}
