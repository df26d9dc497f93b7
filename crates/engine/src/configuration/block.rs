//! What a block is held to, and how long its author is waited for.

use serde::{Deserialize, Serialize};

/// What every block is held to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BlockLimits {
    /// How much shorter than what it replaces a block must be, in per cent. docs/design/folding.md, "Admission": 25.
    pub saves_at_least: u32,
    /// docs/seeds.md 7.2: "next_actions: 1-3". The lower end is the model's to keep: a block without any is poor, not
    /// wrong.
    pub next_actions: usize,
    /// A user turn above this many tokens shows its two ends and a pointer. docs/design/model.md, "User turns": 1,000.
    pub longest_user_turn: u32,
    /// Tokens of each end of such a turn. Ours: together with the line between them they stay below the limit.
    pub user_turn_edge: u32,
}

impl Default for BlockLimits {
    fn default() -> Self {
        Self { saves_at_least: 25, next_actions: 3, longest_user_turn: 1_000, user_turn_edge: 450 }
    }
}

/// Characters of a command in a block. Ours: longer ones are mostly scripts in quotes, and are recognised by their
/// beginning. No setting: the pointer beside it has the rest.
pub(crate) const LONGEST_COMMAND: usize = 160;

/// The compactor that asks a model. The rules need no limits: they end by themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CompactorLimits {
    /// docs/design/folding.md, "The compactors": 120 seconds, as docs/seeds.md E2 gives the summary.
    pub timeout_seconds: u32,
    /// How often the model is told what was refused and asked again. docs/design/folding.md, "The compactors": once.
    pub repairs: u32,
    /// After so many refusals in a row the model is not asked any more. docs/design/folding.md, "The compactors":
    /// three.
    pub refusals_in_a_row: u32,
}

impl Default for CompactorLimits {
    fn default() -> Self {
        Self { timeout_seconds: 120, repairs: 1, refusals_in_a_row: 3 }
    }
}
