//! Whether a provider billed a call's cache as its rule says; where it did not, what was expected, what was reported, and
//! what may be the reason.
//!
//! Expected is a [`Split`] in counted tokens, reported is a [`Usage`] in the provider's own. What was to be read is put
//! into the provider's tokens by the bill before ([`Reconciled`]): a prefix that is the whole last prompt has exactly its
//! size. Allowed for are one unit of the cache, 2% of the input, and as much as the estimate of the whole input is off.
//!
//! It compares one call at a time and knows neither prompts nor prices.

#[cfg(test)]
mod tests;

use std::fmt;

use lookback_wire::TokenUsage;

use super::Short;
use crate::{
    cache::{CacheRule, Split},
    configuration::estimates::{NEAR_MINIMUM, TOLERATED},
    reconcile::Reconciled,
    trace::event::Usage,
};

/// What became of a call's cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CacheVerdict {
    /// As the card says.
    AsExpected,
    /// Nothing was reported as cached in any call so far, by a kind of server of which many never do.
    NotReported,
    /// Otherwise.
    Mismatch(Mismatch),
}

/// In the provider's tokens: cached ones, or stored ones where those are missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Mismatch {
    /// In which way.
    pub difference: Difference,
    /// What the card says.
    pub expected: u64,
    /// What the bill says.
    pub reported: u64,
}

/// In which way a bill differs from what was expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Difference {
    /// Less than half of it was cached.
    Lost,
    /// Some of it was missing.
    LessCached,
    /// More was found than was known to be there.
    MoreCached,
    /// The prompt did not enter the cache, so the next call will find nothing.
    NotStored,
}

/// What the cache model says of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Expected {
    pub(crate) split: Split,
    pub(crate) rule: CacheRule,
    pub(crate) earlier: Earlier,
}

/// Whether the model of the cache has seen what was sent before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Earlier {
    /// Another session may have left anything in the cache.
    Unknown,
    Known,
}

/// What the provider says of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Report {
    pub(crate) usage: Usage,
    /// The bills before this one.
    pub(crate) before: Reconciled,
    pub(crate) caching: Caching,
}

/// Whether this model's calls ever reported a cached token.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Caching {
    #[default]
    NeverReported,
    Reported,
}

/// None where the two cannot be compared: nothing was billed, or most of what was billed was never counted.
pub(crate) fn check(expected: &Expected, report: &Report) -> Option<CacheVerdict> {
    let (split, usage) = (expected.split, report.usage);
    let input = usage.billed.prompt();
    if !crate::reconcile::is_believable(input, split.tokens()) {
        return None;
    }
    let cached = u64::from(usage.billed.cached);
    let read = if split.read == 0 { 0 } else { report.before.estimate(split.read).min(input) };
    let off = match expected.earlier {
        Earlier::Known => report.before.estimate(split.tokens()).abs_diff(input),
        Earlier::Unknown => 0,
    };
    let (unit, minimum) = granularity(expected.rule);
    let tolerance = unit + input / TOLERATED + off;
    // A provider's minimum is in its own tokens: near it, it is unknown on which side a prompt was.
    let is_large = read.max(cached) > minimum + minimum / NEAR_MINIMUM;
    let mismatch =
        |difference, expected, reported| Some(CacheVerdict::Mismatch(Mismatch { difference, expected, reported }));
    if is_large && cached + tolerance < read {
        if report.caching == Caching::NeverReported && matches!(expected.rule, CacheRule::Prefix { .. }) {
            return Some(CacheVerdict::NotReported);
        }
        return mismatch(Difference::of_less(cached, read), read, cached);
    }
    if is_large && expected.earlier == Earlier::Known && cached > read + tolerance {
        return mismatch(Difference::MoreCached, read, cached);
    }
    // Elsewhere what was written is not reported.
    if matches!(expected.rule, CacheRule::Marks { .. }) {
        let behind = (split.uncached as f64 * report.before.factor()) as u64;
        let should = if split.read + split.written == 0 { 0 } else { input.saturating_sub(behind) };
        let stored = cached + u64::from(usage.billed.written);
        if should > minimum + minimum / NEAR_MINIMUM && stored + tolerance < should {
            return mismatch(Difference::NotStored, should, stored);
        }
    }
    Some(CacheVerdict::AsExpected)
}

/// The unit and the minimum of a cache.
fn granularity(rule: CacheRule) -> (u64, u64) {
    let (unit, minimum) = match rule {
        CacheRule::None => (0, 0),
        CacheRule::Prefix { unit, minimum, .. } | CacheRule::Breakpoints { unit, minimum, .. } => (unit, minimum),
        CacheRule::Marks { minimum, .. } => (0, minimum),
    };
    (u64::from(unit), u64::from(minimum))
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (expected, reported) = (Short(self.expected), Short(self.reported));
        match self.difference {
            Difference::NotStored => write!(f, "{reported} stored, {expected} expected"),
            _ => write!(f, "{reported} cached, {expected} expected"),
        }
    }
}

impl Mismatch {
    /// Of a call that came while the cache was warm, appended to a prompt of which the bill says that so much was `left`
    /// there. For whoever knows no card, or a card that knows less than the bill.
    pub fn since(left: u64, billed: &TokenUsage) -> Option<Self> {
        let (reported, input) = (u64::from(billed.cached), billed.prompt());
        // A prompt below what was there is not the one before with something behind it.
        if input < left || reported + input / TOLERATED >= left {
            return None;
        }
        Some(Self { difference: Difference::of_less(reported, left), expected: left, reported })
    }
}

impl Difference {
    fn of_less(reported: u64, expected: u64) -> Self {
        if reported < expected / 2 { Self::Lost } else { Self::LessCached }
    }

    /// What may be the reason, in a clause.
    pub fn likely(self) -> &'static str {
        match self {
            Self::Lost => {
                "the provider may have dropped the entry, answered from another machine, or counts another prefix"
            }
            Self::LessCached => "the provider found an older entry, or reads the prompt otherwise from there on",
            Self::MoreCached => "entries live longer than the card says, or another session left them",
            Self::NotStored => "the marks did not arrive, or the provider does not store prompts like this one",
        }
    }
}
