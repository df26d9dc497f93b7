//! Recording a change of course: going back to an earlier turn, or branching off from one.

use crate::{
    session::{CardInUse, Context, Session, SessionError, index::TurnRecord},
    trace::{
        EventBody, EventNo, SessionId, TurnNo,
        event::{BoardIds, Rents},
    },
};

impl Session {
    /// View and board become what they were when `turn` was appended. No event is removed, no number used again.
    pub fn roll_back(&mut self, turn: TurnNo, context: &Context<'_>) -> Result<(), SessionError> {
        self.expect_idle()?;
        self.end_of_turn(turn)?;
        self.record(EventBody::RolledBack { turn, board_ids: BoardIds::GoOn, files: Box::default() }, context)?;
        self.watch.forget();
        self.refused_at = None;
        self.coming_rents = Rents::default();
        Ok(())
    }

    /// A new session that starts from the state at `turn`. Its trace shares all events up to there with this one; its
    /// first own event says where it came from, and its numbers go on.
    pub fn fork(&self, session: SessionId, turn: TurnNo, context: &Context<'_>) -> Result<Session, SessionError> {
        let end = self.end_of_turn(turn)?;
        let shared = self.trace[..=end.0 as usize].iter().cloned();
        let mut fork = Self::replay_for(shared, self.provider, context.blobs)?;
        fork.configure(self.configuration.clone());
        fork.compactor = self.compactor;
        if let Some(CardInUse { card, lifetime }) = self.card.clone() {
            fork.use_card(card, lifetime);
        }
        // In a fork of a fork the turn may lie before this session's own beginning: then its parent's parent is meant.
        let parent = fork.id.clone();
        fork.record(EventBody::Forked { session: session.into(), parent: parent.into(), turn }, context)?;
        Ok(fork)
    }

    /// The event with which a turn was complete: where a rollback to it, or a fork from it, begins.
    pub fn end_of_turn(&self, turn: TurnNo) -> Result<EventNo, SessionError> {
        let missing = SessionError::NoSuchTurn { turn, turns: self.turns() };
        let end = match self.index.turn(turn).ok_or(missing.clone())? {
            TurnRecord::User { event } => *event,
            TurnRecord::Assistant { event } => {
                let whole = TurnNo(turn.0 + 1);
                if self.index.tool_turn(whole).is_some_and(|step| step.assistant == *event) {
                    return Err(SessionError::SplitsStep { turn, whole });
                }
                *event
            }
            TurnRecord::Tool(step) => step.ended().ok_or(missing)?,
        };
        if self.is_live(end) { Ok(end) } else { Err(SessionError::TurnRolledBack(turn)) }
    }
}
