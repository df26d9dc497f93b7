//! What was billed, in each provider's own words. Does not know prices.

use crate::{TokenUsage, members::Members};

/// The newest figures that say something. Servers fill middle events with zeros, and some say the prompt's tokens at the
/// start and the answer's at the end.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Bill(Option<TokenUsage>);

impl Bill {
    pub(super) fn read(&mut self, new: TokenUsage) {
        let usage = self.0.get_or_insert_default();
        if new.prompt() > 0 {
            *usage = TokenUsage { output: usage.output, ..new };
        }
        if new.output > 0 {
            usage.output = new.output;
        }
    }

    /// None where the provider said nothing, or nothing but zeros.
    pub(super) fn total(self) -> Option<TokenUsage> {
        self.0.filter(|usage| *usage != TokenUsage::default())
    }
}

/// Anthropic counts apart what was read from the cache, written to it, and neither.
pub(super) fn parse_anthropic(usage: &Members<'_>) -> TokenUsage {
    let count = |name| fit(usage.number(name).unwrap_or(0));
    let lifetimes = usage.object("cache_creation").unwrap_or_default();
    let written_for = |name| fit(lifetimes.number(name).unwrap_or(0));
    TokenUsage {
        uncached: count("input_tokens"),
        cached: count("cache_read_input_tokens"),
        written: count("cache_creation_input_tokens"),
        output: count("output_tokens"),
        written_5m: written_for("ephemeral_5m_input_tokens"),
        written_1h: written_for("ephemeral_1h_input_tokens"),
    }
}

/// Chat Completions: `prompt_tokens` is all of them. DeepSeek says hits and misses instead of details.
pub(super) fn parse_chat(usage: &Members<'_>) -> TokenUsage {
    let details = usage.object("prompt_tokens_details").unwrap_or_default();
    let cached = details.number("cached_tokens").or_else(|| usage.number("prompt_cache_hit_tokens")).unwrap_or(0);
    let all =
        usage.number("prompt_tokens").unwrap_or_else(|| cached + usage.number("prompt_cache_miss_tokens").unwrap_or(0));
    parts(all, cached, &details, usage.number("completion_tokens"))
}

/// Responses: `input_tokens` is all of them.
pub(super) fn parse_responses(usage: &Members<'_>) -> TokenUsage {
    let details = usage.object("input_tokens_details").unwrap_or_default();
    let cached = details.number("cached_tokens").unwrap_or(0);
    parts(usage.number("input_tokens").unwrap_or(0), cached, &details, usage.number("output_tokens"))
}

fn parts(all: u64, cached: u64, details: &Members<'_>, output: Option<u64>) -> TokenUsage {
    let written = details.number("cache_write_tokens").unwrap_or(0);
    TokenUsage {
        uncached: fit(all.saturating_sub(cached + written)),
        cached: fit(cached),
        written: fit(written),
        output: fit(output.unwrap_or(0)),
        ..TokenUsage::default()
    }
}

/// No call has so many tokens; a server may say so all the same.
fn fit(tokens: u64) -> u32 {
    u32::try_from(tokens).unwrap_or(u32::MAX)
}
