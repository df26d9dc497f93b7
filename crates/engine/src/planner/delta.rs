//! What asks for a state delta (seed workbench-state-flow 6.1): seldom, and never twice for the same evidence.

use serde::{Deserialize, Serialize};

use super::TriggerLimits;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeltaCause {
    SpanClosed,
    TodoClosed,
    /// A new error or stack trace.
    NewError,
    VerdictChanged,
    EditAfterDiagnosis,
    GateDecided,
}

#[derive(Debug, Clone)]
pub struct DeltaTriggers {
    least_steps: u32,
    /// Steps since the last delta was asked for; none before the first.
    steps: Option<u32>,
    new_evidence: bool,
    waiting: Option<DeltaCause>,
}

impl DeltaTriggers {
    pub fn new(limits: &TriggerLimits) -> Self {
        Self { least_steps: limits.delta_steps, steps: None, new_evidence: false, waiting: None }
    }

    /// Takes in a finished step: how many pieces of evidence it brought and what would ask for a delta. A cause that
    /// comes too early waits; the newest one speaks.
    pub fn apply_step(&mut self, evidence: u32, cause: Option<DeltaCause>) -> Option<DeltaCause> {
        self.steps = self.steps.map(|steps| steps + 1);
        self.new_evidence |= evidence > 0;
        self.waiting = cause.or(self.waiting);
        let early = self.steps.is_some_and(|steps| steps < self.least_steps);
        if early || !self.new_evidence {
            return None;
        }
        let cause = self.waiting.take()?;
        self.steps = Some(0);
        self.new_evidence = false;
        Some(cause)
    }
}
