//! How recall finds its way in a trace: by marks, which every event sets by itself.
//!
//! A session in memory and a store on disk both answer [`TraceLookup`]; neither needs to know what recall makes of it.

use std::borrow::Cow;

use super::RecallError;
use crate::trace::{Event, EventBody, EventNo};

/// A number that leads to events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark {
    /// What it counts.
    pub kind: MarkKind,
    /// From 1, unless its kind says otherwise.
    pub number: u32,
}

/// What a number counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MarkKind {
    /// A user or assistant turn, by its number.
    Turn,
    /// The starts of a tool turn's calls, by its number.
    Call,
    /// The results of a tool turn, late ones included, by its number.
    Result,
    /// The end of a tool turn, by its number.
    StepEnd,
    /// `user#N`: the turn.
    User,
    /// `cmd#N`: the start of the call.
    Command,
    /// `test#N`: the end of the step that holds it.
    Test,
    /// `gate#N`: the question, then its decision.
    Gate,
    /// The start of a span, by its number.
    SpanStart,
    /// Its end.
    SpanEnd,
    /// The start of a command in the background, by the tool turn of its call.
    JobStart,
    /// Its end, by its own number.
    JobEnd,
    /// All rollbacks; the number is always 0.
    Rollback,
}

/// A trace that can be asked for single events.
pub trait TraceLookup {
    /// Borrowed where the trace is in memory: an event can hold a whole output.
    fn event(&self, event: EventNo) -> Result<Cow<'_, Event>, RecallError>;

    /// The events that set a mark, in their order.
    fn marked(&self, mark: Mark) -> Result<Vec<EventNo>, RecallError>;

    /// The highest number that a mark has, plus one where they count from 0: how many there are.
    fn count(&self, kind: MarkKind) -> Result<u32, RecallError>;

    /// The `file observed` and `file changed` events of a path, in their order.
    fn seen(&self, path: &str) -> Result<Vec<EventNo>, RecallError>;

    /// How many turns had begun before an event.
    fn turns_before(&self, event: EventNo) -> Result<u32, RecallError>;
}

/// The marks that an event sets.
pub fn marks_of(event: &EventBody) -> Vec<Mark> {
    let mark = |kind, number| Mark { kind, number };
    match event {
        EventBody::UserTurn(turn) => {
            let user = turn.user.map(|number| mark(MarkKind::User, number));
            std::iter::once(mark(MarkKind::Turn, turn.turn.0)).chain(user).collect()
        }
        EventBody::AssistantTurn(turn) => vec![mark(MarkKind::Turn, turn.turn.0)],
        EventBody::ToolCall { turn, cmd, .. } => {
            let command = cmd.map(|number| mark(MarkKind::Command, number));
            std::iter::once(mark(MarkKind::Call, turn.0)).chain(command).collect()
        }
        EventBody::ToolResult { turn, .. } => vec![mark(MarkKind::Result, turn.0)],
        EventBody::StepEnded { turn, shown } => {
            let tests = shown.iter().filter_map(|shown| Some(mark(MarkKind::Test, shown.test?)));
            std::iter::once(mark(MarkKind::StepEnd, turn.0)).chain(tests).collect()
        }
        EventBody::GateAsked(gate) => vec![mark(MarkKind::Gate, gate.number)],
        EventBody::GateDecided(gate) => vec![mark(MarkKind::Gate, gate.number)],
        EventBody::SpanStarted { span, .. } => vec![mark(MarkKind::SpanStart, span.number)],
        EventBody::SpanEnded { span, .. } => vec![mark(MarkKind::SpanEnd, span.number)],
        EventBody::JobStarted(job) => vec![mark(MarkKind::JobStart, job.turn.0)],
        EventBody::JobEnded(job) => vec![mark(MarkKind::JobEnd, job.number)],
        EventBody::RolledBack { .. } => vec![mark(MarkKind::Rollback, 0)],
        _ => Vec::new(),
    }
}

impl MarkKind {
    /// As in a pointer, and as one says it.
    pub(super) fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Turn | Self::Call | Self::Result | Self::StepEnd => ("turn", "turn"),
            Self::User => ("user", "user turn"),
            Self::Command => ("cmd", "command"),
            Self::Test => ("test", "test run"),
            Self::Gate => ("gate", "gate"),
            Self::SpanStart | Self::SpanEnd => ("span", "span"),
            Self::JobStart | Self::JobEnd => ("job", "command in the background"),
            Self::Rollback => ("rollback", "rollback"),
        }
    }
}
