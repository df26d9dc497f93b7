//! Python's unittest (and Django's runner): `Ran 3 tests in 0.001s`, then `OK` or `FAILED (failures=1)`.

use super::{
    printed::{Printed, is_seconds, parse_count, without_noun},
    summed::{Counts, Summed},
};

pub(super) fn recognise(printed: &Printed<'_>) -> Option<Summed> {
    let mut ran = None;
    let summed = Summed::new("unittest", printed, |line| {
        if line.is_empty() {
            return None;
        }
        let before = std::mem::replace(&mut ran, parse_ran(line))?;
        let Counts { failed, skipped, .. } = parse_outcome(line)?;
        // An error in setting up a class is counted, but was no test that ran.
        Some(Counts::of(before, failed, skipped))
    })?;
    let failures = || printed.names(|line| line.strip_prefix("FAIL: ").or_else(|| line.strip_prefix("ERROR: ")));
    Some(summed.with_failures(failures))
}

fn parse_ran(line: &str) -> Option<u32> {
    let (count, time) = line.strip_prefix("Ran ")?.split_once(" in ")?;
    parse_count(without_noun(count)?).filter(|_| is_seconds(time))
}

/// Of what was counted none passed: it only says how many ran.
fn parse_outcome(line: &str) -> Option<Counts> {
    let counts = match line.split_once(" (") {
        Some(("OK" | "FAILED" | "NO TESTS RAN", counts)) => counts.strip_suffix(')')?,
        None if matches!(line, "OK" | "NO TESTS RAN") => return Some(Counts::default()),
        _ => return None,
    };
    let counts = counts.split(", ").map(|part| {
        let (word, count) = part.split_once('=')?;
        Some((parse_count(count)?, word))
    });
    let counts = counts.collect::<Option<Vec<_>>>()?;
    let failed = ["failures", "errors", "unexpected successes"];
    Counts::by_words(counts, [&[], &failed, &["skipped", "expected failures"], &[]])
}

#[cfg(test)]
mod tests {
    use super::super::recognise_output as recognise;

    #[test]
    fn a_failing_run() {
        let output = "\
.FEs.
======================================================================
ERROR: test_y (test_a.A.test_y)
----------------------------------------------------------------------
Traceback (most recent call last):
ValueError: x

======================================================================
FAIL: test_x (test_a.A)
----------------------------------------------------------------------
AssertionError: 1 != 2

----------------------------------------------------------------------
Ran 6 tests in 0.001s

FAILED (failures=1, errors=1, skipped=2)
";
        let report = recognise(output).unwrap();
        assert_eq!((report.framework.as_str(), report.passed, report.failed, report.skipped), ("unittest", 2, 2, 2));
        assert_eq!(report.failures, ["test_y (test_a.A.test_y)", "test_x (test_a.A)"]);
    }

    #[test]
    fn runs_are_summed() {
        let first = "FAIL: test_x (a.A)\nRan 2 tests in 0.001s\n\nFAILED (failures=1)\n";
        let output = format!("{first}{}Ran 3 tests in 0.001s\n\nOK (skipped=1)\n", "more\n".repeat(100));
        let report = recognise(&output).unwrap();
        assert_eq!((report.passed, report.failed, report.skipped), (3, 1, 1));
        assert_eq!(report.failures, ["test_x (a.A)"]);
        assert_eq!(recognise("Ran 1 test in 0.000s\nmore\nOK\n"), None);
    }

    #[test]
    fn other_outcomes() {
        let counts = |outcome: &str| {
            recognise(&format!("Ran 3 tests in 0.001s\n\n{outcome}\nDestroying test database…\n"))
                .map(|report| (report.passed, report.failed, report.skipped))
        };
        assert_eq!(counts("OK"), Some((3, 0, 0)));
        assert_eq!(counts("OK (skipped=1, expected failures=1)"), Some((1, 0, 2)));
        assert_eq!(counts("FAILED (unexpected successes=1)"), Some((2, 1, 0)));
        assert_eq!(counts("OK then"), None);
        assert_eq!(recognise("Ran 0 tests in 0.000s\n\nNO TESTS RAN\n").map(|report| report.passed), Some(0));
        assert_eq!(recognise("Ran 1 test in 0.000s\n\nOK\n").map(|report| report.passed), Some(1));
        assert_eq!(recognise("Ran 1 test in 0.000s\n"), None);
    }
}
