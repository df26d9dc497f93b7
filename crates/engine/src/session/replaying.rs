//! Applying events that were recorded before: no trigger, rule or counter runs again.

use lookback_wire::Provider;

use super::Session;
use crate::{
    card::{Card, Lifetime},
    context::Context,
    error::SessionError,
    history::TraceError,
    policy::CardInUse,
    recorder::Book,
    trace::{Blobs, Event, EventBody, SessionId, TurnNo},
};

/// A replay that takes its events one by one, so that a long trace need not be in memory twice.
pub struct Replay<'a> {
    session: Option<Session>,
    provider: Option<Provider>,
    card: Option<(Card, Lifetime)>,
    blobs: &'a dyn Blobs,
}

impl std::fmt::Debug for Replay<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Replay").field("session", &self.session).finish_non_exhaustive()
    }
}

impl<'a> Replay<'a> {
    /// Prompts are written for `provider`, or for the recorded one.
    pub fn new(provider: Option<Provider>, blobs: &'a dyn Blobs) -> Self {
        Self { session: None, provider, card: None, blobs }
    }

    /// Bills the calls from here on by this card: the model changed. Before the first event it is the card of all.
    pub fn use_card(&mut self, card: Card, lifetime: Lifetime) {
        match &mut self.session {
            Some(session) => session.use_card(card, lifetime),
            None => self.card = Some((card, lifetime)),
        }
    }

    /// The next event of the trace.
    pub fn push(&mut self, event: Event) -> Result<(), SessionError> {
        match &mut self.session {
            Some(session) => session.apply(event, self.blobs),
            None => {
                let mut session = Session::from_first(event, self.provider)?;
                if let Some((card, lifetime)) = self.card.take() {
                    session.use_card(card, lifetime);
                }
                self.session = Some(session);
                Ok(())
            }
        }
    }

    /// The session as it stood after the last event; none before the first.
    pub fn session(&self) -> Option<&Session> {
        self.session.as_ref()
    }

    /// The session after the last event.
    pub fn finish(self) -> Result<Session, SessionError> {
        Ok(self.session.ok_or(TraceError::Empty)?)
    }
}

impl Session {
    /// Applies a recorded trace. No trigger, rule or counter runs again.
    pub fn replay(events: impl IntoIterator<Item = Event>, blobs: &dyn Blobs) -> Result<Self, SessionError> {
        Self::replay_for(events, None, blobs)
    }

    /// The same, with prompts written for another provider than the recorded one.
    pub(crate) fn replay_for(
        events: impl IntoIterator<Item = Event>,
        provider: Option<Provider>,
        blobs: &dyn Blobs,
    ) -> Result<Self, SessionError> {
        let mut replay = Replay::new(provider, blobs);
        events.into_iter().try_for_each(|event| replay.push(event))?;
        replay.finish()
    }

    /// A new session that starts from the state at `turn`. Its trace shares all events up to there with this one; its
    /// first own event says where it came from, and its numbers go on.
    pub fn fork(&self, session: SessionId, turn: TurnNo, context: &Context<'_>) -> Result<Session, SessionError> {
        let end = self.history.end_of_turn(turn)?;
        let shared = self.trace()[..=end.0 as usize].iter().cloned();
        let mut fork = Self::replay_for(shared, self.provider, context.blobs)?;
        fork.configure(self.policy.configuration.clone());
        fork.policy.compactor = self.policy.compactor;
        if let Some(CardInUse { card, lifetime }) = self.policy.card.clone() {
            fork.use_card(card, lifetime);
        }
        // In a fork of a fork the turn may lie before this session's own beginning: then its parent's parent is meant.
        let parent = fork.id().clone();
        fork.record(EventBody::Forked { session: session.into(), parent: parent.into(), turn }, context)?;
        Ok(fork)
    }
}
