//! The numbers that the board is held to when something is recorded. What its replay needs stands in [`super::fixed`].

limits! {
    /// What the board and its deltas are held to.
    pub struct BoardLimits {
        /// A `STATE_DELTA` as it is rendered. docs/seeds.md 7.1 and 10.1: "≤ 250 tokens".
        pub delta_tokens: u32 = 250,
        /// A whole `STATE_BOARD`. docs/design/model.md, "The board": 600. Outside a block's own budget (docs/seeds.md
        /// 7.2: 800).
        pub board_tokens: u32 = 600,
        /// The same where only rules write: docs/design/model.md, "Who writes deltas". What they know stands in the block
        /// before the board already, and every call pays for it (docs/measuring.md, "What each saving is worth").
        pub rules_delta_tokens: u32 = 60,
        /// As above: task, now, status, what is open and what is next.
        pub rules_board_tokens: u32 = 150,
        /// How many a delta must name if it names any.
        pub next_actions: ActionRange = ActionRange::default(),
        /// How many bytes of a pointer stand behind a count of what does not fit. Ours: a longer one would cost what
        /// the count saves.
        pub marker_pointer_bytes: usize = 80,
        /// How many characters are shown of a text that only has to be recognised: a retracted fact, the reason of an
        /// old goal. Ours: one line of a terminal.
        pub reminder_characters: usize = 80,
    }
}

impl BoardLimits {
    /// For what only rules write.
    pub(crate) fn by_rules(&self) -> Self {
        Self { delta_tokens: self.rules_delta_tokens, board_tokens: self.rules_board_tokens, ..*self }
    }
}

limits! {
    /// docs/seeds.md 5.1 and 7.1: "next_actions: 1-3", against boards that become documents (10.2).
    pub struct ActionRange {
        /// Fewer are refused, unless there are none.
        pub least: usize = 1,
        /// More are refused.
        pub most: usize = 3,
    }
}
