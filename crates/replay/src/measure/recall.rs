//! **Recall**: of the things that steps name and that had been seen before, the share that stood in the view sent for that
//! step (base left out). Paths, symbols and edit lines together; the other kinds are shown apart. 1 where nothing counts.
//!
//! Example: the second call names a file that is in its view; the third one a file and a symbol that are, and a line to
//! replace that is not; the fourth one a symbol that is not. Found 3 of 5: recall 0.6.
//!
//! **Pointer recall** takes for found, too, what a range in the view says it replaces; **direct pointer recall** only what
//! a pointer to at most 200 lines reaches. In the example the line is reached by such a pointer and the symbol lies in a
//! range: pointer recall 1, direct pointer recall 0.8.
//!
//! **Drift**: whether forgetting adds up. Recall over the calls that have at least 1, 2, 4, 8… folds before them.
//!
//! A fold or a summary counts, whatever strategy did it; masks, cleared results, settling and archiving do not: they change
//! single results. A call sent right after a fold has that fold before it. The buckets overlap: the calls after eight folds
//! are among those after four. A bucket in which nothing counts is left out.
//!
//! Example: one fold stands before the third call. Of the four things that the third and fourth call need, two are found:
//! drift is 0.5 after 1 fold, and there is no other bucket.

use super::{Drift, RecallByKind, ratio};
use crate::{
    conversation::{Conversation, Need, NeedKind},
    simulate::{CallRun, Found, Run},
};

/// What was counted, and how much of it was found.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    found: u64,
    counted: u64,
}

impl Tally {
    fn add(&mut self, is_found: bool) {
        self.counted += 1;
        self.found += u64::from(is_found);
    }

    /// None where nothing was counted.
    fn share(self) -> Option<f64> {
        (self.counted > 0).then(|| ratio(self.found as f64, self.counted as f64, 1.0))
    }
}

/// The needs of a call, each with where it was found.
pub(super) fn found_of<'r>(
    run: &'r Run,
    conversation: &'r Conversation<'_>,
    call: usize,
) -> impl Iterator<Item = (&'r Need, Found)> {
    conversation.calls[call].needs.iter().zip(run.calls[call].needs.iter().copied())
}

fn tally(
    run: &Run,
    conversation: &Conversation<'_>,
    counts: &dyn Fn(NeedKind) -> bool,
    is_found: &dyn Fn(Found) -> bool,
) -> Option<f64> {
    let mut tally = Tally::default();
    for call in 0..run.calls.len() {
        for (_, found) in found_of(run, conversation, call).filter(|(need, _)| counts(need.kind)) {
            tally.add(is_found(found));
        }
    }
    tally.share()
}

pub(super) fn share(run: &Run, conversation: &Conversation<'_>, is_found: &dyn Fn(Found) -> bool) -> f64 {
    tally(run, conversation, &NeedKind::enters_recall, is_found).unwrap_or(1.0)
}

pub(super) fn by_kind(run: &Run, conversation: &Conversation<'_>) -> RecallByKind {
    let of = |kind: NeedKind| tally(run, conversation, &|need| need == kind, &|found| found == Found::InView);
    RecallByKind {
        path: of(NeedKind::Path),
        symbol: of(NeedKind::Symbol),
        edit_line: of(NeedKind::EditLine),
        line_range: of(NeedKind::LineRange),
        error: of(NeedKind::Error),
        test: of(NeedKind::Test),
        command: of(NeedKind::Command),
    }
}

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
    use crate::{
        measure::{example, figures},
        shown::Reach,
    };

    #[test]
    fn the_example() {
        example::with(|run, conversation, tariff| {
            let figures = figures(run, conversation, tariff, Some(9_150.0));
            assert_eq!(figures.recall, 0.6);
            assert_eq!(figures.pointer_recall, 1.0);
            assert_eq!(figures.direct_pointer_recall, 0.8);
            assert_eq!(figures.recall_by_kind.path, Some(1.0));
            assert_eq!(figures.recall_by_kind.symbol, Some(0.5));
            assert_eq!(figures.recall_by_kind.edit_line, Some(0.0));
            assert_eq!(figures.recall_by_kind.error, None);
        });
    }

    #[test]
    fn kinds_reported_apart_change_nothing() {
        example::with(|run, conversation, _| {
            conversation.calls[3].needs.push(example::need(NeedKind::Error, "error: door is shut", 5));
            run.calls[3].needs.push(Found::Reached(Reach::Lost));
            assert_eq!(share(run, conversation, &|found| found == Found::InView), 0.6);
            assert_eq!(by_kind(run, conversation).error, Some(0.0));
        });
    }

    #[test]
    fn nothing_counted_is_nothing_forgotten() {
        example::with(|run, conversation, _| {
            run.calls.truncate(1);
            assert_eq!(share(run, conversation, &|found| found == Found::InView), 1.0);
        });
    }

    #[test]
    fn the_example_of_drift() {
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
