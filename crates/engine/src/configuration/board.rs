//! The numbers that the board is held to when something is recorded. What its replay needs stands in [`super::fixed`].

use serde::{Deserialize, Serialize};

/// How long deltas and boards may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BoardLimits {
    /// A `STATE_DELTA` as it is rendered. docs/seeds.md 7.1 and 10.1: "≤ 250 tokens".
    pub delta_tokens: u32,
    /// A whole `STATE_BOARD`. docs/design/model.md, "The board": 600. Outside a block's own budget (docs/seeds.md 7.2:
    /// 800).
    pub board_tokens: u32,
    /// How many a delta must name if it names any.
    pub next_actions: ActionRange,
    /// How many bytes of a pointer stand behind a count of what does not fit. Ours: a longer one would cost what the
    /// count saves.
    pub marker_pointer_bytes: usize,
    /// How many characters are shown of a text that only has to be recognised: a retracted fact, the reason of an old
    /// goal. Ours: one line of a terminal.
    pub reminder_characters: usize,
}

impl Default for BoardLimits {
    fn default() -> Self {
        Self {
            delta_tokens: 250,
            board_tokens: 600,
            next_actions: ActionRange::default(),
            marker_pointer_bytes: 80,
            reminder_characters: 80,
        }
    }
}

/// docs/seeds.md 5.1 and 7.1: "next_actions: 1-3", against boards that become documents (10.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ActionRange {
    /// If any.
    pub least: usize,
    /// Of all.
    pub most: usize,
}

impl Default for ActionRange {
    fn default() -> Self {
        Self { least: 1, most: 3 }
    }
}
