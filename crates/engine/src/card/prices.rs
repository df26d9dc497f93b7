//! Published prices, and what they are relative to one uncached input token.
//!
//! Decisions and costs are counted in uncached-input tokens; dollars are for people.

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

impl Prices {
    /// For a session whose entries are asked to live so long.
    pub fn rates(&self, lifetime: Lifetime) -> Rates {
        let write = match lifetime {
            Lifetime::Usual => self.cache_write,
            Lifetime::OneHour => self.cache_write_1h.unwrap_or(self.cache_write),
        };
        Rates { read: self.cached_read / self.input, write: write / self.input, output: self.output / self.input }
    }

    /// Dollars for a cost in uncached-input tokens.
    pub fn dollars(&self, cost: f64) -> f64 {
        cost * self.input / 1_000_000.0
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
