//! Published prices, and what they are relative to one uncached input token.
//!
//! Decisions and costs are counted in uncached-input tokens of a prompt of usual size; dollars are for people.

use serde::{Deserialize, Serialize};

use super::Lifetime;
use crate::cache::Split;

/// Dollars per million tokens, as published on a day.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Prices {
    /// `YYYY-MM` or `YYYY-MM-DD`.
    pub date: String,
    /// Where it was published.
    pub source: String,
    /// The model whose prices these are, where none are known of the card's own.
    pub lent_by: Option<String>,
    /// Of prompts of usual size.
    #[serde(flatten)]
    pub usual: TokenPrices,
    /// Of longer ones, where they cost more.
    pub long: Option<LongPrices>,
}

/// Dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TokenPrices {
    /// A token that no cache holds.
    pub input: f64,
    /// A token read from the cache.
    pub cached_read: f64,
    /// A token that is written to it.
    pub cache_write: f64,
    /// The same for an hour, where that is offered.
    pub cache_write_1h: Option<f64>,
    /// A token of the answer.
    pub output: f64,
}

/// By these a whole call is billed, answer and all, once its prompt is larger than a size.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LongPrices {
    /// The largest prompt that is still billed as usual, in tokens.
    pub above: u32,
    /// What it costs beyond.
    #[serde(flatten)]
    pub prices: TokenPrices,
}

/// Prices per token relative to an uncached input token: r, w and o of docs/design/folding.md, "Rent or buy".
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Rates {
    /// From the cache.
    pub read: f64,
    /// Into the cache.
    pub write: f64,
    /// Of an answer.
    pub output: f64,
}

/// What a call with a long prompt costs, in uncached-input tokens of usual ones.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LongRates {
    /// The largest prompt that is still billed as usual, in tokens.
    pub above: u64,
    /// An uncached input token.
    pub input: f64,
    /// The others.
    pub rates: Rates,
}

impl Prices {
    /// For a session whose entries are asked to live so long.
    pub fn rates(&self, lifetime: Lifetime) -> Rates {
        self.usual.over(self.usual.input, lifetime)
    }

    /// By which prices a prompt of so many tokens is billed: above this size, or 0 for the usual ones.
    pub fn tier(&self, prompt: u64) -> u64 {
        self.long.map(|long| u64::from(long.above)).filter(|above| prompt > *above).unwrap_or(0)
    }

    /// The prices of a tier.
    pub fn at_tier(&self, tier: u64) -> TokenPrices {
        self.long.filter(|_| tier > 0).map_or(self.usual, |long| long.prices)
    }

    /// What an uncached input token and the others cost in a prompt of so many tokens.
    pub fn at(&self, prompt: u64, lifetime: Lifetime) -> (f64, Rates) {
        match self.long_rates(lifetime).filter(|long| long.apply_to(prompt as f64)) {
            Some(long) => (long.input, long.rates),
            None => (1.0, self.rates(lifetime)),
        }
    }

    /// What a call costs, in uncached-input tokens of usual prompts. What was written for an hour has its own price.
    pub fn cost(&self, prompt: &Split, output: u64, lifetime: Lifetime) -> f64 {
        let (input, rates) = self.at(prompt.tokens(), lifetime);
        let (_, hour) = self.at(prompt.tokens(), Lifetime::OneHour);
        rates.cost(prompt, output)
            + (hour.write - rates.write) * prompt.written_1h as f64
            + (input - 1.0) * prompt.uncached as f64
    }

    /// Of long prompts, where they have prices of their own.
    pub fn long_rates(&self, lifetime: Lifetime) -> Option<LongRates> {
        let LongPrices { above, prices } = self.long?;
        let input = self.usual.input;
        Some(LongRates { above: above.into(), input: prices.input / input, rates: prices.over(input, lifetime) })
    }

    /// Dollars for a cost in uncached-input tokens.
    pub fn dollars(&self, cost: f64) -> f64 {
        cost * self.usual.input / 1_000_000.0
    }
}

impl TokenPrices {
    /// A written token, asked to live so long.
    pub fn write(&self, lifetime: Lifetime) -> f64 {
        match lifetime {
            Lifetime::Usual => self.cache_write,
            Lifetime::OneHour => self.cache_write_1h.unwrap_or(self.cache_write),
        }
    }

    fn over(&self, input: f64, lifetime: Lifetime) -> Rates {
        Rates { read: self.cached_read / input, write: self.write(lifetime) / input, output: self.output / input }
    }
}

impl Rates {
    /// What a call costs, in uncached-input tokens.
    pub fn cost(&self, prompt: &Split, output: u64) -> f64 {
        self.read * prompt.read as f64
            + self.write * prompt.written as f64
            + prompt.uncached as f64
            + self.output * output as f64
    }
}

impl LongRates {
    /// Whether a prompt of so many tokens is billed by these.
    pub fn apply_to(&self, prompt: f64) -> bool {
        prompt > self.above as f64
    }
}
