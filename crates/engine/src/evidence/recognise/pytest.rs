//! pytest: `=== 1 failed, 2 passed in 0.12s ===`, with `-q` without the signs.

use super::{
    printed::{Printed, is_seconds, parse_counts},
    summed::{Counts, Summed},
};

pub(super) fn recognise(printed: &Printed<'_>) -> Option<Summed> {
    let failures = || printed.names(|line| parse_failure(line));
    Some(Summed::new("pytest", printed, parse_summary)?.with_failures(failures))
}

fn parse_summary(line: &str) -> Option<Counts> {
    let framed = line.strip_prefix('=').and_then(|rest| rest.trim_start_matches('=').strip_prefix(' '));
    let text = match framed {
        Some(text) => text.trim_end_matches('=').strip_suffix(' ')?,
        None => line,
    };
    let (counts, time) = text.rsplit_once(" in ")?;
    // After a minute, `75.00s (0:01:15)`.
    let seconds = time.strip_suffix(')').and_then(|time| time.split_once(" (")).map_or(time, |(seconds, _)| seconds);
    if !is_seconds(seconds) {
        return None;
    }
    if counts == "no tests ran" {
        return Some(Counts::default());
    }
    let words: [&[&str]; 4] = [
        &["passed", "xpassed"],
        &["failed", "error", "errors"],
        &["skipped", "xfailed"],
        &["deselected", "warning", "warnings", "rerun", "subtests passed"],
    ];
    Counts::by_words(parse_counts(counts, ",")?, words)
}

/// `FAILED tests/a.py::test_x[a - b] - assert 1 == 2`: the name ends at the dash that is outside its brackets.
fn parse_failure(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("FAILED ").or_else(|| line.strip_prefix("ERROR "))?;
    let end = rest
        .match_indices(" - ")
        .map(|(at, _)| at)
        .find(|at| !rest[..*at].contains('[') || rest[..*at].ends_with(']'))
        .unwrap_or(rest.len());
    let name = &rest[..end];
    (!name.starts_with(' ') && (name.contains("::") || name.ends_with(".py"))).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::super::recognise_output as recognise;
    use crate::trace::result::TestReport;

    fn report(passed: u32, failed: u32, skipped: u32, failures: &[&str]) -> Option<TestReport> {
        let failures = failures.iter().map(ToString::to_string).collect();
        Some(TestReport { framework: "pytest".to_owned(), passed, failed, skipped, failures })
    }

    #[test]
    fn a_failing_run() {
        let output = "\
============================= test session starts ==============================
collected 5 items

tests/test_a.py .F.E                                                     [100%]

=================================== FAILURES ===================================
____________________________________ test_x ____________________________________
E       assert 1 == 2
------------------------------ Captured log call -------------------------------
ERROR    root:a.py:10 boom
=========================== short test summary info ============================
FAILED tests/test_a.py::test_x - assert 1 == 2
FAILED tests/test_a.py::test_y[a - b] - ValueError: x - y
ERROR tests/test_a.py::test_z
============== 2 failed, 2 passed, 1 warning, 1 error in 0.12s =================
";
        let names = ["tests/test_a.py::test_x", "tests/test_a.py::test_y[a - b]", "tests/test_a.py::test_z"];
        assert_eq!(recognise(output), report(2, 3, 0, &names));
    }

    #[test]
    fn short_forms() {
        assert_eq!(recognise("..\n2 passed in 0.01s\n"), report(2, 0, 0, &[]));
        let colours = "\u{1b}[31m\u{1b}[1m1 failed\u{1b}[0m, \u{1b}[32m2 passed\u{1b}[0m\u{1b}[31m in 0.1s\u{1b}[0m\n";
        assert_eq!(recognise(colours), report(2, 1, 0, &[]));
        let counts = "1 passed, 2 skipped, 3 deselected, 4 xfailed, 5 xpassed in 75.00s (0:01:15)";
        assert_eq!(recognise(&format!("== {counts} ==")), report(6, 0, 6, &[]));
        assert_eq!(recognise("==== no tests ran in 0.01s ====\n"), report(0, 0, 0, &[]));
        assert_eq!(recognise("no tests ran in 0.01s\n"), report(0, 0, 0, &[]));
        assert_eq!(
            recognise("ERROR tests/a.py\n!!! Interrupted !!!\n1 error in 0.2s"),
            report(0, 1, 0, &["tests/a.py"])
        );
    }

    #[test]
    fn runs_are_summed() {
        let first = "FAILED a.py::x - assert 0\n=== 1 failed, 1 skipped in 0.01s ===\n";
        assert_eq!(recognise(&format!("{first}2 passed in 0.02s\n")), report(2, 1, 1, &["a.py::x"]));
        assert_eq!(recognise(&format!("{first}{first}")), report(0, 2, 2, &["a.py::x"]));
        let far = format!("{first}{}=== 2 passed in 0.02s ===\n", "more\n".repeat(100));
        assert_eq!(recognise(&far), report(2, 1, 1, &["a.py::x"]));
    }

    #[test]
    fn other_lines() {
        for line in ["3 files in 0.1s", "2 passed in time", "1 passed", "== 2 passed in 0.1s", "about 2 passed in 0.1s"]
        {
            assert_eq!(recognise(line), None, "{line}");
        }
    }
}
