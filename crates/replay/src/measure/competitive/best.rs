//! The cheapest way to cut a session for whoever knows how it goes on, by dynamic programming.
//!
//! The state before a call is where the seam stands; its value is the least that rent and folds have cost up to there,
//! blocks charged with all that carrying them will cost ([`super::bill`] says why that makes the values add up). A call
//! either pays rent at its seam or moves the seam:
//!
//! ```text
//! value(call, seam) = min( value(call − 1, seam) + rent(call, seam),
//!                          min over s < seam of value(call − 1, s) + block(seam − s) · rate(call) + tail(call, seam) )
//! ```
//!
//! The inner minimum over all s would make it cubic. A block's size is min(W, most, max(least, share · W)), a minimum of
//! pieces that are flat or straight in W, and W is a difference of two ends: for each piece the best s is a running
//! minimum, or one over a window that only moves forward, so the whole takes a time proportional to the pairs of call
//! and seam.
//!
//! One fold a call is enough: of two before the same call the first wrote a block for nothing, because one block over both
//! stretches is never larger than two.

use std::collections::VecDeque;

use super::bill::{Bill, Fold};

pub(super) struct Best {
    pub(super) rent_and_folds: f64,
    pub(super) folds: Vec<Fold>,
}

pub(super) fn find_best(bill: &Bill<'_>) -> Best {
    let calls = bill.steps.calls.len();
    let mut history = History::default();
    let mut states = vec![State { cost: 0.0, folds: None }];
    for call in 1..calls {
        let furthest = bill.foldable_steps(call);
        let mut from = Sources::new(bill, call);
        let mut next: Vec<State> = Vec::with_capacity(furthest + 1);
        for seam in 0..=furthest {
            let held = states.get(seam).map(|state| State { cost: state.cost + bill.rent(call, seam), ..*state });
            let fold = Fold { call, cut: seam };
            let folded = from.cheapest(seam).map(|(source, cost)| (source, cost + bill.tail(fold)));
            next.push(match (held, folded) {
                (Some(held), Some((_, cost))) if held.cost <= cost => held,
                (_, Some((source, cost))) => State { cost, folds: Some(history.add(fold, states[source].folds)) },
                (Some(held), None) => held,
                // Only the first seam has no source, and it is always held.
                (None, None) => State { cost: f64::INFINITY, folds: None },
            });
            if let Some(state) = states.get(seam) {
                from.add(seam, state.cost);
            }
        }
        states = next;
    }
    let best = states.into_iter().min_by(|one, other| one.cost.total_cmp(&other.cost));
    best.map_or(Best { rent_and_folds: 0.0, folds: Vec::new() }, |state| Best {
        rent_and_folds: state.cost,
        folds: history.up_to(state.folds),
    })
}

#[derive(Debug, Clone, Copy)]
struct State {
    cost: f64,
    /// The newest fold that led here, in the history.
    folds: Option<u32>,
}

/// All folds that were the cheapest way to some state, each with the one before it.
#[derive(Debug, Default)]
struct History(Vec<(Fold, Option<u32>)>);

impl History {
    fn add(&mut self, fold: Fold, before: Option<u32>) -> u32 {
        self.0.push((fold, before));
        self.0.len() as u32 - 1
    }

    fn up_to(&self, newest: Option<u32>) -> Vec<Fold> {
        let path = std::iter::successors(newest, |number| self.0[*number as usize].1);
        let mut folds: Vec<Fold> = path.map(|number| self.0[number as usize].0).collect();
        folds.reverse();
        folds
    }
}

/// The seams before a call from which a fold to a later one may start, and the cheapest of them for each piece of a
/// block's size.
struct Sources<'a> {
    bill: &'a Bill<'a>,
    /// Of a block's token, to the end.
    rate: f64,
    added: Vec<f64>,
    /// Block = W.
    whole: Option<Source>,
    /// Block = most.
    most: Option<Source>,
    /// Block = share · W, for the sources that are far enough behind for it to be above the least.
    share: Option<Source>,
    /// Block = least, for the others: rising costs from front to back, so the front is the cheapest.
    least: VecDeque<Source>,
    /// How many sources have left `least` for `share`.
    far: usize,
}

#[derive(Debug, Clone, Copy)]
struct Source {
    seam: usize,
    /// Less what does not depend on where the fold ends.
    cost: f64,
}

impl<'a> Sources<'a> {
    fn new(bill: &'a Bill<'a>, call: usize) -> Self {
        let (whole, most, share, least) = Default::default();
        Self { bill, rate: bill.block_rate(call), added: Vec::new(), whole, most, share, least, far: 0 }
    }

    /// Seams come in order.
    fn add(&mut self, seam: usize, cost: f64) {
        keep_cheaper(&mut self.whole, Source { seam, cost: cost - self.rate * self.bill.end(seam) as f64 });
        keep_cheaper(&mut self.most, Source { seam, cost: cost + self.rate * self.bill.most().max(self.bill.least()) });
        self.added.push(cost);
        let cost = cost + self.rate * self.bill.least();
        while self.least.back().is_some_and(|last| last.cost >= cost) {
            self.least.pop_back();
        }
        self.least.push_back(Source { seam, cost });
    }

    /// From where a fold to this cut is cheapest, and what it costs with its block. Cuts come in order.
    fn cheapest(&mut self, cut: usize) -> Option<(usize, f64)> {
        let (end, share) = (self.bill.end(cut), self.bill.limits.block_share);
        while let Some(cost) = self.added.get(self.far)
            && (end - self.bill.end(self.far)) as f64 * share > self.bill.least()
        {
            let start = self.rate * share * self.bill.end(self.far) as f64;
            keep_cheaper(&mut self.share, Source { seam: self.far, cost: cost - start });
            self.far += 1;
        }
        while self.least.front().is_some_and(|first| first.seam < self.far) {
            self.least.pop_front();
        }
        let end = self.rate * end as f64;
        let sources = [
            self.whole.map(|source| (source.seam, source.cost + end)),
            self.most.map(|source| (source.seam, source.cost)),
            self.share.map(|source| (source.seam, source.cost + share * end)),
            self.least.front().map(|source| (source.seam, source.cost)),
        ];
        sources.into_iter().flatten().min_by(|one, other| one.1.total_cmp(&other.1))
    }
}

fn keep_cheaper(kept: &mut Option<Source>, source: Source) {
    if kept.is_none_or(|kept| source.cost < kept.cost) {
        *kept = Some(source);
    }
}
