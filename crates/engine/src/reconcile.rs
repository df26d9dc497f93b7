//! Counts reconciled with bills: what the next prompt will be billed as, from what the last one was and what changed since.
//!
//! **Estimate** = last bill + factor × (counted now − counted then). What the count does not see (a provider's own lines
//! about tools, a client's hidden reminders) is in the last bill, so it is in the estimate; an edit of the view is a
//! smaller count, so it is, too.
//!
//! **Factor** = Σ |billed growth| / Σ |counted growth| between neighbouring bills of one model. A growth that no tokenizer
//! explains is left out: thinking that the provider drops, results that a client clears, a prompt that somebody else cut.
//!
//! Example: prompts that count 1,000, 2,000 and 3,000 tokens are billed at 10,000, 11,500 and 13,000. Each thousand was
//! billed as 1,500; with the 2,000 tokens at 1 that every factor begins with, the factor is (2,000 + 3,000) / (2,000 +
//! 2,000) = 1.25, and a prompt that counts 3,400 is expected at 13,000 + 1.25 × 400 = 13,500.
//!
//! It knows sizes alone: no model, no prices, no text. Whole numbers are kept and divided once, so every machine gets the
//! same factor.

#[cfg(test)]
mod tests;

use crate::configuration::estimates::{BEGINNING, BELIEVABLE, MEMORY};

/// The bills of one model's calls, as far as the next estimate needs them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reconciled {
    last: Option<Bill>,
    billed_growth: u64,
    counted_growth: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Bill {
    counted: u64,
    billed: u64,
}

impl Default for Reconciled {
    fn default() -> Self {
        Self { last: None, billed_growth: BEGINNING, counted_growth: BEGINNING }
    }
}

impl Reconciled {
    /// The whole input of a call as it was counted, and as the provider billed it: uncached, cached and written
    /// together. A bill of zero tokens says nothing.
    pub fn apply_bill(&mut self, counted: u64, billed: u64) {
        if billed == 0 {
            return;
        }
        match self.last.replace(Bill { counted, billed }) {
            // The first prompt as a whole says something about the tokenizer where all of it was counted.
            None => {
                if is_believable(billed, counted) {
                    self.billed_growth = (u128::from(BEGINNING) * u128::from(billed) / u128::from(counted)) as u64;
                }
            }
            Some(before) => self.apply_growth(before, counted, billed),
        }
    }

    fn apply_growth(&mut self, before: Bill, counted: u64, billed: u64) {
        let (counted_growth, billed_growth) = (counted.abs_diff(before.counted), billed.abs_diff(before.billed));
        let same_way = (counted > before.counted) == (billed > before.billed);
        if !same_way || !is_believable(billed_growth, counted_growth) {
            return;
        }
        self.counted_growth = self.counted_growth.saturating_add(counted_growth);
        self.billed_growth = self.billed_growth.saturating_add(billed_growth);
        if self.counted_growth > MEMORY {
            self.counted_growth /= 2;
            self.billed_growth /= 2;
        }
    }

    /// Billed tokens for each counted one of what is new.
    pub fn factor(&self) -> f64 {
        (self.billed_growth as f64 / self.counted_growth as f64).clamp(*BELIEVABLE.start(), *BELIEVABLE.end())
    }

    /// What a prompt of so many counted tokens is expected to be billed as.
    pub fn estimate(&self, counted: u64) -> u64 {
        let factor = self.factor();
        let estimate = match self.last {
            None => counted as f64 * factor,
            Some(Bill { counted: then, billed }) if counted >= then => billed as f64 + factor * (counted - then) as f64,
            // Where most of a prompt went, a factor that is too large would take away more than there was.
            Some(Bill { counted: then, billed }) => {
                let whole = billed as f64 / then as f64;
                (billed as f64 - factor * (then - counted) as f64).max(counted as f64 * factor.min(whole))
            }
        };
        estimate.ceil() as u64
    }
}

/// Whether so many counted tokens can have been billed as so many.
pub(crate) fn is_believable(billed: u64, counted: u64) -> bool {
    counted > 0 && BELIEVABLE.contains(&(billed as f64 / counted as f64))
}
