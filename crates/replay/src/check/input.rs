//! The other check: does the engine know before a call what its input will be billed as?
//!
//! A session's calls are told in their order to the estimator that the engine uses
//! ([`lookback_engine::session::Reconciled`], one for each stretch of calls of one model), and before each it is asked
//! with what was counted until then. Counts are plain ones: no figure of the session as a whole goes in.
//!
//! **Error** = |estimated − billed| / billed, of the whole input of a call. Where no last usage serves, the call stands
//! apart: the first one of a session or after a change of model, and the first one after the client compacted or the
//! person went back, since no file shows what the client sent then.
//!
//! Example: prompts that count 1,000, 2,000 and 2,400 tokens are billed at 10,000, 11,500 and 12,000. The first stands
//! apart. The second is estimated at 10,000 + 1 × 1,000 = 11,000: an error of 500 / 11,500 = 4.3%. Then the factor is
//! (2,000 + 1,500) / (2,000 + 1,000) = 1.17, and the third is estimated at 11,500 + 1.17 × 400, rounded up 11,967: 0.3%.

use lookback_engine::session::Reconciled;

use crate::conversation::{Call, Conversation};

/// Errors over the calls of one session or of many.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct InputErrors {
    /// Of every call that continues one with a bill.
    pub errors: Vec<f64>,
    /// Without a usage before it: the first call of a session or of a model.
    pub first: u64,
    /// Right after a compaction or a rewind.
    pub restarted: Vec<f64>,
}

impl InputErrors {
    /// The error that this share of the calls does not exceed; none without calls.
    pub fn quantile(&self, share: f64) -> Option<f64> {
        quantile(&self.errors, share)
    }

    /// Of another session.
    pub fn extend(&mut self, other: Self) {
        self.errors.extend(other.errors);
        self.first += other.first;
        self.restarted.extend(other.restarted);
    }
}

/// The smallest of the values that at least this share of them does not exceed.
pub fn quantile(values: &[f64], share: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(place.max(1) - 1).copied()
}

/// Estimates every call of a session that carries usage.
pub fn check_input(conversation: &Conversation<'_>) -> InputErrors {
    let mut found = InputErrors::default();
    let mut reconciled = Reconciled::default();
    let mut before: Option<&Call<'_>> = None;
    for call in &conversation.calls {
        let Some(billed) = call.billed.map(|bill| bill.prompt()).filter(|tokens| *tokens > 0) else { continue };
        let counted = counted(conversation, call);
        match before.filter(|before| before.recorded.model == call.recorded.model) {
            None => {
                reconciled = Reconciled::default();
                found.first += 1;
            }
            Some(before) => {
                let error = reconciled.estimate(counted).abs_diff(billed) as f64 / billed as f64;
                if continues(before, call) { &mut found.errors } else { &mut found.restarted }.push(error);
            }
        }
        reconciled.apply_bill(counted, billed);
        before = Some(call);
    }
    found
}

fn counted(conversation: &Conversation<'_>, call: &Call<'_>) -> u64 {
    call.before.iter().cloned().flatten().map(|piece| u64::from(conversation.pieces[piece].counted)).sum()
}

/// Whether the answer of the one is still part of the other's prompt, as far as the client did not compact.
fn continues(before: &Call<'_>, call: &Call<'_>) -> bool {
    !call.after_compaction && call.before.iter().any(|range| range.contains(&before.answer))
}

#[cfg(test)]
mod tests {
    use lookback_engine::{
        NewPart,
        trace::{Origin, Stop},
    };

    use super::*;
    use crate::recording::{Billed, CallItem, Compaction, CompactionKind, Format, Item, Recording, UserItem};

    fn user(tokens: usize) -> Item {
        Item::User(UserItem { text: "u".repeat(tokens - 4), origin: Origin::Person, at: None })
    }

    fn call(model: &str, answer: usize, billed: u64) -> Item {
        Item::Call(Box::new(CallItem {
            id: None,
            at: None,
            model: Some(model.to_owned()),
            parts: vec![NewPart::Text("a".repeat(answer - 4))],
            stop: Stop::End,
            results: Vec::new(),
            billed: Some(Billed { uncached: billed, ..Billed::default() }),
            unpriced: Default::default(),
        }))
    }

    fn check(items: Vec<Item>) -> InputErrors {
        let recording = Recording { items, ..Recording::new(Format::ClaudeCode) };
        check_input(&Conversation::new(&recording, &|text| text.len() as u32))
    }

    #[test]
    fn the_example() {
        let found =
            check(vec![user(1_000), call("one", 1_000, 10_000), call("one", 400, 11_500), call("one", 4, 12_000)]);
        assert_eq!(found.first, 1);
        assert_eq!(found.errors, [500.0 / 11_500.0, 33.0 / 12_000.0]);
    }

    #[test]
    fn what_no_usage_precedes_stands_apart() {
        let compaction = Item::Compaction(Compaction { kind: CompactionKind::Head, at: None, billed: None });
        let found = check(vec![
            user(1_000),
            call("one", 100, 10_000),
            call("other", 100, 10_200),
            call("other", 100, 10_300),
            compaction,
            call("other", 100, 3_000),
            Item::Rewind { last: Some(0) },
            call("other", 100, 2_700),
            call("other", 100, 0),
        ]);
        assert_eq!((found.first, found.errors.len(), found.restarted.len()), (2, 1, 2), "{found:?}");
    }

    #[test]
    fn quantiles_are_values_that_were_there() {
        let values = [0.4, 0.1, 0.3, 0.2];
        assert_eq!(quantile(&values, 0.5), Some(0.2));
        assert_eq!(quantile(&values, 0.95), Some(0.4));
        assert_eq!(quantile(&values, 0.0), Some(0.1));
        assert_eq!(quantile(&[], 0.5), None);
    }
}
