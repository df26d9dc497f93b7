//! gradle: `5 tests completed, 1 failed, 2 skipped`, one for each module, summed.
//!
//! It prints that only where tests failed. `BUILD SUCCESSFUL` alone says nothing about tests.

use super::{
    printed::{Printed, parse_count, parse_counts, without_noun},
    summed::{Counts, Summed},
};

pub(super) fn recognise(printed: &Printed<'_>) -> Option<Summed> {
    let failures = || {
        printed.names(|line| {
            let name = line.strip_suffix(" FAILED")?;
            (name.contains(" > ") && !name.starts_with([' ', '>'])).then_some(name)
        })
    };
    Some(Summed::new("gradle", printed, parse_summary)?.with_failures(failures))
}

fn parse_summary(line: &str) -> Option<Counts> {
    let (completed, rest) = line.split_once(" completed, ")?;
    let completed = parse_count(without_noun(completed)?)?;
    match parse_counts(rest, ",")?.as_slice() {
        [(failed, "failed")] => Some(Counts::of(completed, *failed, 0)),
        [(failed, "failed"), (skipped, "skipped")] => Some(Counts::of(completed, *failed, *skipped)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::recognise_output as recognise;

    #[test]
    fn a_failing_build() {
        let output = "\
> Task :test FAILED

FooTest > bar() FAILED
    org.opentest4j.AssertionFailedError at FooTest.java:9

FooTest > nested > baz(int)[1] FAILED

5 tests completed, 2 failed, 1 skipped

FAILURE: Build failed with an exception.

BUILD FAILED in 3s
";
        let report = recognise(output).unwrap();
        assert_eq!((report.framework.as_str(), report.passed, report.failed, report.skipped), ("gradle", 2, 2, 1));
        assert_eq!(report.failures, ["FooTest > bar()", "FooTest > nested > baz(int)[1]"]);
    }

    #[test]
    fn other_lines() {
        assert_eq!(recognise("BUILD SUCCESSFUL in 3s\n"), None);
        assert_eq!(recognise("5 tests completed, all failed\n"), None);
    }
}
