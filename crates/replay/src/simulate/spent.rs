//! Tokens by what they are billed as, so that anybody can multiply them by a card again.

use std::collections::BTreeMap;

use lookback_engine::{
    cache::Split,
    card::{Lifetime, Prices},
};
use serde::Serialize;

/// Tokens of calls. What was written for no stated time stands with the five minutes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Tokens {
    pub uncached: u64,
    pub cached: u64,
    pub written_5m: u64,
    pub written_1h: u64,
    pub output: u64,
}

/// By price tier: the size that prompts are above of to be billed so; 0 for the usual prices.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Spent(pub BTreeMap<u64, Tokens>);

/// By the card that calls were billed by: its first pattern.
pub type ByCard = BTreeMap<String, Spent>;

impl Tokens {
    /// A call whose entries are asked to live so long.
    pub fn of(split: &Split, output: u64, lifetime: Lifetime) -> Self {
        let (written_5m, written_1h) = match lifetime {
            Lifetime::Usual => (split.written - split.written_1h, split.written_1h),
            Lifetime::OneHour => (0, split.written),
        };
        Self { uncached: split.uncached, cached: split.read, written_5m, written_1h, output }
    }

    /// Of the prompts.
    pub fn input(&self) -> u64 {
        self.uncached + self.cached + self.written_5m + self.written_1h
    }

    fn add(&mut self, other: &Self) {
        self.uncached += other.uncached;
        self.cached += other.cached;
        self.written_5m += other.written_5m;
        self.written_1h += other.written_1h;
        self.output += other.output;
    }
}

impl<'s> std::iter::Sum<&'s Spent> for Spent {
    fn sum<I: Iterator<Item = &'s Spent>>(each: I) -> Self {
        each.fold(Self::default(), |mut sum, spent| {
            sum.add(spent);
            sum
        })
    }
}

impl Spent {
    /// One more call, with a prompt of this size.
    pub fn call(&mut self, prompt: u64, tokens: &Tokens, prices: Option<&Prices>) {
        self.0.entry(prices.map_or(0, |prices| prices.tier(prompt))).or_default().add(tokens);
    }

    pub fn add(&mut self, other: &Self) {
        other.0.iter().for_each(|(tier, tokens)| self.0.entry(*tier).or_default().add(tokens));
    }

    /// At these prices.
    pub fn dollars(&self, prices: &Prices) -> f64 {
        let tiers = self.0.iter().map(|(tier, tokens)| {
            let each = prices.at_tier(*tier);
            let sums = [
                (tokens.uncached, each.input),
                (tokens.cached, each.cached_read),
                (tokens.written_5m, each.write(Lifetime::Usual)),
                (tokens.written_1h, each.write(Lifetime::OneHour)),
                (tokens.output, each.output),
            ];
            sums.iter().map(|(tokens, price)| *tokens as f64 * price).sum::<f64>()
        });
        tiers.sum::<f64>() / 1_000_000.0
    }
}
