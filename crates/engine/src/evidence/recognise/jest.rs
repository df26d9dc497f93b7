//! jest (`Tests:       1 failed, 2 passed, 3 total`) and its relative vitest (`Tests  1 failed | 2 passed (3)`).
//!
//! A file that could not be run has no tests to count, but is a failure. The output does not say how many of the failed
//! files those are: where more files than tests failed, the files are counted.

use super::{
    printed::{Printed, parse_count, parse_counts},
    summed::{Counts, Summed},
};

pub(super) fn recognise_jest(printed: &Printed<'_>) -> Option<Summed> {
    let files = |line: &str| parse_jest(line.strip_prefix("Test Suites: ")?);
    let tests = |line: &str| parse_jest(line.strip_prefix("Tests: ")?);
    let mut file = None;
    let failures = || {
        let names = printed.names(|line| {
            file = line.strip_prefix("FAIL ").map(without_time).or(file);
            match line.strip_prefix("  ● ")? {
                "Console" => None,
                "Test suite failed to run" => file,
                name => Some(name),
            }
        });
        if names.is_empty() { printed.names(|line| line.strip_prefix("FAIL ").map(without_time)) } else { names }
    };
    Some(Summed::new("jest", printed, of_both(files, tests))?.with_failures(failures))
}

/// The summary of the files comes first, and the one of the tests ends the run.
fn of_both<'a>(
    parse_files: impl Fn(&'a str) -> Option<Counts>,
    parse_tests: impl Fn(&'a str) -> Option<Counts>,
) -> impl FnMut(&'a str) -> Option<Counts> {
    let mut files = None;
    move |line| {
        files = parse_files(line).or(files);
        let tests = parse_tests(line)?;
        let files: Counts = files.take()?;
        Some(Counts { failed: tests.failed.max(files.failed), ..tests })
    }
}

fn parse_jest(text: &str) -> Option<Counts> {
    let (counts, total) = text.trim_start().rsplit_once(", ").unwrap_or(("", text.trim_start()));
    parse_count(total.strip_suffix(" total")?)?;
    parse_outcomes(counts, ",")
}

pub(super) fn recognise_vitest(printed: &Printed<'_>) -> Option<Summed> {
    let files = |line: &str| parse_vitest(line.trim_start().strip_prefix("Test Files  ")?);
    let tests = |line: &str| parse_vitest(line.trim_start().strip_prefix("Tests  ")?);
    let failures = || printed.names(|line| line.strip_prefix(" FAIL  "));
    Some(Summed::new("vitest", printed, of_both(files, tests))?.with_failures(failures))
}

fn parse_vitest(text: &str) -> Option<Counts> {
    if text == "no tests" {
        return Some(Counts::default());
    }
    let (counts, total) = text.strip_suffix(')')?.rsplit_once(" (")?;
    parse_count(total)?;
    parse_outcomes(counts, "|")
}

fn parse_outcomes(counts: &str, separator: &str) -> Option<Counts> {
    let counts = if counts.is_empty() { Vec::new() } else { parse_counts(counts, separator)? };
    Counts::by_words(counts, [&["passed"], &["failed"], &["skipped", "todo", "expected fail", "pending"], &[]])
}

/// `src/a.test.js (5.1 s)`: slow files carry their time.
fn without_time(file: &str) -> &str {
    file.split_once(" (").map_or(file, |(file, _)| file).trim()
}

#[cfg(test)]
mod tests {
    use super::super::recognise_output as recognise;

    fn counts(output: &str) -> Option<(String, u32, u32, u32, Vec<String>)> {
        let report = recognise(output)?;
        Some((report.framework, report.passed, report.failed, report.skipped, report.failures))
    }

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn jest() {
        let output = "\
FAIL src/sum.test.js
  ● Console

    console.log
  ● sum › adds

    expect(received).toBe(expected)

Summary of all failing tests
FAIL src/sum.test.js
  ● sum › adds

Test Suites: 1 failed, 1 passed, 2 total
Tests:       1 failed, 1 skipped, 1 todo, 2 passed, 5 total
Snapshots:   0 total
Time:        0.512 s, estimated 1 s
Ran all test suites.
npm ERR! Test failed.  See above for more details.
";
        assert_eq!(counts(output), Some(("jest".to_owned(), 2, 1, 2, names(&["sum › adds"]))));
    }

    #[test]
    fn a_jest_file_that_does_not_run() {
        let output = "\
FAIL src/a.test.ts (5.12 s)
  ● Test suite failed to run

Test Suites: 1 failed, 1 total
Tests:       0 total
";
        assert_eq!(counts(output), Some(("jest".to_owned(), 0, 1, 0, names(&["src/a.test.ts"]))));
    }

    #[test]
    fn runs_are_summed() {
        let unrun = "FAIL a.test.ts\n  ● Test suite failed to run\n";
        let failing = "FAIL b.test.ts\n  ● sum › adds\n";
        let first = "Test Suites: 2 failed, 2 total\nTests:       1 failed, 1 passed, 2 total\n";
        let second = "Test Suites: 1 passed, 1 total\nTests:       3 passed, 3 total\n";
        let output = format!("{unrun}{failing}{first}{}{second}", "more\n".repeat(100));
        assert_eq!(counts(&output), Some(("jest".to_owned(), 4, 2, 0, names(&["a.test.ts", "sum › adds"]))));
        assert_eq!(counts("Tests:       3 passed, 3 total\n"), None);

        let first = " FAIL  a.test.ts > x\n Test Files  1 failed (1)\n      Tests  1 failed | 2 passed (3)\n";
        let second = " Test Files  1 passed (1)\n      Tests  4 passed (4)\n";
        let expected = Some(("vitest".to_owned(), 6, 1, 0, names(&["a.test.ts > x"])));
        assert_eq!(counts(&format!("{first}{second}")), expected);
    }

    #[test]
    fn vitest() {
        let output = "\
 ✓ src/b.test.ts (2 tests) 3ms
⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯

 FAIL  src/a.test.ts > sum > adds
AssertionError: expected 1 to be 2

 Test Files  1 failed | 1 passed (2)
      Tests  1 failed | 2 passed | 1 skipped (4)
   Start at  10:00:00
   Duration  312ms
";
        assert_eq!(counts(output), Some(("vitest".to_owned(), 2, 1, 1, names(&["src/a.test.ts > sum > adds"]))));
        let empty = " FAIL  src/a.test.ts [ src/a.test.ts ]\n Test Files  1 failed (1)\n      Tests  no tests\n";
        assert_eq!(counts(empty), Some(("vitest".to_owned(), 0, 1, 0, names(&["src/a.test.ts [ src/a.test.ts ]"]))));
    }
}
