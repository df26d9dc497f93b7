//! Values that make no sense, each with its own kind. Whether a sensible value is a good one is not asked.

use super::{BadValue, Configuration, Keep};

/// `serde_json` reads no value that is deeper.
const DEEPEST: u64 = 128;

impl Configuration {
    /// The first value that makes no sense. Whoever builds a configuration otherwise than by parsing asks this.
    pub fn check(&self) -> Result<(), BadValue> {
        self.check_counts()?;
        self.check_shares()?;
        let Self { fold, block, board, settle, .. } = self;
        keeps("settle.entries", settle.entries)?;
        keeps("settle.snippet", settle.snippet)?;
        at_most("settle.depth", settle.depth as u64, DEEPEST)?;
        at_most("block.saves_at_least", u64::from(block.saves_at_least), 99)?;
        at_most("block.log_share", u64::from(block.log_share), 99)?;
        in_order("fold.block_least", fold.block_least, "fold.block_most", fold.block_most)?;
        let actions = board.next_actions;
        let most_actions = ("board.next_actions.most", actions.most as u64);
        in_order("board.next_actions.least", actions.least as u64, most_actions.0, most_actions.1)?;
        // Admission would let through what the board refuses.
        in_order("block.next_actions", block.next_actions as u64, most_actions.0, most_actions.1)?;
        if u64::from(block.user_turn_edge) * 2 >= u64::from(block.longest_user_turn) {
            return Err(BadValue::EdgesTooLong {
                edge: "block.user_turn_edge",
                tokens: block.user_turn_edge,
                limit: "block.longest_user_turn",
                limit_tokens: block.longest_user_turn,
            });
        }
        Ok(())
    }

    /// Counts for which 0 would mean nothing, never, or no time at all.
    fn check_counts(&self) -> Result<(), BadValue> {
        let Self {
            cache: _,
            window,
            fold,
            triggers,
            block,
            compactor,
            board,
            settle,
            archive,
            results,
            notes,
            execute,
        } = self;
        let counts = [
            ("window.tokens", u64::from(window.tokens.unwrap_or(window.default_window))),
            ("window.default_window", u64::from(window.default_window)),
            ("window.max_output_reserve", u64::from(window.max_output_reserve)),
            ("fold.keep_steps", u64::from(fold.keep_steps)),
            ("fold.block_least", fold.block_least),
            ("triggers.tool_calls", u64::from(triggers.tool_calls)),
            ("triggers.raw_share_calls", u64::from(triggers.raw_share_calls)),
            ("triggers.repeats", u64::from(triggers.repeats)),
            ("triggers.delta_steps", u64::from(triggers.delta_steps)),
            ("block.next_actions", block.next_actions as u64),
            ("block.user_turn_edge", u64::from(block.user_turn_edge)),
            ("compactor.timeout_seconds", u64::from(compactor.timeout_seconds)),
            ("compactor.refusals_in_a_row", u64::from(compactor.refusals_in_a_row)),
            ("board.delta_tokens", u64::from(board.delta_tokens)),
            ("board.board_tokens", u64::from(board.board_tokens)),
            ("board.rules_delta_tokens", u64::from(board.rules_delta_tokens)),
            ("board.rules_board_tokens", u64::from(board.rules_board_tokens)),
            ("board.next_actions.least", board.next_actions.least as u64),
            ("board.reminder_characters", board.reminder_characters as u64),
            ("settle.characters", settle.characters as u64),
            ("archive.keep_rounds", u64::from(archive.keep_rounds)),
            ("archive.messages", u64::from(archive.messages)),
            ("archive.bytes_per_token", u64::from(archive.bytes_per_token)),
            ("archive.timeout_seconds", u64::from(archive.timeout_seconds)),
            ("archive.summary_tokens", u64::from(archive.summary_tokens)),
            ("results.edge_tokens", u64::from(results.edge_tokens)),
            ("results.most_bytes_per_token", results.most_bytes_per_token as u64),
            ("notes.todo_items", notes.todo_items as u64),
            ("notes.mentioned_files", notes.mentioned_files as u64),
            ("execute.utterances", execute.utterances as u64),
            ("execute.longest_utterance", u64::from(execute.longest_utterance)),
        ];
        match counts.into_iter().find(|(_, value)| *value == 0) {
            Some((field, value)) => Err(BadValue::TooSmall { field, value, least: 1 }),
            None => Ok(()),
        }
    }

    fn check_shares(&self) -> Result<(), BadValue> {
        let Self { window, fold, triggers, archive, results, .. } = self;
        for (field, value, share) in [
            ("window.reserve_share", window.reserve_share, Share::Inside),
            ("fold.block_share", fold.block_share, Share::Inside),
            ("fold.gone_share", fold.gone_share, Share::BelowOne),
            ("fold.break_share", fold.break_share, Share::Any),
            ("triggers.raw_share", triggers.raw_share, Share::AboveZero),
            ("archive.at", archive.at, Share::AboveZero),
            ("archive.steps_share", archive.steps_share, Share::Any),
            ("results.single_share", results.single_share, Share::AboveZero),
            ("results.step_share", results.step_share, Share::AboveZero),
            ("results.edge_share", results.edge_share, Share::AboveZero),
        ] {
            if !share.holds(value) {
                return Err(BadValue::NoShare { field, value, range: share.words() });
            }
        }
        for (field, value) in
            [("fold.recalls_per_file", fold.recalls_per_file), ("fold.recalls_per_read", fold.recalls_per_read)]
        {
            // NaN is refused as well.
            if !(value >= 0.0 && value.is_finite()) {
                return Err(BadValue::Negative { field, value });
            }
        }
        Ok(())
    }
}

/// Which ends of 0 to 1 a share may have.
#[derive(Clone, Copy)]
enum Share {
    Any,
    AboveZero,
    BelowOne,
    Inside,
}

impl Share {
    /// Never true of NaN.
    fn holds(self, value: f64) -> bool {
        let low = matches!(self, Self::Any | Self::BelowOne) && value == 0.0;
        let high = matches!(self, Self::Any | Self::AboveZero) && value == 1.0;
        low || high || (value > 0.0 && value < 1.0)
    }

    fn words(self) -> &'static str {
        match self {
            Self::Any => "from 0 to 1",
            Self::AboveZero => "above 0 and at most 1",
            Self::BelowOne => "at least 0 and below 1",
            Self::Inside => "above 0 and below 1",
        }
    }
}

fn keeps(field: &'static str, keep: Keep) -> Result<(), BadValue> {
    let Keep { whole, head } = keep;
    if whole < head { Err(BadValue::HeadAboveWhole { field, whole, head }) } else { Ok(()) }
}

fn at_most(field: &'static str, value: u64, most: u64) -> Result<(), BadValue> {
    if value > most { Err(BadValue::TooLarge { field, value, most }) } else { Ok(()) }
}

fn in_order(lower: &'static str, least: u64, upper: &'static str, most: u64) -> Result<(), BadValue> {
    if least > most { Err(BadValue::Crossed { lower, least, upper, most }) } else { Ok(()) }
}
