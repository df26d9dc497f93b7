//! A provider's prompt cache: what of a prompt it had, and what it stores.
//!
//! Written from the providers' documents (the price files name them) and docs/design/folding.md, "Marks". One store for
//! all conversations, as an organisation has it: any earlier prompt counts. The caller brings the time.

mod chain;
mod rules;
mod store;
#[cfg(test)]
mod tests;

use lookback_engine::{
    cache::{CacheRule, Covers},
    card::Card,
};

use crate::prompt::{Prompt, Segment};
use chain::{extended, links};
use store::Store;

/// What a prompt's tokens were, beside those at the full price.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Reuse {
    pub(crate) cached: u64,
    /// Stored at a price of its own; 0 where a provider stores for nothing.
    pub(crate) written: u64,
    /// Of those, for an hour.
    pub(crate) written_1h: u64,
}

#[derive(Debug)]
pub(crate) struct Cache {
    card: Card,
    store: Store,
}

impl Cache {
    /// An empty cache that works as the card says.
    pub(crate) fn new(card: Card) -> Self {
        Self { card, store: Store::default() }
    }

    /// Looks a prompt up, then stores it.
    pub(crate) fn apply_prompt(&mut self, prompt: &Prompt, now_ms: i64) -> Reuse {
        let Self { card, store } = self;
        store.now_ms = now_ms;
        rules::apply_prompt(store, card, &links(prompt), prompt.breakpoints)
    }

    /// Stores a prompt together with its answer, where the provider does.
    pub(crate) fn apply_answer(&mut self, prompt: &Prompt, answer: &Segment, now_ms: i64) {
        if matches!(self.card.cache, CacheRule::Prefix { covers: Covers::PromptAndAnswer, .. }) {
            self.store.now_ms = now_ms;
            self.store.write(extended(prompt, answer), self.card.lifetime_ms);
        }
    }
}
