//! Where everything that is recorded goes: written as an event, and applied.

use super::{Session, ShownResults};
use crate::{
    configuration::Configuration,
    context::Context,
    edits::imported::is_decision,
    error::SessionError,
    history::{History, TraceError},
    recorder::Book,
    sent::CallInView,
    state::{Bench, State},
    trace::{Blobs, Event, EventBody, event::CallKind, result::TodoItem},
    view::{TOKENS_PER_MESSAGE, large::Room as RoomForResults},
};

impl Session {
    /// Applies one event: the only way in which a session changes.
    pub(super) fn apply(&mut self, event: Event, blobs: &dyn Blobs) -> Result<(), SessionError> {
        let seq = event.seq;
        self.sent.expect(&event.event, self.last_call(), self.state.reconciled);
        self.history.push(event)?;
        let Some(event) = self.history.events().last() else { return Ok(()) };
        let misfit = |reason| TraceError::Misfit { event: seq, reason };
        match &event.event {
            EventBody::Forked { .. } => {}
            EventBody::RolledBack { board_ids, .. } => {
                self.state = self.state.rolled_back(&self.history, *board_ids, seq)?;
                self.policy.archivable.set(None);
            }
            EventBody::ConfigurationChanged { configuration } => {
                // Settings that are unknown here change nothing: what was decided by them does not hold then.
                self.policy.recorded = Configuration::recorded(configuration).unwrap_or(self.policy.recorded.clone());
            }
            _ => self.state.apply(event, &self.history).map_err(misfit)?,
        }
        let bench = Bench { history: &self.history, state: &self.state };
        let provider = self.provider.unwrap_or_else(|| bench.provider());
        match &event.event {
            EventBody::CallStarted { call, cold, .. } if event.event.call_kind().is_none_or(CallKind::leaves_turn) => {
                let (call, at, cold) = (*call, event.at, cold.as_deref().copied());
                let change = self.state.view.take_change();
                let bench = Bench { history: &self.history, state: &self.state };
                let hour = self.policy.hour(self.sent.paused() || cold.is_some());
                self.sent.send(CallInView { call, at, cold, event: seq, hour, bench }, change, provider, blobs)?;
            }
            _ => self.sent.follow(event, bench, provider, blobs)?,
        }
        Ok(())
    }

    /// What is decided by stands in the trace before the decision, so that whoever checks it judges by the same. Claims
    /// name the newest event: before they are made, not between them and their record.
    pub(super) fn record_settings(&mut self, context: &Context<'_>) -> Result<(), SessionError> {
        if self.policy.recorded == self.policy.configuration {
            return Ok(());
        }
        let configuration = Box::new(self.policy.configuration.to_record());
        let event = EventBody::ConfigurationChanged { configuration };
        self.write(Event { seq: self.next_event(), at: context.now, event }, context.blobs)
    }
}

impl Book for Session {
    fn history(&self) -> &History {
        &self.history
    }

    fn view(&self) -> Option<&State> {
        Some(&self.state)
    }

    fn configuration(&self) -> &Configuration {
        &self.policy.configuration
    }

    fn todo(&self) -> Option<&[TodoItem]> {
        Some(&self.state.todo)
    }

    fn tokens(&self) -> u64 {
        self.state.view.tokens()
    }

    fn room(&self) -> Option<RoomForResults> {
        let model = &self.state.model;
        let used = self.state.view.tokens() + u64::from(model.reserve) + u64::from(TOKENS_PER_MESSAGE);
        let free = u64::from(model.window).saturating_sub(used) as u32;
        // What a guest's model is shown is not ours to cut.
        let cuts = self.results == ShownResults::AsThereIsRoom && !self.is_guest();
        cuts.then_some(RoomForResults { window: model.window, free })
    }

    fn record(&mut self, body: EventBody, context: &Context<'_>) -> Result<(), SessionError> {
        if is_decision(&body) || matches!(body, EventBody::NoteShown { .. }) {
            self.record_settings(context)?;
        }
        self.write(Event { seq: self.next_event(), at: context.now, event: body }, context.blobs)
    }

    fn write(&mut self, event: Event, blobs: &dyn Blobs) -> Result<(), SessionError> {
        if self.is_recording() {
            return Err(SessionError::Recording);
        }
        if self.is_guest() && is_of_ours(&event.event) {
            return Err(SessionError::Guest);
        }
        self.apply(event, blobs)
    }
}

/// What would put more of ours into a view than blocks, or take one out that is sent for ever.
fn is_of_ours(event: &EventBody) -> bool {
    let is_fold = matches!(event, EventBody::Fold(fold) if fold.board.is_none());
    let shows = matches!(
        event,
        EventBody::NoteShown { .. } | EventBody::RulesChanged { .. } | EventBody::Unfold(_) | EventBody::Pinned(_)
    );
    shows || is_decision(event) && !is_fold
}
