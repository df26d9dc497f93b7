//! What folds cost on a session's clock, taken apart so that each fold has a price of its own.
//!
//! The provider's rules in token form: a warm call reads what the cache holds of its prompt and writes the rest, a cold
//! one writes all of it, a fold leaves what stands before the seam in the cache. Units, minimum sizes and the number of
//! marks are left out for everyone.
//!
//! Every call pays for the base, for its newest kept steps and for what is new: that is the **floor**, the same wherever
//! the cuts are. Above it, whoever folds pays two things only:
//!
//! - **rent**, on every call without a fold, for the foldable tokens that still stand raw behind the seam;
//! - **fold costs**: at its own call the block is written and what stays raw behind the cut written again, and at every
//!   later call the block is carried: read while the cache is warm, written when it is cold.
//!
//! A block is never touched again, so what carrying it will cost depends on the clock alone and can be charged when the
//! fold is made. With that nothing that happens later depends on how many tokens stand before the seam, and a bill is a
//! sum over calls of terms that know one seam, or one seam and one cut.

use lookback_engine::{
    cache::CacheRule,
    card::Rates,
    planner::{Limits, Warmth},
};

use super::steps::Steps;
use crate::simulate;

/// Where the seam was moved to, and right before which call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fold {
    pub(super) call: usize,
    /// How many steps of the session lie before the new seam.
    pub(super) cut: usize,
}

#[derive(Debug)]
pub(super) struct Bill<'a> {
    pub(super) steps: &'a Steps,
    pub(super) limits: Limits,
    rates: Rates,
    /// What a token costs from the call after this one to the last.
    carried: Vec<f64>,
}

impl<'a> Bill<'a> {
    pub(super) fn new(steps: &'a Steps, tariff: &simulate::Tariff, limits: &Limits) -> Self {
        // Without a cache every token is plain input at every call.
        let rates = match tariff.card.cache {
            CacheRule::None => Rates { read: 1.0, write: 1.0, ..tariff.rates },
            _ => tariff.rates,
        };
        let mut bill = Self { steps, limits: *limits, rates, carried: vec![0.0; steps.calls.len()] };
        for call in (1..steps.calls.len()).rev() {
            bill.carried[call - 1] = bill.carried[call] + bill.standing(call);
        }
        bill
    }

    /// How many steps may lie before the seam when this call is sent: the newest stay raw.
    pub(super) fn foldable_steps(&self, call: usize) -> usize {
        call.saturating_sub(self.limits.keep_steps.max(1) as usize)
    }

    /// What a block costs in the place of so many tokens: min(budget, W). The engine rounds the budget down to whole
    /// tokens; here it is not rounded.
    pub(super) fn block(&self, foldable: u64) -> f64 {
        let foldable = foldable as f64;
        foldable.min((foldable * self.limits.block_share).min(self.most()).max(self.least()))
    }

    pub(super) fn least(&self) -> f64 {
        self.limits.block_least as f64
    }

    pub(super) fn most(&self) -> f64 {
        self.limits.block_most as f64
    }

    /// What every choice of cuts pays, in counted tokens of input.
    pub(super) fn floor(&self) -> f64 {
        let Steps { base, calls, .. } = self.steps;
        let all = calls.iter().enumerate().map(|(number, call)| {
            let kept_from = self.end(self.foldable_steps(number));
            match self.warm_held(number) {
                Some(held) => {
                    self.rates.read * (base + (held - kept_from) as f64) + self.rates.write * (call.sent - held) as f64
                }
                None => self.rates.write * (base + (call.sent - kept_from) as f64),
            }
        });
        all.sum()
    }

    /// A call without a fold: what stands raw although it could be folded.
    pub(super) fn rent(&self, call: usize, seam: usize) -> f64 {
        self.standing(call) * (self.end(self.foldable_steps(call)) - self.end(seam)) as f64
    }

    /// A fold right before a call, all that it will ever cost: the block, now and later, and the tail.
    pub(super) fn fold(&self, fold: Fold, seam: usize) -> f64 {
        self.block(self.end(fold.cut) - self.end(seam)) * self.block_rate(fold.call) + self.tail(fold)
    }

    /// For a token of a block that is written with this call and stands to the end.
    pub(super) fn block_rate(&self, call: usize) -> f64 {
        self.rates.write + self.carried[call]
    }

    /// What is written again behind the cut, above what the floor has of it.
    pub(super) fn tail(&self, fold: Fold) -> f64 {
        let kept_from = self.end(self.foldable_steps(fold.call));
        let raw = self.rates.write * (kept_from - self.end(fold.cut)) as f64;
        let again = self.warm_held(fold.call).map_or(0, |held| held - kept_from);
        raw + (self.rates.write - self.rates.read) * again as f64
    }

    /// A whole bill in uncached-input tokens of the provider's counting.
    pub(super) fn whole(&self, rent_and_folds: f64) -> f64 {
        self.billed(self.floor() + rent_and_folds) + self.rates.output * self.steps.output as f64
    }

    pub(super) fn billed(&self, counted: f64) -> f64 {
        counted * self.steps.factor
    }

    pub(super) fn end(&self, steps: usize) -> u64 {
        self.steps.ends[steps]
    }

    /// What a token costs that was part of the prompt before.
    fn standing(&self, call: usize) -> f64 {
        match self.steps.calls[call].warmth {
            Warmth::Warm => self.rates.read,
            Warmth::Cold => self.rates.write,
        }
    }

    /// Up to where a call finds the conversation in the cache. At least up to the kept steps: all but the newest step were
    /// sent before.
    fn warm_held(&self, call: usize) -> Option<u64> {
        let before = self.steps.calls[call.checked_sub(1)?];
        (self.steps.calls[call].warmth == Warmth::Warm).then_some(before.held)
    }
}
