//! Runs as witnesses of success: which of them can say that something, or that the tests, went well.

use crate::trace::result::RunData;

/// Words of commands that run tests.
const TESTS: [&str; 17] = [
    "test",
    "tests",
    "pytest",
    "unittest",
    "jest",
    "vitest",
    "mocha",
    "tox",
    "nox",
    "nose",
    "rspec",
    "ctest",
    "nextest",
    "phpunit",
    "playwright",
    "cypress",
    "ava",
];

/// A run without an exit code was killed, unless the record only lacks it: then its tests speak for it.
pub(super) fn succeeded(run: &RunData) -> bool {
    let report = run.tests.as_deref();
    if run.timed_out || report.is_some_and(|report| report.failed > 0) {
        return false;
    }
    run.exit_code == Some(0) || (run.exit_code.is_none() && report.is_some_and(|report| report.passed > 0))
}

/// By what a recogniser read in its output, else by its name.
pub(super) fn is_test_run(run: &RunData) -> bool {
    let mut words = run.command.split(|character: char| !character.is_ascii_alphabetic());
    run.tests.is_some() || words.any(|word| TESTS.contains(&word))
}
