//! What asks for a state delta (docs/seeds.md 6.1): seldom, and never twice for the same evidence.

use serde::{Deserialize, Serialize};

use super::TriggerLimits;

/// What the board should hear of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "each is worded by `words`")]
pub enum DeltaCause {
    SpanClosed,
    TodoClosed,
    /// A new error or stack trace.
    NewError,
    VerdictChanged,
    EditAfterDiagnosis,
    GateDecided,
}

impl DeltaCause {
    pub(crate) const ALL: [Self; 6] = [
        Self::SpanClosed,
        Self::TodoClosed,
        Self::NewError,
        Self::VerdictChanged,
        Self::EditAfterDiagnosis,
        Self::GateDecided,
    ];

    /// In words for the model.
    pub fn words(self) -> &'static str {
        match self {
            Self::SpanClosed => "a span was closed",
            Self::TodoClosed => "a todo item was closed",
            Self::NewError => "a new error came up",
            Self::VerdictChanged => "a test verdict changed",
            Self::EditAfterDiagnosis => "a diagnosed cause was edited",
            Self::GateDecided => "a gate was decided",
        }
    }
}

/// A function of what was recorded, so that it says the same after a restart: what was asked for or written is told to
/// it, and a request that was not acted on lapses with the next step.
#[derive(Debug, Clone)]
pub(crate) struct DeltaTriggers {
    least_steps: u32,
    /// Steps since the last delta was asked for or written; none before the first.
    steps: Option<u32>,
    new_evidence: bool,
    waiting: Option<DeltaCause>,
    /// A cause that came after the newest step; it is seen with the next one.
    late: Option<DeltaCause>,
    /// What asks for a delta with the newest step.
    due: Option<DeltaCause>,
}

impl DeltaTriggers {
    pub(crate) fn new(limits: &TriggerLimits) -> Self {
        Self { least_steps: limits.delta_steps, steps: None, new_evidence: false, waiting: None, late: None, due: None }
    }

    /// What asks for a delta now.
    pub(crate) fn due(&self) -> Option<DeltaCause> {
        self.due
    }

    /// Takes in a finished step: how many pieces of evidence it brought and what would ask for a delta. A cause that
    /// comes too early waits; the newest one speaks.
    pub(crate) fn apply_step(&mut self, evidence: u32, cause: Option<DeltaCause>) {
        self.steps = self.steps.map(|steps| steps + 1);
        self.new_evidence |= evidence > 0;
        self.waiting = cause.or(self.late.take()).or(self.waiting);
        self.due = if self.is_ripe() { self.waiting.take() } else { None };
    }

    /// A cause right behind the newest step.
    pub(crate) fn apply_cause(&mut self, cause: DeltaCause) {
        self.late = Some(cause);
        if self.is_ripe() {
            self.due = self.late;
        }
    }

    /// A delta was asked for or written; it answers every cause up to here.
    pub(crate) fn apply_delta(&mut self) {
        (self.waiting, self.late) = (None, None);
        self.apply_fold_delta();
    }

    /// A fold's delta tells of older turns: what waits goes on waiting.
    pub(crate) fn apply_fold_delta(&mut self) {
        self.steps = Some(0);
        self.new_evidence = false;
        self.due = None;
    }

    fn is_ripe(&self) -> bool {
        self.new_evidence && self.steps.is_none_or(|steps| steps >= self.least_steps)
    }
}
