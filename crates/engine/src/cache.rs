//! The one model of a provider's prompt cache: which tokens of a call are read, written, or neither.
//!
//! Planner, ledger and replay ask the same [`CacheState`], so that what a fold was promised to cost is what replay
//! bills for it. It knows prompts as chains of named parts, marks and a clock; it knows no prices, no providers and no
//! text. Misses that no rule explains (about 3% of OpenAI's calls: docs/design/measuring.md, "What the bills say") are
//! not modelled.

mod breakpoints;
mod chain;
mod marks;
mod prefix;
mod rule;

pub use chain::{PartId, PromptChain};
pub use rule::{CacheRule, Covers};

use serde::{Deserialize, Serialize};

use crate::trace::Timestamp;
use breakpoints::Breakpoints;
use marks::Marks;
use prefix::Prefix;

/// The prompt of one call, split by how it is billed. The three add up to the whole prompt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Split {
    /// From the cache.
    pub read: u64,
    /// Into it.
    pub written: u64,
    /// Of those, for an hour.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub written_1h: u64,
    /// Neither.
    pub uncached: u64,
}

/// One call as the cache sees it.
#[derive(Debug, Clone, Copy)]
pub struct CachedCall<'a> {
    pub prompt: &'a PromptChain,
    /// How many parts lie before each mark, rising. Rules without marks do not look at them.
    pub marks: &'a [usize],
    /// Marks behind at most so many parts ask for an hour. Long entries stand before short ones: Anthropic refuses the
    /// other order.
    pub hour: usize,
    /// The answer in the parts that the next prompt will hold it in.
    pub answer: &'a [(PartId, u32)],
    pub now: Timestamp,
}

/// What a provider holds for one session, advanced call by call.
///
/// A call costs time for what is new in its prompt and for its marks, not for its length.
#[derive(Debug, Clone)]
pub struct CacheState {
    entries: Entries,
    lifetime_ms: Option<i64>,
    /// Of entries that are asked to live an hour, where that can be had.
    hour_ms: Option<i64>,
    last_call: Option<Timestamp>,
}

#[derive(Debug, Clone)]
enum Entries {
    None,
    Prefix(Prefix),
    Marks(Marks),
    Breakpoints(Breakpoints),
}

impl CacheState {
    /// Entries live `lifetime_ms` after their last use; without a lifetime they never go.
    pub fn new(rule: CacheRule, lifetime_ms: Option<i64>) -> Self {
        let entries = match rule {
            CacheRule::None => Entries::None,
            CacheRule::Prefix { unit, minimum, covers } => Entries::Prefix(Prefix::new(unit, minimum, covers)),
            CacheRule::Marks { marks, look_back, minimum } => Entries::Marks(Marks::new(marks, look_back, minimum)),
            CacheRule::Breakpoints { marks, considered, unit, minimum } => {
                Entries::Breakpoints(Breakpoints::new(marks, considered, unit, minimum))
            }
        };
        Self { entries, lifetime_ms, hour_ms: None, last_call: None }
    }

    /// The same where single marks can ask for a longer life.
    pub fn with_hour(self, hour_ms: Option<i64>) -> Self {
        let hour_ms = hour_ms.filter(|_| matches!(self.entries, Entries::Marks(_)));
        Self { hour_ms, ..self }
    }

    /// Whether nothing of this session is held any more but what was asked to live an hour. Before the first call nothing
    /// is.
    pub fn is_cold(&self, now: Timestamp) -> bool {
        match self.last_call {
            None => true,
            Some(last) => self.lifetime_ms.is_some_and(|lifetime| now.0 - last.0 > lifetime),
        }
    }

    /// Forgets everything, as a change of model does.
    pub fn forget(&mut self) {
        match &mut self.entries {
            Entries::None => {}
            Entries::Prefix(prefix) => prefix.forget(),
            Entries::Marks(marks) => marks.forget(),
            Entries::Breakpoints(breakpoints) => breakpoints.forget(),
        }
        self.last_call = None;
    }

    /// Bills one call and remembers what it left in the cache.
    pub fn apply_call(&mut self, call: &CachedCall<'_>) -> Split {
        let left_an_hour = |last: Timestamp| self.hour_ms.is_some_and(|hour| call.now.0 - last.0 <= hour);
        if self.is_cold(call.now) && !self.last_call.is_some_and(left_an_hour) {
            self.forget();
        }
        let since = |lifetime: Option<i64>| {
            Timestamp(lifetime.map_or(i64::MIN, |lifetime| call.now.0.saturating_sub(lifetime)))
        };
        let (alive_since, hour_since) = (since(self.lifetime_ms), self.hour_ms.map(|hour| since(Some(hour))));
        let previous = self.last_call.replace(call.now).unwrap_or(call.now);
        match &mut self.entries {
            Entries::None => Split { uncached: call.prompt.tokens(), ..Split::default() },
            Entries::Prefix(prefix) => prefix.apply_call(call, previous, alive_since),
            Entries::Marks(marks) => marks.apply_call(call, alive_since, hour_since),
            Entries::Breakpoints(breakpoints) => breakpoints.apply_call(call, alive_since),
        }
    }
}

impl Split {
    /// `read` tokens from the cache, stored up to `stored`, of a prompt of `all`.
    fn new(read: u64, stored: u64, all: u64) -> Self {
        let stored = stored.max(read);
        Self { read, written: stored - read, uncached: all - stored, written_1h: 0 }
    }

    pub fn tokens(&self) -> u64 {
        self.read + self.written + self.uncached
    }
}

fn is_zero(tokens: &u64) -> bool {
    *tokens == 0
}

/// Whole units of a length, or nothing below the minimum.
fn whole_units(tokens: u64, unit: u32, minimum: u32) -> u64 {
    let whole = tokens - tokens % u64::from(unit.max(1));
    if whole < u64::from(minimum) { 0 } else { whole }
}

#[cfg(test)]
mod tests;
