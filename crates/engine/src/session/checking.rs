//! Traces that come from a file: replayed as any other, with every decision put to the engine again.

use super::Session;
use crate::{
    configuration::Configuration,
    context::Context,
    edits::recheck::{Doubt, is_decision, recheck},
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
    /// Replays a trace that nobody vouches for. Its claims are admitted again, its texts written and counted again, by
    /// these settings: a session that was folded by others is doubted, too.
    pub fn replay_checked(
        events: impl IntoIterator<Item = Event>,
        configuration: Configuration,
        context: &Context<'_>,
    ) -> Result<Checked, SessionError> {
        let mut events = events.into_iter();
        let mut session = Self::from_first(events.next().ok_or(TraceError::Empty)?, None)?;
        session.configure(configuration);
        let (mut decided, mut doubted) = (false, None);
        // By this one the events of a result were made.
        let mut board = session.state.board().clone();
        for event in events {
            decided |= is_decision(&event.event);
            if matches!(event.event, EventBody::ToolResult { .. }) {
                board.clone_from(session.state.board());
            }
            if doubted.is_none()
                && let Err(doubt) = recheck(session.desk(), &event.event, &board, context)
            {
                doubted = Some(Doubted { event: event.seq, doubt });
            }
            session.apply(event, context.blobs)?;
        }
        let decisions = match (doubted, decided) {
            (Some(_), _) => Decisions::Unchecked,
            (None, true) => Decisions::Checked,
            (None, false) => Decisions::Own,
        };
        Ok(Checked { session, decisions, doubted })
    }
}
