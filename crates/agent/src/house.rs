//! The caller: what a round needs from outside, what it tells, and why it could not go on.

use lookback_engine::{
    Context, Session, SessionError,
    report::{ArchiveReport, FoldReport, StubReport},
    trace::ToolResult,
};
use lookback_models::{
    ModelError,
    driving::{CallError, Called, Repair, Surroundings},
};
use lookback_tools::ToolName;
use serde_json::Value;

/// The caller: its clock, counter, store, and whoever watches.
pub trait House: Surroundings {
    /// Something happened that a person may want to see.
    fn tell(&mut self, news: &News<'_>);

    /// Whether a call may run that the rules leave to a person.
    fn ask(&mut self, question: &Question<'_>) -> Answer;
}

/// A call that waits for leave.
#[derive(Debug)]
pub struct Question<'a> {
    /// What would run.
    pub tool: ToolName,
    /// With what.
    pub arguments: &'a Value,
    /// Why it does not just run.
    pub why: &'a str,
}

/// What came of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Yes, this once.
    Once,
    /// Yes, and again without asking.
    Always,
    /// Said so before.
    Remembered,
    /// No, with what the model should know of it.
    No(Option<String>),
    /// There is nobody to ask.
    Nobody,
    /// The person wants the step ended.
    Stopped,
}

/// What happened.
#[derive(Debug)]
pub enum News<'a> {
    /// The model answered.
    Answered(&'a Called),
    /// A tool begins.
    Starts {
        /// Its name.
        tool: &'a str,
        /// As the model wrote them.
        arguments: &'a str,
    },
    /// A tool ended.
    Ran {
        /// Its name.
        tool: &'a str,
        /// As the model wrote them.
        arguments: &'a str,
        /// What it gave.
        result: &'a ToolResult,
    },
    /// A call may not run.
    Denied {
        /// Its name.
        tool: &'a str,
        /// In words.
        why: &'a str,
    },
    /// Old steps became a block. The problems are those of the model that was to write it.
    Folded(&'a FoldReport, &'a [String]),
    /// Old blocks were cut down to their heads while the cache was cold.
    Stubbed(&'a StubReport),
    /// Old rounds left the view.
    Archived(&'a ArchiveReport, &'a [String]),
    /// The project's rules are others now.
    RulesChanged,
    /// An answer that leaves no room for another was taken out of the view: its tokens.
    TookOut(u64),
    /// The files could not be kept before they are changed: these changes cannot be taken back.
    NotKept(&'a str),
    /// Files that are not kept, and why: what happens to them cannot be taken back.
    NotCovered(&'a [String]),
    /// The files are being kept, and that takes a while.
    Keeping,
    /// The view was changed so that the provider takes it.
    Repaired(Repair),
    /// The answer was cut off, and is asked for again.
    CutOff(&'a ModelError),
}

/// Why a round could not go on.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the text of each says what it is")]
pub enum AgentError {
    #[error(transparent)]
    Call(#[from] CallError),
    #[error("a tool broke down: its call is recorded as interrupted")]
    ToolPanicked,
}

/// Gives a recording method what it needs.
pub(crate) fn recorded<T>(
    house: &dyn House,
    record: impl FnOnce(&Context<'_>) -> Result<T, SessionError>,
) -> Result<T, CallError> {
    let count = |bytes: &[u8]| house.count(bytes);
    record(&Context { now: house.now(), count: &count, blobs: house.blobs() }).map_err(CallError::from)
}

pub(crate) fn keep(session: &mut Session, house: &mut dyn House) -> Result<(), CallError> {
    Ok(house.keep(session)?)
}
