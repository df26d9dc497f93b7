//! When a fold pays, where it ends, and what proposes one.
//!
//! The window of 12 to 30 turns (docs/seeds.md 4.1) is no number here: it says "or by token budget", and that is how
//! the planner chooses a cut.

limits! {
    /// When folding pays, and what it leaves.
    pub struct FoldLimits {
        /// The newest steps, which a fold leaves raw. docs/seeds.md 6.2 says one or two; but 69% of the lines that an
        /// edit needs were last seen within five steps (docs/design/measuring.md, "What later steps need").
        pub keep_steps: u32 = 5,
        /// A block's budget in tokens. docs/seeds.md 7.2: 800.
        pub block_least: u64 = 800,
        /// docs/design/folding.md, "Rent or buy": at most 3,000.
        pub block_most: u64 = 3_000,
        /// Between the two, a block gets this share of what it replaces. Ours: 6% of a window's lines are needed later
        /// (docs/design/measuring.md, "What later steps need"); at the 22k that a steady session folds it gives 1,300
        /// tokens. Of 0.05, 0.06 and 0.07 it had the fewest repairs in replay (0.066 a call against 0.073), by hardly
        /// more than chance.
        pub block_share: f64 = 0.06,
        /// The newest blocks, which stay whole when older ones become stubs at a cold cache (docs/design/folding.md, "Old
        /// blocks"). Ours: what is needed of a block is needed soon; with two, recall fell by 0.005 and pointers by
        /// nothing.
        pub whole_blocks: u32 = 2,
        /// What must go at a cold cache, where nothing else asks for a price, and without prices.
        /// docs/design/folding.md, "Cold cache": 1,000 tokens.
        pub gone_least: u64 = 1_000,
        /// The share that every fold must take away. docs/design/folding.md, "Admission": a block that is not 25%
        /// shorter is refused.
        pub gone_share: f64 = 0.25,
        /// A fold ends at a logical break rather than later while it takes this share of what the later one would. A
        /// span chooses where a fold ends (docs/design/folding.md, "When"). Ours: the share is a judgement, not a
        /// measurement.
        pub break_share: f64 = 0.75,
        /// A guest's prompt above so many billed tokens is folded whatever it costs, where that takes a third of it away. Clients
        /// make their own history shorter when the usage that they are told comes near their window, and lose more by it
        /// than a fold costs (docs/gateway.md). Ours: below what the smallest windows in use, of some 60,000 tokens,
        /// leave beside an answer, with room for one more large result.
        pub guest_most: u64 = 44_000,
        /// How many Recalls a fold is expected to bring about for each file that is being edited and whose lines it
        /// takes away: its price rises by them, so it waits until a row of edits is over. docs/design/folding.md, "Rent
        /// or buy": the look-ups to be expected are part of the price. Ours: over 32 recorded sessions of Claude Code
        /// the cost with repairs was the same (0.586 of append) for 0, 1, 2, 4 and 8, and recall rose from 0.944 to
        /// 0.950 by 2.
        pub recalls_per_file: f64 = 2.0,
        /// The same for each file that was read lately and not changed yet: it may be the next one. Ours: of 0.5, 0.7,
        /// 1.0 and 1.5 over the same sessions this one had the fewest repairs (0.062 a call; the others 0.066 to
        /// 0.071).
        pub recalls_per_read: f64 = 1.0,
        /// A file is being edited while one of so many newest steps changed it. Ours: edits of a file come in rows.
        pub edits_in_a_row: u32 = 3,
        /// "Read lately" means within this many steps before the kept ones. Ours: of the lines that an edit needs 83%
        /// were seen within ten steps, and five are kept.
        pub read_lately: u32 = 5,
        /// Reads of fewer lines do not count. Ours.
        pub read_lines: u32 = 20,
    }
}

limits! {
    /// What proposes a fold or a delta.
    pub struct TriggerLimits {
        /// Consecutive tool calls. docs/seeds.md 6.2: 8 to 15.
        pub tool_calls: u32 = 12,
        /// Share of raw output in the foldable part. On docs/seeds.md 6.2: 0.7.
        pub raw_share: f64 = 0.7,
        /// Ours: the share is not asked for before this many tool calls, the low end of the seed's range, because a
        /// single read is always nearly all raw output.
        pub raw_share_calls: u32 = 8,
        /// Repeated reads and commands. On docs/seeds.md 6.2: 2.
        pub repeats: u32 = 2,
        /// At most one state delta in so many steps. On docs/seeds.md 6.1: 8.
        pub delta_steps: u32 = 8,
    }
}

/// A block that was refused is not tried again before the hot zone has grown by one part in so many. Ours: a block must
/// take a quarter away, so less growth would hardly change the answer.
pub(crate) const GROWN_SINCE_REFUSED: u64 = 4;

/// The end of L2, the seam, the previous tail and the tail each want a mark (docs/design/folding.md, "Marks").
pub(crate) const MARKS_NEEDED: usize = 4;

/// A guest whose client would soon make its own history shorter is folded where one part in so many of its prompt goes by
/// that. Ours: where less goes, the next calls ask for the same again, and each fold writes all behind it anew.
pub(crate) const GUEST_FOLDS: u64 = 3;
