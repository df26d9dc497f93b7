//! What one framework says in all of an output: the sum over its summaries.
//!
//! `pytest a; pytest b` prints two, and the last alone would hide what failed in the first. Equal summaries are not taken
//! for one: two runs often agree to the hundredth of a second, and a failure too many is looked into, one too few is not.

use super::printed::Printed;
use crate::trace::result::TestReport;

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counts {
    pub(super) passed: u32,
    pub(super) failed: u32,
    pub(super) skipped: u32,
}

impl Counts {
    /// For frameworks that say how many ran rather than how many passed.
    pub(super) fn of(ran: u32, failed: u32, skipped: u32) -> Self {
        Self { passed: ran.saturating_sub(failed).saturating_sub(skipped), failed, skipped }
    }

    /// Each count by the list that has its word: passed, failed, skipped, of no account. None: a word stands in no list.
    pub(super) fn by_words<'a>(counts: impl IntoIterator<Item = (u32, &'a str)>, lists: [&[&str]; 4]) -> Option<Self> {
        let mut sums = [0_u32; 4];
        for (count, word) in counts {
            let list = lists.iter().position(|words| words.contains(&word))?;
            sums[list] = sums[list].saturating_add(count);
        }
        let [passed, failed, skipped, _] = sums;
        Some(Self { passed, failed, skipped })
    }
}

pub(super) struct Summed {
    pub(super) report: TestReport,
    /// Whether this shows that tests ran. Where nothing in an output does, its summaries are quoted text.
    pub(super) proven: bool,
}

impl Summed {
    /// Without failures. Lines are given in their order, so that `parse` may remember those that begin a summary.
    pub(super) fn new<'a>(
        framework: &str,
        printed: &Printed<'a>,
        mut parse: impl FnMut(&'a str) -> Option<Counts>,
    ) -> Option<Self> {
        let mut report = TestReport { framework: framework.to_owned(), ..TestReport::default() };
        let mut last = None;
        for (index, line) in printed.lines.iter().enumerate() {
            if let Some(counts) = parse(line) {
                add(&mut report, counts);
                last = Some(index);
            }
        }
        Some(Self { report, proven: printed.is_near_end(last?) })
    }

    pub(super) fn with_failures(mut self, failures: impl FnOnce() -> Vec<String>) -> Self {
        if self.report.failed > 0 {
            self.report.failures = failures();
        }
        self
    }
}

/// Failures are never undercounted, not even by overflow.
pub(super) fn add(report: &mut TestReport, Counts { passed, failed, skipped }: Counts) {
    for (sum, count) in [(&mut report.passed, passed), (&mut report.failed, failed), (&mut report.skipped, skipped)] {
        *sum = sum.saturating_add(count);
    }
}
