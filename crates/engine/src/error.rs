//! What a session refuses, by kind, with what to do about it.

mod refused;

pub use refused::{ArchiveRefused, BoardRefused, FoldRefused, LayoutRefused, PinRefused, UnfoldRefused};

use crate::{
    admission::{AdmissionRefused, Refusal},
    history::{History, TraceError, TurnError},
    trace::{BlobError, CallNo, TurnNo},
};

/// Why a session did not do what it was asked. Nothing was recorded, but where a variant says so.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the text of each says what it is")]
pub enum SessionError {
    /// Its decisions came from a file and were not what the engine makes of what happened.
    #[error("the session is a recording: it came from a file, and not all of what stands for its turns holds")]
    Recording,
    #[error("another program drives this session: nothing but its own folds may stand in its view")]
    Guest,
    #[error("no other program drives this session")]
    NotAGuest,
    #[error("the step of turn {0} still waits for tool results: record them, or interrupt it, first")]
    StepOpen(TurnNo),
    #[error("a model call is under way: record its answer, or interrupt it, first")]
    CallOpen,
    #[error("no model call is under way: start one before recording an answer")]
    NoCallOpen,
    #[error("there is nothing for the model to answer: add a user turn first")]
    NothingToAnswer,
    #[error(transparent)]
    WindowExceeded(WindowExceeded),
    #[error("the open step has no call \"{0}\"")]
    NoSuchCall(String),
    #[error("call \"{0}\" runs already")]
    AlreadyStarted(String),
    #[error("there was no call {call} yet: the last one was {last}")]
    NoSuchModelCall { call: CallNo, last: CallNo },
    #[error("gate#{0} was never asked")]
    NoSuchGate(u32),
    #[error("no span {0} is open")]
    NoSuchSpan(String),
    #[error("there is no turn {turn}: the session has {turns}")]
    NoSuchTurn { turn: TurnNo, turns: u32 },
    #[error("turn {0} was rolled back and is no longer part of the conversation")]
    TurnRolledBack(TurnNo),
    #[error("turn {turn} is only half of a step: choose turn {whole}, where the step is whole")]
    SplitsStep { turn: TurnNo, whole: TurnNo },
    #[error(transparent)]
    Fold(#[from] FoldRefused),
    #[error(transparent)]
    Unfold(#[from] UnfoldRefused),
    #[error(transparent)]
    Archive(#[from] ArchiveRefused),
    #[error(transparent)]
    Board(#[from] BoardRefused),
    #[error(transparent)]
    Layout(#[from] LayoutRefused),
    #[error(transparent)]
    Pin(#[from] PinRefused),
    #[error(transparent)]
    Trace(#[from] TraceError),
    #[error(transparent)]
    Blob(#[from] BlobError),
}

impl SessionError {
    /// The claims that were refused, where that is why.
    pub fn refusals(&self) -> &[Refusal] {
        match self {
            Self::Fold(FoldRefused::Admission(AdmissionRefused::Empty { refused })) => refused,
            _ => &[],
        }
    }
}

/// Between steps, with no call under way: where turns, notes and edits of the view may stand.
pub(crate) fn expect_idle(history: &History) -> Result<(), SessionError> {
    match (history.index().open_step(), history.index().open_call()) {
        (Some(turn), _) => Err(SessionError::StepOpen(turn)),
        (None, Some(_)) => Err(SessionError::CallOpen),
        (None, None) => Ok(()),
    }
}

/// Edits that a guest never gets.
pub(crate) fn expect_own(history: &History) -> Result<(), SessionError> {
    if history.start().is_guest() { Err(SessionError::Guest) } else { Ok(()) }
}

impl From<TurnError> for SessionError {
    fn from(error: TurnError) -> Self {
        match error {
            TurnError::NoSuchTurn { turn, turns } => Self::NoSuchTurn { turn, turns },
            TurnError::RolledBack(turn) => Self::TurnRolledBack(turn),
            TurnError::SplitsStep { turn, whole } => Self::SplitsStep { turn, whole },
        }
    }
}

/// The view is larger than what the model can take, and nothing more can be left out.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error(
    "the prompt has {input} tokens{}, {over} more than fit: window {window} − {reserve} for the answer = {limit}. System, \
     tools and rules take {head}, the newest step {newest}. Set a larger window, or start a new session",
    render_expected(*.input, *.expected),
    over = .expected.saturating_sub(u64::from(*.limit))
)]
#[allow(missing_docs, reason = "its text says what each is")]
pub struct WindowExceeded {
    pub input: u64,
    pub limit: u32,
    pub window: u32,
    pub reserve: u32,
    /// System, tools and rules.
    pub head: u64,
    /// From the last assistant turn on.
    pub newest: u64,
    /// What the provider is expected to bill for them, at least as many.
    pub expected: u64,
}

fn render_expected(input: u64, expected: u64) -> String {
    if expected > input { format!(" (by this provider's count {expected})") } else { String::new() }
}
