//! Every number of replay that is a setting, with its source. What a measure is defined by stands beside its computation,
//! and what the engine decides by in its own configuration.

/// Tokens. Strategies are compared under one window, also where a model's own is larger: the recorded agents would have
/// had to stop there.
pub(crate) const WINDOW: u64 = 200_000;

/// Tokens. The largest windows hold two million (Grok 4.1 Fast; ten were announced for Llama 4 Scout): a bill of ten times
/// as many is a number that somebody broke.
pub(crate) const LARGEST_BILL: u64 = 20_000_000;

/// `mask`, under SWE-agent's names (`last_n_observations` in `sweagent/agent/history_processors.py`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MaskParameters {
    /// Observations that stay: 10 in "The Complexity Trap" (Lindenbauer et al. 2025); SWE-agent's own first configuration
    /// had 5.
    pub n: usize,
    /// Steps between two changes; 1, SWE-agent's default: every step.
    pub polling: usize,
}

impl Default for MaskParameters {
    fn default() -> Self {
        Self { n: 10, polling: 1 }
    }
}

/// `mask-batched` and `mask-batched-10`: no peer publishes a number, so two are tried.
pub(crate) const POLLING: usize = 20;
pub(crate) const SHORT_POLLING: usize = 10;

/// `clear-tools`, under the names and with the defaults of Anthropic's `clear_tool_uses_20250919` (Claude API, "Context
/// editing").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ClearParameters {
    /// Input tokens, base included, above which results are cleared.
    pub trigger: u64,
    /// Tool uses that stay.
    pub keep: usize,
    /// Tokens. It has no default; the guide asks for one where prompts are cached, so that a broken cache is worth it.
    pub clear_at_least: u64,
}

impl Default for ClearParameters {
    fn default() -> Self {
        Self { trigger: 100_000, keep: 3, clear_at_least: 20_000 }
    }
}

impl ClearParameters {
    /// `anthropic-clear`: what happens when a customer names nothing but the strategy
    /// (platform.claude.com/docs/en/build-with-claude/context-editing, read 2026-11-16).
    pub(crate) fn documented() -> Self {
        Self { clear_at_least: 0, ..Self::default() }
    }
}

/// `head-summary`. Claude Code, Codex, goose (0.8 of the window) and OpenHands differ; one set of numbers stands for all.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SummaryParameters {
    /// Tokens of a prompt, base included, from which on the head is summarised.
    pub trigger: u64,
    /// Tokens of the newest turns that stay as they are, in whole steps, the newest at least: nobody has read it. None:
    /// everything is summarised, the newest step too.
    pub tail: Option<u64>,
    /// Tokens of a summary beside the user's words, as the engine counts them.
    pub budget: u32,
}

impl Default for SummaryParameters {
    fn default() -> Self {
        Self { trigger: WINDOW * 85 / 100, tail: Some(20_000), budget: 2_000 }
    }
}

impl SummaryParameters {
    /// `anthropic-compact`: the API's `compact_20260112` with its defaults. At 150,000 input tokens the whole conversation
    /// becomes one compaction block, and everything before the block is dropped
    /// (platform.claude.com/docs/en/build-with-claude/compaction-threshold, read 2026-11-16).
    pub(crate) fn anthropic() -> Self {
        Self { trigger: 150_000, tail: None, ..Self::default() }
    }

    /// `codex-compact`: at nine tenths of the window (`auto_compact_token_limit` in Codex's
    /// `codex-rs/protocol/src/openai_models.rs`) everything but what the user said becomes a summary (`compact.rs`, which
    /// keeps 20,000 tokens of it; read 2026-11-16).
    pub(crate) fn codex() -> Self {
        Self { trigger: WINDOW * 9 / 10, tail: None, ..Self::default() }
    }
}

/// Steps between two folds that `oracle` tries; the last one never folds.
pub(crate) const ORACLE_INTERVALS: [usize; 12] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, usize::MAX];

/// Characters. Minified files have lines that not even `oracle` would keep for a name in them.
pub(crate) const ORACLE_LONGEST_LINE: usize = 200;

/// Bytes of a session that is one document; it is read whole.
pub const DOCUMENT_LIMIT: u64 = 64 << 20;

/// Bytes that a JSON value takes beside its text, in a tree and in what is made of it: a call of a tool, 25 bytes in a file,
/// takes some 1,000 with its result.
pub(crate) const VALUE_WEIGHT: u64 = 512;

/// The same of a line or a number that is kept by itself.
pub(crate) const LINE_WEIGHT: u64 = 64;

/// Bytes of lines or messages that are held at once: a document, a session that is replayed. With what is made of them a
/// process stays below 512 MB.
pub(crate) const HELD_WEIGHT: u64 = 96 << 20;

/// The same of a response whose lines still come in, trees and all: it is written down as one event.
pub const OPEN_WEIGHT: u64 = 32 << 20;

/// Bytes that a line takes beside its text while a log is put together, and what becomes of it afterwards.
pub(crate) const LOG_LINE_WEIGHT: u64 = 1 << 10;

/// JSON values of which one tree is made: a line, or a message of a document. Some 700 bytes each at worst; recorded lines
/// have some hundreds.
pub(crate) const MOST_VALUES: usize = 100_000;

/// Lines of text in the same: of matches and changed lines each is kept by itself, some 120 bytes. Agents show a model some
/// thousands at most.
pub(crate) const MOST_LINES: usize = 1_000_000;

/// The same in an event of our own traces, whose tools print what they print: each line is found again by a number of its
/// own, some 56 bytes.
pub(crate) const MOST_OWN_LINES: usize = 4_000_000;

/// Bytes of the different texts that the steps of a session name, with what each takes beside its own: in a map, with the
/// pieces in which it was found. What is named behind them is not looked for. Recorded sessions stay below a megabyte.
pub(crate) const NAMED_WEIGHT: u64 = 48 << 20;
pub(crate) const NAME_WEIGHT: u64 = 128;

/// Bytes by which a text that is named is looked for together with others. Names are shorter; of lines and commands the end
/// says more than the beginning, which is blanks or `cd` into a long path.
pub(crate) const SOUGHT_END: usize = 32;

/// Texts that are looked for at once: all of any recorded session. So many of that length take some 60 MB.
pub(crate) const SOUGHT_AT_ONCE: usize = 30_000;

/// Places like `main.rs:134:` of files that steps read. Recorded sessions print some thousands.
pub(crate) const MOST_PRINTED: usize = 1_000_000;

/// Failed tests of a run that each later step is asked about.
pub(crate) const MOST_FAILED: usize = 100;

/// Messages of a document.
pub(crate) const MOST_MESSAGES: usize = 1_000_000;

/// Beginnings of objects that are looked at before a file is none of ours.
pub(crate) const DETECTED_OBJECTS: usize = 1_000;

/// Turns held behind an open response, texts in a person's queue, processes left running: more than a recorded client ever
/// had, and a bound on what a broken file costs.
pub(crate) const HELD: usize = 64;

/// Milliseconds. A session may rest for months; a time further than this from most of its others is no time of it.
pub(crate) const FAR_MS: u64 = 366 * 24 * 3_600_000;

/// Milliseconds. Lines of several threads stand in no strict order.
pub(crate) const DISORDER_MS: i64 = 24 * 3_600_000;

/// Below this many calls little can be folded: the comparison is told for longer sessions too.
pub(crate) const LONG_SESSION_CALLS: u64 = 60;

/// The dearest calls that a report tells.
pub(crate) const DEAREST_CALLS: usize = 10;

/// What makes up less of a call's cost is not among its reasons.
pub(crate) const WORTH_SAYING: f64 = 0.2;

/// Sums below this share of the whole are not worth a word.
pub(crate) const WORTH_A_WORD: f64 = 0.005;

/// More pictures of single sessions than this make a page that a browser opens slowly; the table has every session.
pub(crate) const SESSION_PICTURES: usize = 60;
