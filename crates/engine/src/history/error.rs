//! What is wrong with a trace, or with a turn that somebody names.

use crate::trace::{EventNo, SessionId, TurnNo};

/// A trace that no session can have written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the text of each says what it is")]
pub enum TraceError {
    #[error("the trace is empty: its first event must be session_started")]
    Empty,
    #[error("event {0} is the first one, but it is not session_started")]
    NoStart(EventNo),
    #[error("event {found} stands where event {expected} belongs")]
    OutOfOrder { expected: EventNo, found: EventNo },
    #[error(
        "the trace was written by a newer version (event schema {found}, this one reads {supported}): upgrade lookback"
    )]
    NewerSchema { found: u32, supported: u32 },
    #[error("the trace needs renderer {found}, this version has {supported}: upgrade lookback")]
    NewerRenderer { found: u32, supported: u32 },
    #[error("event {event} does not fit: {reason}")]
    Misfit { event: EventNo, reason: String },
    #[error("session {0} is started twice")]
    StartedTwice(SessionId),
}

/// A turn that cannot be gone back to.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TurnError {
    #[error("there is no turn {turn}: the session has {turns}")]
    NoSuchTurn { turn: TurnNo, turns: u32 },
    #[error("turn {0} was rolled back and is no longer part of the conversation")]
    RolledBack(TurnNo),
    #[error("turn {turn} is only half of a step: choose turn {whole}, where the step is whole")]
    SplitsStep { turn: TurnNo, whole: TurnNo },
}
