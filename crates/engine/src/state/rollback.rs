//! What a rollback leads back to.

use super::{PendingRules, State};
use crate::{
    history::{History, TraceError},
    ledger::Miss,
    trace::{EventNo, decision::ThinkingBehind, event::BoardIds},
};

impl State {
    /// The state as it stood at the end of the turn that a rollback leads to, rebuilt from the events that are live then; `event` is the rollback.
    pub(crate) fn rolled_back(
        &self,
        history: &History,
        board_ids: BoardIds,
        event: EventNo,
    ) -> Result<Self, TraceError> {
        let mut state = Self::new(history.start());
        for past in history.events_from(EventNo(1)).iter().take_while(|past| past.seq < event) {
            if history.is_live(past.seq) {
                if let Some((_, given)) = self.given_at.iter().find(|(rollback, _)| *rollback == past.seq) {
                    state.board.go_on_from(*given);
                }
                let misfit = |reason| TraceError::Misfit { event: past.seq, reason };
                state.apply(past, history).map_err(misfit)?;
            }
        }
        // What the rebuilt view went through is past; the one edit of the prompt is this rollback.
        state.view.take_change();
        state.view.note_change(0, Miss::RolledBack);
        state.keep_what_was_chosen(self);
        state.given_at.clone_from(&self.given_at);
        if board_ids == BoardIds::GoOn {
            state.board.go_on_from(self.board.given());
            state.given_at.push((event, self.board.given()));
        }
        if state.thinking_refused {
            state.apply_thinking(ThinkingBehind::Dropped, 0, event, history);
        }
        state.separate_users(0..state.view.entries().len(), history.index());
        Ok(state)
    }

    /// After a rollback: the model in use stays, and rules that came later wait to take effect again.
    fn keep_what_was_chosen(&mut self, before: &State) {
        self.model = before.model.clone();
        self.reconciled = before.reconciled;
        self.thinking_refused = before.thinking_refused;
        self.last_usage = None;
        let rules = match &before.pending_rules {
            Some(pending) => &pending.rules,
            None => &before.view.head().rules,
        };
        if *rules != self.view.head().rules {
            self.pending_rules = Some(PendingRules { rules: rules.clone(), announced: false });
        }
    }
}
