//! OpenAI before gpt-5.6, DeepSeek, Gemini, llama.cpp, vLLM: the longest beginning that an earlier prompt had, in whole
//! units. Some keep the answer behind the prompt too.

use lookback_engine::cache::Covers;

use super::{Reuse, chain::Link, store::Store};
use crate::prompt::Digest;

#[derive(Debug)]
pub(super) struct Prefix {
    unit: u64,
    minimum: u64,
    covers: Covers,
    store: Store,
}

impl Prefix {
    pub(super) fn new(unit: u32, minimum: u32, covers: Covers) -> Self {
        Self { unit: unit.max(1).into(), minimum: minimum.into(), covers, store: Store::default() }
    }

    pub(super) fn apply_prompt(&mut self, links: &[Link], lifetime_ms: Option<i64>, now_ms: i64) -> Reuse {
        let ends: Vec<&Link> = links.iter().filter(|link| link.ends.is_some()).collect();
        let common = ends.iter().rev().find(|link| self.store.holds(&link.digest, now_ms)).map_or(0, |link| link.end);
        ends.iter().for_each(|link| self.store.write(link.digest, lifetime_ms, now_ms));
        let cached = common / self.unit * self.unit;
        Reuse { cached: if cached < self.minimum { 0 } else { cached }, written: 0 }
    }

    pub(super) fn apply_answer(&mut self, whole: Digest, lifetime_ms: Option<i64>, now_ms: i64) {
        if self.covers == Covers::PromptAndAnswer {
            self.store.write(whole, lifetime_ms, now_ms);
        }
    }
}
