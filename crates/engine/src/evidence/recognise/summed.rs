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

    fn add(self, other: Self) -> Self {
        Self {
            passed: self.passed.saturating_add(other.passed),
            failed: self.failed.saturating_add(other.failed),
            skipped: self.skipped.saturating_add(other.skipped),
        }
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
        let mut found = None;
        for (index, line) in printed.lines.iter().enumerate() {
            if let Some(counts) = parse(line) {
                let (sum, _) = found.unwrap_or_default();
                found = Some((counts.add(sum), index));
            }
        }
        let (Counts { passed, failed, skipped }, last) = found?;
        let report = TestReport { framework: framework.to_owned(), passed, failed, skipped, failures: Vec::new() };
        Some(Self { report, proven: printed.is_near_end(last) })
    }

    pub(super) fn with_failures(mut self, failures: impl FnOnce() -> Vec<String>) -> Self {
        if self.report.failed > 0 {
            self.report.failures = failures();
        }
        self
    }
}
