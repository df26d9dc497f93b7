//! The check: do the cache models say what providers really billed?
//!
//! Where a recording carries the provider's own usage, each call's prompt size is taken as billed and only its split is
//! predicted, with the same models by which strategies are billed ([`lookback_engine::cache`]), the recorded model's rule
//! and the recorded lifetime of entries (none recorded: the card's). Real prompts are followed, compactions and rewinds
//! included (`prompts`).
//!
//! **Error** = Σ |predicted cached − billed cached| / Σ billed cached. First calls and calls after a compaction stand
//! apart: no file shows what another session had left in the cache for them. A miss is **unexplained** when less than
//! half of what was predicted was billed as cached: no rule says why, since rules that do (a pause, another model) are
//! in the prediction. Such calls are counted with their tokens and are not in the error.
//!
//! Example (units of 64, the answer is kept): prompts of 10,000, 11,000 and 12,000 tokens with answers of 100 tokens. Predicted
//! for the second: 10,100 in whole units, 10,048; for the third 11,072. Billed were 10,048 and 11,008: the error is
//! (0 + 64) / 21,056 = 0.3%. Had the third been billed at 0, it would be an unexplained miss of 11,072 tokens, and the error 0.

pub mod input;
mod prompts;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use lookback_engine::{
    cache::{CacheRule, CacheState, CachedCall, PromptChain, Split},
    card::{Card, Cards, Lifetime},
    trace::Timestamp,
};
use serde::Serialize;

use crate::{
    conversation::{Call, Conversation},
    recording::{Billed, Format},
};
use prompts::{Prompt, Prompts, Shorter};

/// Predicted and billed, over the calls of one session or of many.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Check {
    /// Calls that enter the error.
    pub calls: u64,
    /// By the cache model.
    #[serde(skip)]
    pub predicted_cached: u64,
    /// Σ |predicted − billed|.
    #[serde(rename = "difference_tokens")]
    pub error_tokens: u64,
    /// By the provider.
    #[serde(rename = "cached_tokens")]
    pub billed_cached: u64,
    /// Of these calls.
    #[serde(flatten)]
    pub unexplained: Misses,
    /// First calls and calls after a compaction.
    #[serde(skip)]
    pub apart: Apart,
}

/// Calls that should have been cached and were not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Misses {
    /// How many.
    #[serde(rename = "unexplained_misses")]
    pub count: u64,
    /// Predicted as cached and billed in full.
    #[serde(rename = "unexplained_tokens")]
    pub tokens: u64,
}

/// Calls of which the cache model cannot know what came before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "named as in [`Check`]")]
pub struct Apart {
    pub calls: u64,
    pub billed_cached: u64,
}

/// What a provider billed, or would have by the cache model, over a whole session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[allow(missing_docs, reason = "`cost` is in uncached-input tokens, the others say it")]
pub struct Bills {
    pub calls: u64,
    pub input_tokens: u64,
    pub cached_tokens: u64,
    pub output_tokens: u64,
    pub cost: f64,
    pub cost_usd: f64,
}

/// A session's check, and its whole bill beside the predicted one.
#[derive(Debug, Clone, Copy, PartialEq)]
#[allow(missing_docs, reason = "its line says it")]
pub struct Checked {
    pub check: Check,
    pub billed: Bills,
    /// Calls that stand apart are taken as billed.
    pub predicted: Bills,
}

impl Check {
    /// None where nothing was billed as cached.
    pub fn error(&self) -> Option<f64> {
        (self.billed_cached > 0).then(|| self.error_tokens as f64 / self.billed_cached as f64)
    }

    fn add_call(&mut self, predicted: u64, billed: u64) {
        if billed < predicted.div_ceil(2) {
            self.unexplained.count += 1;
            self.unexplained.tokens += predicted - billed;
            return;
        }
        self.calls += 1;
        self.predicted_cached += predicted;
        self.billed_cached += billed;
        self.error_tokens += predicted.abs_diff(billed);
    }
}

impl std::ops::AddAssign for Check {
    fn add_assign(&mut self, other: Self) {
        self.calls += other.calls;
        self.predicted_cached += other.predicted_cached;
        self.billed_cached += other.billed_cached;
        self.error_tokens += other.error_tokens;
        self.unexplained.count += other.unexplained.count;
        self.unexplained.tokens += other.unexplained.tokens;
        self.apart.calls += other.apart.calls;
        self.apart.billed_cached += other.apart.billed_cached;
    }
}

/// Checks a session; none where its file has no usage, or no card knows its models. `copied` calls were checked in another
/// session, and left in the cache what they left.
pub fn check(conversation: &Conversation<'_>, cards: &Cards, copied: &BTreeSet<usize>) -> Option<Checked> {
    let mut check = Check::default();
    let (mut billed, mut predicted) = (Bills::default(), Bills::default());
    let mut prompts = Prompts::new(conversation);
    let mut caches: BTreeMap<&str, CacheState> = BTreeMap::new();
    for (number, call) in conversation.calls.iter().enumerate() {
        // A call that was given up before it was billed says nothing.
        let bill = call.billed.filter(|bill| bill.prompt() > 0);
        let (Some(bill), Some(model)) = (bill, model_of(call, conversation)) else { continue };
        let Some(card) = cards.find(model) else { continue };
        // A provider holds what each model has read apart from the others.
        let cache = caches.entry(model).or_insert_with(|| card.cache_state(Lifetime::Usual));
        let is_first = billed.calls == 0;
        let by_marks = matches!(card.cache, CacheRule::Marks { .. });
        let prompt = prompts.send(number, &bill, if by_marks { Shorter::CountedLess } else { Shorter::CutAtRound });
        let split = predict(cache, &prompt, &bill, call.at.unwrap_or(Timestamp(0)));
        if copied.contains(&call.item) {
            continue;
        }
        let real = real_split(&bill, &split, card);
        // Output as for every strategy, so that the bills can be compared.
        let charged = Billed { output: call.output_tokens, ..bill };
        add(&mut billed, &real, &charged, card);
        if is_first || call.after_compaction {
            check.apart.calls += 1;
            check.apart.billed_cached += bill.read;
            add(&mut predicted, &real, &charged, card);
        } else {
            check.add_call(split.read, bill.read);
            add(&mut predicted, &split, &charged, card);
        }
    }
    (billed.calls > 0).then_some(Checked { check, billed, predicted })
}

/// Bills a prompt that was really sent and leaves it in the cache. What was written for an hour lies before the rest; where
/// that is all of it, the mark at the end asks for one.
fn predict(cache: &mut CacheState, prompt: &Prompt<'_>, bill: &Billed, now: Timestamp) -> Split {
    let mut send = |parts: &PromptChain| {
        let end = parts.parts();
        let hour = match bill.written_1h {
            0 => 0,
            hour if hour >= bill.written => end,
            hour => parts.parts_within(bill.read + hour),
        };
        let (marks, answer) = ([hour.max(1).min(end), end], [prompt.answer]);
        let marks = if hour == 0 || hour == end { &marks[1..] } else { &marks[..] };
        cache.apply_call(&CachedCall { prompt: parts, marks, hour, answer: &answer, now })
    };
    let Some(longer) = &prompt.counted_less else { return send(prompt.parts) };
    let read = send(longer).read.min(prompt.parts.tokens());
    let whole = send(prompt.parts);
    Split { read, written: whole.written.saturating_sub(read), uncached: whole.uncached, ..Split::default() }
}

fn add(bills: &mut Bills, split: &Split, bill: &Billed, card: &Card) {
    // Entries that live for an hour cost more to write: the same part of them as was billed so.
    let written_1h = (split.written * bill.written_1h).checked_div(bill.written).unwrap_or(0).min(split.written);
    let split = &Split { written_1h, ..*split };
    bills.calls += 1;
    bills.input_tokens += split.tokens();
    bills.cached_tokens += split.read;
    bills.output_tokens += bill.output;
    if let Some(prices) = &card.prices {
        let cost = prices.cost(split, bill.output, Lifetime::Usual);
        bills.cost += cost;
        bills.cost_usd += prices.dollars(cost);
    }
}

/// The bill of a call as a split. Only Anthropic's says how much was written; elsewhere it is what the rule stores.
fn real_split(bill: &Billed, predicted: &Split, card: &Card) -> Split {
    if matches!(card.cache, CacheRule::Marks { .. }) || bill.written > 0 {
        return Split { written_1h: 0, ..bill.split() };
    }
    let stored = predicted.read + predicted.written;
    let written = stored.saturating_sub(bill.read).min(bill.uncached);
    Split { read: bill.read, written, uncached: bill.uncached - written, ..Split::default() }
}

fn model_of<'a>(call: &Call<'a>, conversation: &Conversation<'a>) -> Option<&'a str> {
    call.model.or(usual_model(conversation.recording.agent()))
}

/// Old Codex files do not name the model; the client knew only models of OpenAI's older rule then.
pub fn usual_model(format: Format) -> Option<&'static str> {
    (format == Format::Codex).then_some("gpt-5")
}
