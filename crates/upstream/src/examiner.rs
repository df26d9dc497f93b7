//! A provider's front: a body comes in, and is billed or refused.
//!
//! Pure: the caller brings the time and the counter, and plays the answer.

mod answer;
#[cfg(test)]
mod tests;

use lookback_engine::card::Card;
use lookback_wire::{Provider, Reply, Seal, TokenUsage};

use crate::{
    cache::{Cache, Reuse},
    prompt::{Counter, Prompt, Unreadable, parse_prompt},
    refusal::{RefusalKind, Refused, check_card, check_shape, thinking::Memory},
};
use answer::{answer_segment, answer_tokens};

/// One model of a provider, with its cache and its memory of what it answered.
pub struct Examiner {
    card: Card,
    count: Box<Counter>,
    cache: Cache,
    memory: Memory,
}

/// A request that was taken. Cached, written and the rest add up to `tokens`.
#[derive(Debug, Clone, PartialEq)]
pub struct Billed {
    /// As it was read, for sealing and remembering the answer to it.
    pub prompt: Prompt,
    /// All of the prompt's.
    pub tokens: u64,
    /// Read from the cache.
    pub cached: u64,
    /// Stored at a price of its own.
    pub written: u64,
    /// Of those, for an hour.
    pub written_1h: u64,
}

impl Examiner {
    /// With an empty cache and nothing answered yet.
    pub fn new(card: Card, count: Box<Counter>) -> Self {
        Self { cache: Cache::new(card.clone()), card, count, memory: Memory::default() }
    }

    /// Whose rules it follows.
    pub fn card(&self) -> &Card {
        &self.card
    }

    /// Takes or refuses a body.
    pub fn examine(&mut self, api: Provider, body: &[u8], now_ms: i64) -> Result<Billed, Refused> {
        let prompt = read_prompt(api, body, &*self.count)?;
        self.examine_read(prompt, now_ms)
    }

    /// Takes or refuses a prompt that was read before. What is taken goes into the cache; what is refused leaves no trace.
    pub(crate) fn examine_read(&mut self, prompt: Prompt, now_ms: i64) -> Result<Billed, Refused> {
        check_card(&self.card, &prompt)?;
        self.memory.check(&self.card, &prompt)?;
        let reuse = self.cache.apply_prompt(&prompt, now_ms);
        let Reuse { cached, written, written_1h } = reuse;
        Ok(Billed { tokens: prompt.tokens(), cached, written, written_1h, prompt })
    }

    /// Issues thinking that answers a prompt, in the form in which the API hands it out.
    pub fn seal(&mut self, api: Provider, prompt: &Prompt, thinking: &str) -> Seal {
        self.memory.issue(api, prompt, thinking)
    }

    /// Remembers an answer, sealed thinking and all, and says how many tokens it has.
    pub fn answered(&mut self, api: Provider, prompt: &Prompt, reply: &Reply, now_ms: i64) -> u64 {
        let answer = answer_segment(api, reply);
        self.memory.remember(&answer);
        self.cache.apply_answer(prompt, &answer, now_ms);
        answer_tokens(reply, &*self.count)
    }
}

/// What every provider of this API would take or refuse, whatever its card and its memory say.
pub(crate) fn read_prompt(api: Provider, body: &[u8], count: &Counter) -> Result<Prompt, Refused> {
    check_shape(api, body)?;
    parse_prompt(api, body, count).map_err(|Unreadable(reason)| Refused::new(RefusalKind::InvalidRequest, reason))
}

impl Billed {
    /// As a client reads it from the answer.
    pub fn usage(&self, output: u64) -> TokenUsage {
        let fit = |tokens: u64| u32::try_from(tokens).unwrap_or(u32::MAX);
        TokenUsage {
            uncached: fit(self.tokens - self.cached - self.written),
            cached: fit(self.cached),
            written: fit(self.written),
            // Only who asked for an hour is told the times apart.
            written_5m: if self.written_1h > 0 { fit(self.written - self.written_1h) } else { 0 },
            written_1h: fit(self.written_1h),
            output: fit(output),
        }
    }
}

impl std::fmt::Debug for Examiner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Examiner").field("card", &self.card).field("cache", &self.cache).finish_non_exhaustive()
    }
}
