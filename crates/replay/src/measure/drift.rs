//! **Drift**: whether forgetting adds up. Recall over the calls that have at least 1, 2, 4, 8… folds before them.
//!
//! A fold or a summary counts, whatever strategy did it; masks, cleared results, settling and archiving do not: they change
//! single results. A call sent right after a fold has that fold before it. The buckets overlap: the calls after eight folds
//! are among those after four. A bucket in which nothing counts is left out.
//!
//! Example: one fold stands before the third call. Of the four things that the third and fourth call need, two are found:
//! drift is 0.5 after 1 fold, and there is no other bucket.

use super::{
    Drift,
    recall::{Tally, found_of},
};
use crate::{
    conversation::Conversation,
    simulate::{CallRun, Found, Run},
};

/// How often the conversation was folded right before a call.
pub(super) fn folds_of(call: &CallRun) -> u64 {
    call.did.iter().filter(|did| matches!(did.what, "fold" | "summary")).count() as u64
}

pub(super) fn drift(run: &Run, conversation: &Conversation<'_>) -> Vec<Drift> {
    let mut buckets: Vec<Tally> = Vec::new();
    let mut folds = 0;
    for (number, call) in run.calls.iter().enumerate() {
        folds += folds_of(call);
        // 1 fold: the first bucket, 2 and 3: the first two, 4 to 7: the first three.
        let reached = folds.checked_ilog2().map_or(0, |exponent| exponent as usize + 1);
        buckets.resize(reached, Tally::default());
        for (_, found) in found_of(run, conversation, number).filter(|(need, _)| need.kind.enters_recall()) {
            buckets.iter_mut().for_each(|bucket| bucket.add(found == Found::InView));
        }
    }
    let counted = buckets.iter().enumerate().filter_map(|(at, tally)| Some((1 << at, tally.share()?)));
    counted.map(|(folds, recall)| Drift { folds, recall }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::example;

    #[test]
    fn the_example() {
        example::with(|run, conversation, _| {
            assert_eq!(drift(run, conversation), [Drift { folds: 1, recall: 0.5 }]);
        });
    }

    #[test]
    fn buckets_overlap() {
        example::with(|run, conversation, _| {
            let fold = run.calls[2].did[0].clone();
            run.calls[1].did.push(fold.clone());
            run.calls[3].did = vec![fold.clone(), fold];
            let found: Vec<(u64, f64)> = drift(run, conversation).iter().map(|d| (d.folds, d.recall)).collect();
            assert_eq!(found, [(1, 3.0 / 5.0), (2, 0.5), (4, 0.0)]);
        });
    }
}
