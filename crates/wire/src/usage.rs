//! What a provider billed for a call: the one type for it, from the reply that says so to the trace that keeps it.

use serde::{Deserialize, Serialize};

/// Tokens of one call. `uncached`, `cached` and `written` add up to the prompt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenUsage {
    /// Read anew, and not kept.
    pub uncached: u32,
    /// Read from the provider's cache.
    pub cached: u32,
    /// Written to it, for whatever time.
    pub written: u32,
    /// What the model wrote.
    pub output: u32,
    /// Of `written`: for five minutes. What is in neither of the two, the provider said no lifetime of.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub written_5m: u32,
    /// Of `written`: for an hour.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub written_1h: u32,
}

impl TokenUsage {
    /// The whole prompt.
    pub fn prompt(&self) -> u64 {
        [self.uncached, self.cached, self.written].map(u64::from).iter().sum()
    }
}

fn is_zero(tokens: &u32) -> bool {
    *tokens == 0
}
