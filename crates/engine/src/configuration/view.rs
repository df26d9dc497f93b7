//! How large a view may be, and how much of what enters it.

use super::share_of;

limits! {
    /// How much of the model's window is used.
    pub struct WindowLimits {
        /// The window, whatever the model's card says. None: the card's (docs/design/model.md, "The window").
        #[serde(skip_serializing_if = "Option::is_none")]
        pub tokens: Option<u32> = None,
        /// Where neither this configuration nor a card gives one. docs/seeds.md A6 and E5: 200,000.
        pub default_window: u32 = 200_000,
        /// The most that is kept free for an answer. docs/design/model.md, "The window": 32,000.
        pub max_output_reserve: u32 = 32_000,
        /// The part of the window that is kept free at most. docs/design/model.md, "The window": a quarter.
        pub reserve_share: f64 = 0.25,
        /// What may stay of a view that a provider calls too long without naming sizes, in per cent. Ours: a fold that
        /// does not take a quarter is refused anyway.
        pub room_without_sizes: u32 = 75,
    }
}

impl WindowLimits {
    /// docs/design/model.md, "The window": the configuration's if set, else the card's, else the default.
    pub fn window(&self, card: Option<u32>) -> u32 {
        self.tokens.or(card).unwrap_or(self.default_window)
    }

    /// How many tokens of the window are kept free for the answer.
    pub fn output_reserve(&self, max_output: Option<u32>, window: u32) -> u32 {
        max_output.unwrap_or(u32::MAX).min(self.max_output_reserve).min(share_of(window, self.reserve_share))
    }
}

limits! {
    /// How much of a step's results enters the view (docs/design/model.md, "Results").
    pub struct ResultLimits {
        /// A single result above this share of the window is shown by its ends. docs/design/model.md, "Results": a
        /// quarter.
        pub single_share: f64 = 0.25,
        /// All results of a step together get this share of what is free. docs/design/model.md, "Results": half.
        pub step_share: f64 = 0.5,
        /// Tokens of each end of a cut result. Ours: enough for the head of a log and the verdict at its end; peers
        /// show 2,000 to 10,000 tokens of a large output in all.
        pub edge_tokens: u32 = 2_000,
        /// An end is never larger than this share of the window, either. Ours: both ends of one result take a
        /// sixteenth.
        pub edge_share: f64 = 1.0 / 32.0,
        /// Above this many bytes for each token of the limit a text is cut without counting it: counting 256 MB would
        /// hold up the step. Ours: code and prose have 3 to 5 bytes a token; only long runs of blanks or dashes have
        /// more.
        pub most_bytes_per_token: usize = 32,
    }
}

limits! {
    /// Machine-made lines.
    pub struct NoteLimits {
        /// Open items that a todo recap lists (docs/seeds.md A1: the last part of the context). Ours: enough to know
        /// what to do next; the whole list is in the trace.
        pub todo_items: usize = 12,
        /// Files named with `@` that are pointed out, before "(and N more…)". docs/seeds.md A7: 5.
        pub mentioned_files: usize = 5,
    }
}

limits! {
    /// The `execute` layout.
    pub struct ExecuteLimits {
        /// The newest utterances that are shown; older ones go into one archive line. docs/seeds.md execute, limit:
        /// "如最近 30 条". User turns are not counted, they all stay (docs/design/model.md, "Layouts").
        pub utterances: usize = 30,
        /// An utterance above this many tokens shows its two ends and a pointer. Ours: the seed's are one or two
        /// sentences; an answer of a coding agent may be a page, and thirty pages would be no dialogue.
        pub longest_utterance: u32 = 400,
        /// Of a long one, what it says first and how it ends. With the line between them they stay below the limit.
        pub utterance_head: u32 = 240,
        /// Its end.
        pub utterance_tail: u32 = 100,
    }
}

/// How many bytes a token are tried first where the longest end of a text within some tokens is looked for. Ours: hardly
/// any text has more, and each further try is a quarter shorter.
pub(crate) const BYTES_TRIED: usize = 4;
