//! The numbers that the board is held to, each with its source. What is done with them is not known here.

/// A `STATE_DELTA` as it is rendered: seed workbench-state-flow 7.1 and 10.1, "≤ 250 tokens".
pub const DELTA_TOKENS: u32 = 250;

/// A whole `STATE_BOARD`: design 2-model, "The board". Outside a block's own budget (seed 7.2: 800).
pub const BOARD_TOKENS: u32 = 600;

/// Seed workbench-state-flow 5.1 and 7.1: "next_actions: 1-3", against boards that become documents (10.2).
pub const NEXT_ACTIONS: std::ops::RangeInclusive<usize> = 1..=3;

/// How long an anchor may become when an edit inside it is taken over, unless it was longer before. Seed 5.1 asks for
/// the smallest snippet; twenty lines are about half a board.
pub const REFRESHED_ANCHOR_LINES: usize = 20;

/// How many stale anchors one delta names, so that a rewritten file does not eat its budget: eight are about a quarter
/// of it. The others wait for the next delta.
pub const STALE_PER_DELTA: usize = 8;

/// How many bytes of a pointer stand behind a count of what does not fit; a longer one would cost what it saves.
pub const MARKER_POINTER_BYTES: usize = 80;

/// How many characters are shown of a text that only has to be recognised: a retracted fact, the reason of an old goal.
pub const REMINDER_CHARACTERS: usize = 80;
