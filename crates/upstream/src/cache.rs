//! A provider's prompt cache: what of a prompt it had, and what it stores.
//!
//! Written from the providers' documents (the price files name them) and docs/design/folding.md, "Marks". One store for
//! all conversations, as an organisation has it: any earlier prompt counts. The caller brings the time.

mod breakpoints;
mod chain;
mod marks;
mod prefix;
mod store;
#[cfg(test)]
mod tests;

use lookback_engine::{cache::CacheRule, card::Card};

use crate::prompt::{Prompt, Segment};
use breakpoints::Breakpoints;
use chain::{extended, links};
use marks::Marks;
use prefix::Prefix;

/// What a prompt's tokens were, beside those at the full price.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Reuse {
    pub(crate) cached: u64,
    /// Stored at a price of its own; 0 where a provider stores for nothing.
    pub(crate) written: u64,
}

#[derive(Debug)]
pub(crate) struct Cache {
    card: Card,
    rule: Rule,
}

#[derive(Debug)]
enum Rule {
    None,
    Prefix(Prefix),
    Marks(Marks),
    Breakpoints(Breakpoints),
}

impl Cache {
    /// An empty cache that works as the card says.
    pub(crate) fn new(card: Card) -> Self {
        let rule = match card.cache {
            CacheRule::None => Rule::None,
            CacheRule::Prefix { unit, minimum, covers } => Rule::Prefix(Prefix::new(unit, minimum, covers)),
            CacheRule::Marks { look_back, minimum, .. } => Rule::Marks(Marks::new(look_back, minimum)),
            CacheRule::Breakpoints { marks, considered, unit, minimum } => {
                Rule::Breakpoints(Breakpoints::new(marks, considered, unit, minimum))
            }
        };
        Self { card, rule }
    }

    /// Looks a prompt up, then stores it.
    pub(crate) fn apply_prompt(&mut self, prompt: &Prompt, now_ms: i64) -> Reuse {
        let links = links(prompt);
        match &mut self.rule {
            Rule::None => Reuse::default(),
            Rule::Prefix(prefix) => prefix.apply_prompt(&links, self.card.lifetime_ms, now_ms),
            Rule::Marks(marks) => marks.apply_prompt(&links, |lifetime| self.card.lifetime_ms(lifetime), now_ms),
            Rule::Breakpoints(breakpoints) => {
                breakpoints.apply_prompt(&links, prompt.breakpoints, self.card.lifetime_ms, now_ms)
            }
        }
    }

    /// Stores a prompt together with its answer, where the provider does.
    pub(crate) fn apply_answer(&mut self, prompt: &Prompt, answer: &Segment, now_ms: i64) {
        if let Rule::Prefix(prefix) = &mut self.rule {
            prefix.apply_answer(extended(prompt, answer), self.card.lifetime_ms, now_ms);
        }
    }
}
