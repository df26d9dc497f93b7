//! go test: a line for each package, `ok  \tpkg\t0.01s` or `FAIL\tpkg\t0.01s`; with `-v` also one for each test.
//!
//! With `-v` the unit is the test, subtests and their parents alike, as `go test -json` counts them. Without it, passing
//! tests leave no trace and the unit is the package; the names are still those of the failed tests. A package that
//! failed without a failed test (it did not build, it panicked) counts as one failure, under its own name.
//!
//! A package's line proves a run wherever it stands: with its tabs, its path without blanks and its time, it is nothing
//! that prose contains, and `go test ./... && go tool cover -func=c.out` prints a line for each function behind it.

use super::{
    printed::{Printed, is_seconds},
    summed::Summed,
};
use crate::trace::result::{GO_PACKAGES, TestReport};

/// How the line of a package ends of which `-run` chose nothing.
const NONE_RAN: &str = "[no tests to run]";

enum Line<'a> {
    Test {
        outcome: &'a str,
        name: &'a str,
    },
    Passed,
    /// A package of which nothing was chosen.
    Empty,
    Failed {
        package: &'a str,
    },
    Verbose,
}

pub(super) fn recognise(printed: &Printed<'_>) -> Option<Summed> {
    let mut tests = TestReport { framework: "go".to_owned(), ..TestReport::default() };
    let mut packages = TestReport { framework: GO_PACKAGES.to_owned(), ..TestReport::default() };
    let mut verbose = false;
    let mut explained = false;
    let mut empty = false;
    for line in printed.lines.iter().filter_map(|line| parse_line(line)) {
        match line {
            Line::Test { outcome: "FAIL", name } => {
                tests.failed += 1;
                tests.failures.push(name.to_owned());
                explained = true;
            }
            Line::Test { outcome, .. } => {
                verbose = true;
                *(if outcome == "PASS" { &mut tests.passed } else { &mut tests.skipped }) += 1;
            }
            Line::Verbose => verbose = true,
            Line::Passed => {
                packages.passed += 1;
                explained = false;
            }
            Line::Empty => empty = true,
            Line::Failed { package } => {
                packages.failed += 1;
                if !explained {
                    tests.failed += 1;
                    tests.failures.push(package.to_owned());
                }
                explained = false;
            }
        }
    }
    packages.failures.clone_from(&tests.failures);
    let proven = packages.passed + packages.failed > 0 || empty;
    let report = if verbose { tests } else { packages };
    proven.then_some(Summed { report, proven })
}

fn parse_line(line: &str) -> Option<Line<'_>> {
    if let Some(test) = line.trim_start().strip_prefix("--- ") {
        let (outcome, rest) = test.split_once(": ")?;
        let (name, time) = rest.rsplit_once(" (")?;
        let ended = matches!(outcome, "PASS" | "FAIL" | "SKIP") && is_seconds(time.strip_suffix(')')?);
        return ended.then_some(Line::Test { outcome, name });
    }
    if line.starts_with("=== RUN ") {
        return Some(Line::Verbose);
    }
    let is_path = |text: &str| !text.is_empty() && !text.contains(char::is_whitespace);
    let is_time = |text: &str| is_seconds(text) || text == "(cached)";
    if let Some(package) = line.strip_prefix("ok  \t") {
        let (package, time) = package.split_once('\t')?;
        let passed = is_path(package) && is_time(time.split(['\t', ' ']).next()?);
        return passed.then(|| if line.ends_with(NONE_RAN) { Line::Empty } else { Line::Passed });
    }
    let (package, time) = line.strip_prefix("FAIL\t").map(|rest| rest.split_once(['\t', ' ']).unwrap_or((rest, "")))?;
    let failed = is_time(time) || (time.starts_with('[') && time.ends_with(" failed]"));
    (failed && is_path(package)).then_some(Line::Failed { package })
}

#[cfg(test)]
mod tests {
    use super::{super::recognise_output as recognise, GO_PACKAGES};

    fn counts(output: &str) -> Option<(u32, u32, u32, Vec<String>)> {
        let report = recognise(output)?;
        let is_verbose = output.contains("=== RUN") || output.contains("--- PASS");
        assert_eq!(report.framework, if is_verbose { "go" } else { GO_PACKAGES });
        Some((report.passed, report.failed, report.skipped, report.failures))
    }

    #[test]
    fn with_v_tests_are_counted() {
        let output = "\
=== RUN   TestA
=== RUN   TestA/one
--- FAIL: TestA (0.00s)
    --- FAIL: TestA/one (0.00s)
        a_test.go:9: wrong
=== RUN   TestB
--- PASS: TestB (0.01s)
=== RUN   TestC
--- SKIP: TestC (0.00s)
FAIL
FAIL\texample.com/a\t0.012s
FAIL\texample.com/b [build failed]
ok  \texample.com/c\t0.003s
FAIL
";
        let failures = ["TestA", "TestA/one", "example.com/b"].map(str::to_owned).to_vec();
        assert_eq!(counts(output), Some((1, 3, 1, failures)));
    }

    #[test]
    fn without_v_packages_are_counted() {
        let output = "\
--- FAIL: TestA (0.00s)
    a_test.go:9: wrong
FAIL
FAIL\texample.com/a\t0.012s
ok  \texample.com/b\t(cached)
ok  \texample.com/c\t0.01s\tcoverage: 80.0% of statements
ok  \texample.com/d\t0.01s [no tests to run]
?   \texample.com/e\t[no test files]
FAIL
";
        assert_eq!(counts(output), Some((2, 1, 0, vec!["TestA".to_owned()])));
        assert_eq!(counts("PASS\nok  \texample.com/d\t0.01s [no tests to run]\n"), Some((0, 0, 0, Vec::new())));
    }

    #[test]
    fn a_run_with_other_output_behind_it() {
        let covered = "example.com/a/a.go:3:\tF\t\t80.0%\n".repeat(5_000);
        let run = "ok  \texample.com/a\t0.1s\tcoverage: 80.0% of statements\nFAIL\texample.com/b\t0.1s\nFAIL\n";
        assert_eq!(counts(&format!("{run}{covered}")), Some((1, 1, 0, vec!["example.com/b".to_owned()])));
        assert_eq!(counts("ok  \ta package\t0.1s\n"), None);
        assert_eq!(counts("ok  \t\t0.1s\n"), None);
        assert_eq!(counts("FAIL\t\t0.1s\n"), None);
        assert_eq!(counts("ok      example.com/a   0.1s\n"), None);
    }

    #[test]
    fn other_lines() {
        assert_eq!(counts("PASS\n"), None);
        assert_eq!(counts("FAIL\tthis is text\n"), None);
        assert_eq!(counts("--- FAIL: TestA (0.00s)\n"), None);
    }
}
