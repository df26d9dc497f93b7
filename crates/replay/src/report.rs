//! Reports: one object for programs, a table for a terminal, a page for a browser.

pub mod numbers;
pub mod page;
pub mod pictures;
pub mod summary;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::{
    measure::{Figures, competitive::Competitive},
    recording::Format,
};

/// A whole run over many sessions.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    pub sessions: Vec<SessionReport>,
}

#[derive(Debug, Clone, Serialize)]
pub struct SessionReport {
    pub file: String,
    pub format: Format,
    pub calls: u64,
    pub model: Option<String>,
    /// The price card by which it was billed.
    pub prices: String,
    /// In the order of the strategies' table, by name.
    pub strategies: BTreeMap<String, Figures>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub billed: Option<Bills>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub predicted: Option<Bills>,
    /// How well the cache model reproduces the bill, where one was recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<Check>,
    /// Both bills behind `competitive_ratio`, whole and without what no cut changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub competitive: Option<Competitive>,
    /// For pictures, not for programs.
    #[serde(skip)]
    pub pictures: Pictures,
}

/// What a provider billed, or would have by the cache model, over a whole session ("the check").
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Bills {
    pub calls: u64,
    pub input_tokens: u64,
    pub cached_tokens: u64,
    pub output_tokens: u64,
    pub cost: f64,
}

/// Call by call, what was billed as cached against what the model predicts (docs/measuring.md, "The check: are the
/// cache models right?"). First calls and calls after a compaction are not among the calls compared; unexplained misses
/// are counted apart.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Check {
    /// Whose bill it is: `anthropic`, `openai`, `deepseek`…
    pub provider: String,
    /// Calls compared, without the unexplained misses.
    pub calls: u64,
    /// Σ|predicted cached − billed cached| over them.
    pub difference_tokens: u64,
    /// Σ billed cached over them.
    pub cached_tokens: u64,
    /// Calls billed below half of what was predicted, with no rule that says why.
    pub unexplained_misses: u64,
    /// What these calls were predicted to read and did not.
    pub unexplained_tokens: u64,
}

impl Check {
    /// A session's check under the name of its provider.
    pub fn of(provider: &str, check: &crate::check::Check) -> Self {
        Self {
            provider: provider.to_owned(),
            calls: check.calls,
            difference_tokens: check.error_tokens,
            cached_tokens: check.billed_cached,
            unexplained_misses: check.unexplained.count,
            unexplained_tokens: check.unexplained.tokens,
        }
    }

    /// Σ|predicted cached − billed cached| / Σ billed cached; none where nothing was read from a cache.
    pub fn error(&self) -> Option<f64> {
        (self.cached_tokens > 0).then(|| self.difference_tokens as f64 / self.cached_tokens as f64)
    }

    pub fn add(&mut self, other: &Self) {
        self.calls += other.calls;
        self.difference_tokens += other.difference_tokens;
        self.cached_tokens += other.cached_tokens;
        self.unexplained_misses += other.unexplained_misses;
        self.unexplained_tokens += other.unexplained_tokens;
    }
}

/// Series for the page.
#[derive(Debug, Clone, Default)]
pub struct Pictures {
    /// By strategy: context tokens of each call.
    pub context: BTreeMap<String, Vec<u64>>,
    /// By strategy: calls before which something was folded, settled, masked…
    pub marks: BTreeMap<String, Vec<Mark>>,
    /// By strategy: the bill by kind of token, in uncached-input tokens.
    pub kinds: BTreeMap<String, BillByKind>,
    /// The dearest calls of `lookback`, with their reasons.
    pub dearest: Vec<Moment>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct BillByKind {
    pub read: f64,
    pub written: f64,
    pub uncached: f64,
    pub output: f64,
    pub compactor: f64,
    pub repairs: f64,
}

/// Something done to the view right before a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// Counted from 0.
    pub call: usize,
    /// `fold`, `settle`, `archive`, `summary`, `mask`, `clear`.
    pub what: &'static str,
    /// For a person: "turns 3–14 into block 1".
    pub note: String,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Moment {
    pub file: String,
    pub strategy: String,
    /// Counted from 0.
    pub call: usize,
    /// With compactor and repairs, in uncached-input tokens.
    pub cost: f64,
    /// Of the session's whole bill.
    pub share: f64,
    /// Tokens of the prompt.
    pub context: u64,
    pub why: String,
}

impl BillByKind {
    pub fn total(&self) -> f64 {
        self.read + self.written + self.uncached + self.output + self.compactor + self.repairs
    }

    pub fn add(&mut self, other: &Self) {
        self.read += other.read;
        self.written += other.written;
        self.uncached += other.uncached;
        self.output += other.output;
        self.compactor += other.compactor;
        self.repairs += other.repairs;
    }
}
