//! The prefix ledger: for each call what the provider could reuse, what it had to read anew, and why.
//!
//! It compares each prompt with the one sent before it, in the bytes of the session's provider. It knows no prices and no
//! provider's rounding; it says what is the same, not what was billed for it. Whether the bill agrees is asked in `check`.

pub(crate) mod verdict;

use std::{borrow::Cow, fmt};

pub use verdict::{CacheVerdict, Difference, Mismatch};

use crate::trace::{CallNo, Timestamp, event::Cold};

/// One call. Reused and written add up to the whole prompt.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct LedgerLine {
    /// Which one.
    pub call: CallNo,
    /// When it began.
    pub at: Timestamp,
    /// The bytes that the last prompt had, too.
    pub reused: Size,
    /// The others.
    pub written: Size,
    /// Why not all of it was reused. Never empty where something was written.
    pub reasons: Cow<'static, [Miss]>,
}

/// How much of a prompt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Size {
    pub tokens: u64,
    pub bytes: u64,
}

/// Why a part of a prompt was not in the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "each is worded by its `Display`")]
pub enum Miss {
    FirstCall,
    NewTurns,
    RulesChanged,
    ModelChanged,
    LayoutChanged,
    RolledBack,
    Fold(u32),
    Unfold(u32),
    Settle,
    /// Old blocks became stubs.
    Stub,
    Archive(u32),
    /// L1 is another one: it should be frozen.
    Drift,
    Cold(Cold),
    ThinkingDropped,
    /// It went to a compactor, with a question that no prompt had before.
    Compactor,
    /// A recorded agent made its own prompt shorter, which the recording's turns do not show.
    ClientCompaction,
}

impl fmt::Display for Miss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FirstCall => f.write_str("first call"),
            Self::NewTurns => f.write_str("new turns"),
            Self::RulesChanged => f.write_str("drift in L2 (rules changed)"),
            Self::ModelChanged => f.write_str("model changed"),
            Self::LayoutChanged => f.write_str("layout changed"),
            Self::RolledBack => f.write_str("rolled back"),
            Self::Fold(block) => write!(f, "fold#{block}"),
            Self::Unfold(block) => write!(f, "unfold#{block}"),
            Self::Settle => f.write_str("settle"),
            Self::Stub => f.write_str("stub"),
            Self::Archive(archive) => write!(f, "archive#{archive}"),
            Self::Drift => f.write_str("drift in L1 (system or tools)"),
            Self::ThinkingDropped => f.write_str("thinking dropped"),
            Self::Compactor => f.write_str("compactor's question"),
            Self::ClientCompaction => f.write_str("the agent's own compaction"),
            Self::Cold(Cold { idle_ms, lifetime_ms, base_held }) => {
                let base = if *base_held { ", the base an hour" } else { "" };
                let (idle, lifetime) = (Minutes(*idle_ms), Minutes(*lifetime_ms));
                write!(f, "cold: {idle} since the call before (entries live {lifetime}{base})")
            }
        }
    }
}

/// A time for people.
struct Minutes(i64);

impl fmt::Display for Minutes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 / 1_000 {
            seconds @ ..=119 => write!(f, "{seconds} s"),
            // Five minutes and some seconds are more than the five that entries live.
            seconds @ 120..=599 if seconds % 60 > 0 => write!(f, "{} min {} s", seconds / 60, seconds % 60),
            seconds @ 120..=7_199 => write!(f, "{} min", seconds / 60),
            seconds => write!(f, "{} h", seconds / 3_600),
        }
    }
}

/// Reused tokens over all tokens sent, or `None` before the first call.
pub(crate) fn reuse(lines: &[LedgerLine]) -> Option<f64> {
    let reused: u64 = lines.iter().map(|line| line.reused.tokens).sum();
    let sent: u64 = lines.iter().map(|line| line.reused.tokens + line.written.tokens).sum();
    (sent > 0).then(|| reused as f64 / sent as f64)
}

impl std::ops::Sub for Size {
    type Output = Size;

    fn sub(self, other: Size) -> Size {
        Size { tokens: self.tokens - other.tokens, bytes: self.bytes - other.bytes }
    }
}

impl std::ops::Add for Size {
    type Output = Size;

    fn add(self, other: Size) -> Size {
        Size { tokens: self.tokens + other.tokens, bytes: self.bytes + other.bytes }
    }
}

/// Tokens for people: 412, 1.3k, 12k.
pub(crate) struct Short(pub(crate) u64);

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            tokens @ ..=999 => write!(f, "{tokens}"),
            tokens => write!(f, "{:.1}k", tokens as f64 / 1_000.0),
        }
    }
}
