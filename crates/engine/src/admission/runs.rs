//! Runs as witnesses of success: which of them can say that something, or that the tests, went well.

use crate::{shell::Purpose, trace::result::RunData};

/// A run without an exit code was killed, unless the record only lacks it: then its tests speak for it.
pub(super) fn succeeded(run: &RunData) -> bool {
    let report = run.tests.as_deref();
    if run.timed_out || report.is_some_and(|report| report.failed > 0) {
        return false;
    }
    run.exit_code == Some(0) || (run.exit_code.is_none() && report.is_some_and(|report| report.passed > 0))
}

/// By what a recogniser read in its output, else by its programs.
pub(super) fn is_test_run(run: &RunData) -> bool {
    run.tests.is_some() || run.reading().purpose == Purpose::Tests
}
