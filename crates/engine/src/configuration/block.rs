//! What a block is held to, and how long its author is waited for.

limits! {
    /// What a block is held to.
    #[derive(Eq)]
    pub struct BlockLimits {
        /// How much shorter than what it replaces a block must be, in per cent. docs/design/folding.md, "Admission":
        /// 25.
        pub saves_at_least: u32 = 25,
        /// docs/seeds.md 7.2: "next_actions: 1-3". The lower end is the model's to keep: a block without any is poor,
        /// not wrong.
        pub next_actions: usize = 3,
        /// A user turn above this many tokens shows its two ends and a pointer. docs/design/model.md, "User turns":
        /// 1,000.
        pub longest_user_turn: u32 = 1_000,
        /// Tokens of each end of such a turn. Ours: together with the line between them they stay below the limit.
        pub user_turn_edge: u32 = 450,
        /// The most tokens of the log of calls. Ours: measured, the calls of a block tell best what the agent does next
        /// (docs/design/measuring.md, "What a block keeps").
        pub log_tokens: u32 = 1_500,
        /// What the log may take of what came with the turns that it tells of, in per cent. Ours: every later call pays
        /// for it, so it has half of what a block's claims have (docs/measuring.md, "What each saving is worth").
        pub log_share: u32 = 3,
        /// It may take so many tokens whatever it tells of. Ours: half of the smallest block, too.
        pub log_least: u32 = 400,
        /// Tokens of all that is pinned, which stands outside of every budget. Ours: a large function and a long rule.
        pub pinned_tokens: u32 = 2_000,
    }
}

impl BlockLimits {
    /// The most tokens that the log of turns of so many may take.
    pub(crate) fn log_of(&self, came: u64) -> u32 {
        let share = came.saturating_mul(u64::from(self.log_share)) / 100;
        share.max(u64::from(self.log_least)).min(u64::from(self.log_tokens)) as u32
    }

    /// The most tokens that may stand for `replaced`, and `below` that by so many per cent of it.
    pub(crate) fn most_of(&self, replaced: u64, below: u32) -> u64 {
        replaced * u64::from(100_u32.saturating_sub(self.saves_at_least.saturating_add(below))) / 100
    }
}

limits! {
    /// The compactor that asks a model. The rules need no limits: they end by themselves.
    pub struct CompactorLimits {
        /// docs/design/folding.md, "The compactors": 120 seconds, as docs/seeds.md E2 gives the summary.
        pub timeout_seconds: u32 = 120,
        /// How often the model is told what was refused and asked again. docs/design/folding.md, "The compactors":
        /// once.
        pub repairs: u32 = 1,
        /// After so many refusals in a row the model is not asked any more. docs/design/folding.md, "The compactors":
        /// three.
        pub refusals_in_a_row: u32 = 3,
    }
}
