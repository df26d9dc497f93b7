//! Traces that come from a file: replayed as any other, with every decision put to the engine again.

use super::Session;
use crate::{
    context::Context,
    edits::imported::{Doubt, is_decision, recheck, recheck_start},
    error::SessionError,
    history::TraceError,
    trace::{Event, EventBody, EventNo, start::Decisions},
};

/// A trace that was checked, and what came of it.
#[derive(Debug)]
pub struct Checked {
    /// What it replays to.
    pub session: Session,
    /// What its first event has to say.
    pub decisions: Decisions,
    /// What does not hold, where something does not.
    pub doubted: Option<Doubted>,
}

/// The first event that does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("event {event} does not hold: {doubt}")]
pub struct Doubted {
    /// Which one.
    pub event: EventNo,
    /// Why not.
    pub doubt: Doubt,
}

impl Session {
    /// Replays a trace that nobody vouches for. Its claims are admitted again, its texts written and everything counted
    /// again, by the settings that it records, and by the defaults where it records none.
    pub fn replay_checked(
        events: impl IntoIterator<Item = Event>,
        context: &Context<'_>,
    ) -> Result<Checked, SessionError> {
        let mut events = events.into_iter();
        let mut session = Self::from_first(events.next().ok_or(TraceError::Empty)?, None)?;
        let doubt_of = |event, held: Result<(), Doubt>| held.err().map(|doubt| Doubted { event, doubt });
        let mut doubted = doubt_of(EventNo(0), recheck_start(session.start_of(), context));
        let mut decided = false;
        // By this one the events of a result were made.
        let mut board = session.state.board().clone();
        for event in events {
            decided |= is_decision(&event.event);
            if matches!(event.event, EventBody::ToolResult { .. }) {
                board.clone_from(session.state.board());
            }
            if doubted.is_none() {
                doubted = doubt_of(event.seq, recheck(session.desk(), &event.event, &board, context));
            }
            session.apply(event, context.blobs)?;
            if session.policy.configuration != session.policy.recorded {
                session.configure(session.policy.recorded.clone());
            }
        }
        let decisions = match (doubted, decided) {
            (Some(_), _) => Decisions::Unchecked,
            (None, true) => Decisions::Checked,
            (None, false) => Decisions::Own,
        };
        Ok(Checked { session, decisions, doubted })
    }
}
