//! Edits that were decided and wait for their text.

use crate::{
    planner::{ArchiveDecision, FoldDecision},
    trace::decision::{Reach, TurnRange},
};

/// A fold that was decided and waits for its block.
#[derive(Debug, Clone, PartialEq)]
pub struct FoldDraft {
    pub range: TurnRange,
    pub reach: Reach,
    /// Tokens that the block may have beside the user's turns.
    pub budget: u32,
    /// What a person asked to keep in view.
    pub focus: Option<String>,
    pub trigger: String,
    pub decision: Option<FoldDecision>,
}

/// One repair that lists what was refused and why (docs/design/folding.md, "The compactors").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelAttempt {
    First,
    Repair,
}

/// An archive that was decided and waits for its summary.
#[derive(Debug, Clone, PartialEq)]
pub struct ArchiveDraft {
    pub range: TurnRange,
    pub trigger: String,
    pub decision: Option<ArchiveDecision>,
}
