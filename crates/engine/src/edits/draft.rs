//! Edits that were decided and wait for their text.

use crate::{
    planner::{ArchiveDecision, FoldDecision},
    trace::decision::{Reach, TurnRange},
};

/// A fold that was decided and waits for its block.
#[derive(Debug, Clone, PartialEq)]
pub struct FoldDraft {
    /// The turns that the block replaces.
    pub range: TurnRange,
    /// How far the fold goes.
    pub reach: Reach,
    /// Tokens that the block may have beside the user's turns.
    pub budget: u32,
    /// What a person asked to keep in view.
    pub focus: Option<String>,
    /// What proposed it, in words.
    pub trigger: String,
    /// The planner's, where it was asked.
    pub decision: Option<FoldDecision>,
}

/// One repair that lists what was refused and why (docs/design/folding.md, "The compactors").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelAttempt {
    /// The first text.
    First,
    /// The second, after it was told what was refused.
    Repair,
}

/// An archive that was decided and waits for its summary.
#[derive(Debug, Clone, PartialEq)]
pub struct ArchiveDraft {
    /// The turns that the summary replaces.
    pub range: TurnRange,
    /// What proposed it, in words.
    pub trigger: String,
    /// The planner's, where it was asked.
    pub decision: Option<ArchiveDecision>,
}
