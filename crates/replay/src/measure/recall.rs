//! **Recall**: of the things that steps name and that had been seen before, the share that stood in the view sent for that
//! step (base left out). Paths, symbols and edit lines together; the other kinds are shown apart. 1 where nothing counts.
//!
//! Example: the second call names a file that is in its view; the third one a file and a symbol that are, and a line to
//! replace that is not; the fourth one a symbol that is not. Found 3 of 5: recall 0.6.
//!
//! **Pointer recall** takes for found, too, what a range in the view says it replaces; **direct pointer recall** only what
//! a pointer to at most 200 lines reaches. In the example the line is reached by such a pointer and the symbol lies in a
//! range: pointer recall 1, direct pointer recall 0.8.

use super::{RecallByKind, ratio};
use crate::{
    conversation::{Conversation, Need, NeedKind},
    simulate::{Found, Run},
};

/// What was counted, and how much of it was found.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Tally {
    found: u64,
    counted: u64,
}

impl Tally {
    pub(super) fn add(&mut self, is_found: bool) {
        self.counted += 1;
        self.found += u64::from(is_found);
    }

    /// None where nothing was counted.
    pub(super) fn share(self) -> Option<f64> {
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

pub(super) fn share(run: &Run, conversation: &Conversation<'_>, is_found: &dyn Fn(Found) -> bool) -> f64 {
    let mut tally = Tally::default();
    for call in 0..run.calls.len() {
        for (_, found) in found_of(run, conversation, call).filter(|(need, _)| need.kind.enters_recall()) {
            tally.add(is_found(found));
        }
    }
    tally.share().unwrap_or(1.0)
}

pub(super) fn by_kind(run: &Run, conversation: &Conversation<'_>) -> RecallByKind {
    let of = |kind: NeedKind| {
        let mut tally = Tally::default();
        for call in 0..run.calls.len() {
            for (_, found) in found_of(run, conversation, call).filter(|(need, _)| need.kind == kind) {
                tally.add(found == Found::InView);
            }
        }
        tally.share()
    };
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        measure::{example, figures},
        strategy::Reach,
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
}
