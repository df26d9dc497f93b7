//! **Cost**: what a session would have been billed, in uncached-input tokens.
//!
//! Σ over calls: r × read + w × written + uncached + o × output, plus the calls that wrote summaries. r, w and o are the
//! card's prices of a cached, a written and an output token relative to an uncached one.
//!
//! Example (r 0.1, w 1.25, o 5): a call with 2,000 tokens read from the cache, 1,000 written and 100 tokens of output costs
//! 200 + 1,250 + 500 = 1,950. The four calls of the example cost 3,000 + 1,950 + 1,350 + 1,160 = 7,460; in dollars, at 5 for
//! a million input tokens, 0.0373. Where prompts above a size cost more, so does every token of such a call, its answer
//! included.
//!
//! **Prefix reuse**: tokens billed as cached / all input tokens. Example: (0 + 2,000 + 1,000 + 1,600) / (2,000 + 3,000 +
//! 1,600 + 2,000) = 0.535. It says nothing alone: a long useless prompt is reused best of all.
//!
//! **Context**: tokens of the prompts, base included: their mean and the largest.
//!
//! Example: prompts of 2,000, 3,000, 1,600 and 2,000 tokens: mean 2,150, peak 3,000.
//!
//! **Over window**: how many prompts are above replay's window ([`WINDOW`]), or the card's where that is smaller. Example:
//! with a window of 2,500, one prompt is over.

use lookback_engine::card::Card;

use super::ratio;
use crate::{
    conversation::Conversation,
    parameters::WINDOW,
    simulate::{ByCard, CallRun, Run, Tariff},
};

pub(super) fn cost(run: &Run, conversation: &Conversation<'_>, tariff: &Tariff) -> f64 {
    let calls = each(run, conversation, tariff);
    calls.map(|(call, tariff)| tariff.cost(&call.split, call.output_tokens) + call.compactor_cost).sum()
}

/// The same in tokens.
pub(super) fn spent(run: &Run, conversation: &Conversation<'_>, tariff: &Tariff) -> ByCard {
    let mut by_card = ByCard::default();
    for (call, tariff) in each(run, conversation, tariff) {
        let spent = by_card.entry(tariff.name().to_owned()).or_default();
        tariff.spend(spent, call.split.tokens(), &call.split, call.output_tokens);
        spent.add(&call.compactor_tokens);
    }
    by_card
}

/// Each call with what it is billed by.
fn each<'r>(
    run: &'r Run,
    conversation: &'r Conversation<'_>,
    tariff: &'r Tariff,
) -> impl Iterator<Item = (&'r CallRun, &'r Tariff)> {
    run.calls.iter().zip(&conversation.calls).map(|(ran, call)| (ran, tariff.of(call.model)))
}

pub(super) fn prefix_reuse(run: &Run) -> f64 {
    let read: u64 = run.calls.iter().map(|call| call.split.read).sum();
    let all: u64 = run.calls.iter().map(|call| call.split.tokens()).sum();
    ratio(read as f64, all as f64, 0.0)
}

pub(super) fn context_mean(run: &Run) -> f64 {
    let all: u64 = run.calls.iter().map(|call| call.split.tokens()).sum();
    ratio(all as f64, run.calls.len() as f64, 0.0)
}

pub(super) fn context_peak(run: &Run) -> u64 {
    run.calls.iter().map(|call| call.split.tokens()).max().unwrap_or(0)
}

pub(super) fn over_window(run: &Run, conversation: &Conversation<'_>, tariff: &Tariff) -> u64 {
    let is_over = |call: &CallRun, card: &Card| call.split.tokens() > WINDOW.min(u64::from(card.window));
    each(run, conversation, tariff).filter(|(call, tariff)| is_over(call, &tariff.card)).count() as u64
}

/// A bill by what it was paid for.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct BillByKind {
    pub read: f64,
    pub written: f64,
    pub uncached: f64,
    pub output: f64,
    pub compactor: f64,
    pub repairs: f64,
}

impl BillByKind {
    pub fn total(&self) -> f64 {
        self.read + self.written + self.uncached + self.output + self.compactor + self.repairs
    }

    /// The same in another unit.
    pub fn times(&self, factor: f64) -> Self {
        Self {
            read: self.read * factor,
            written: self.written * factor,
            uncached: self.uncached * factor,
            output: self.output * factor,
            compactor: self.compactor * factor,
            repairs: self.repairs * factor,
        }
    }

    pub fn add(&mut self, other: &Self) {
        self.read += other.read;
        self.written += other.written;
        self.uncached += other.uncached;
        self.output += other.output;
        self.compactor += other.compactor;
        self.repairs += other.repairs;
    }
}

/// The same cost by what it was paid for, with the repairs.
pub fn bill_by_kind(run: &Run, conversation: &Conversation<'_>, tariff: &Tariff) -> BillByKind {
    let mut bill = BillByKind::default();
    for (call, tariff) in each(run, conversation, tariff) {
        let (input, rates) = tariff.at(call.split.tokens());
        bill.read += rates.read * call.split.read as f64;
        bill.written += tariff.writes(&call.split);
        bill.uncached += input * call.split.uncached as f64;
        bill.output += rates.output * call.output_tokens as f64;
        bill.compactor += call.compactor_cost;
    }
    bill.repairs = super::repair::repairs(run, conversation, tariff).cost;
    bill
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::example;

    #[test]
    fn the_example() {
        example::with(|run, conversation, tariff| {
            assert!((cost(run, conversation, tariff) - 7_460.0).abs() < 1e-9);
            assert!((prefix_reuse(run) - 4_600.0 / 8_600.0).abs() < 1e-9);
            let dollars = tariff.card.prices.as_ref().unwrap().dollars(cost(run, conversation, tariff));
            assert!((dollars - 0.0373).abs() < 1e-9);
            let bill = bill_by_kind(run, conversation, tariff);
            assert!((bill.read - 460.0).abs() < 1e-9 && (bill.written - 5_000.0).abs() < 1e-9, "{bill:?}");
            assert!((bill.output - 2_000.0).abs() < 1e-9 && (bill.repairs - 1_445.0).abs() < 1e-9, "{bill:?}");
        });
    }

    #[test]
    fn summaries_are_paid_for() {
        example::with(|run, conversation, tariff| {
            run.calls[2].compactor_cost = 640.0;
            assert!((cost(run, conversation, tariff) - 8_100.0).abs() < 1e-9);
        });
    }

    #[test]
    fn the_example_of_context() {
        example::with(|run, conversation, tariff| {
            assert_eq!(context_mean(run), 2_150.0);
            assert_eq!(context_peak(run), 3_000);
            let over = |run: &Run, window| {
                let tariff = Tariff::new(Card { window, ..tariff.card.clone() }, tariff.lifetime, tariff.rates);
                over_window(run, conversation, &tariff)
            };
            assert_eq!(over(run, 200_000), 0);
            assert_eq!(over(run, 2_500), 1);
            run.calls[0].split.read = 200_000;
            assert_eq!(over(run, 1_000_000), 1, "the window of replay, not the card's");
        });
    }
}
