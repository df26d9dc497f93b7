//! maven's surefire: `Tests run: 5, Failures: 1, Errors: 0, Skipped: 0`, one total for each module, summed.
//!
//! The lines for single classes look alike but go on with their time, and are not counted.

use super::{
    printed::{Printed, parse_count},
    summed::{Counts, Summed},
};

pub(super) fn recognise(printed: &Printed<'_>) -> Option<Summed> {
    let failures = || printed.names(|line| parse_failure(line));
    Some(Summed::new("maven", printed, parse_total)?.with_failures(failures))
}

fn without_level(line: &str) -> &str {
    ["[INFO] ", "[ERROR] ", "[WARNING] "].iter().find_map(|level| line.strip_prefix(level)).unwrap_or(line)
}

fn parse_total(line: &str) -> Option<Counts> {
    let mut parts = without_level(line).split(", ");
    let mut counts = [0; 4];
    for (count, label) in counts.iter_mut().zip(["Tests run: ", "Failures: ", "Errors: ", "Skipped: "]) {
        *count = parse_count(parts.next()?.strip_prefix(label)?)?;
    }
    let [ran, failures, errors, skipped] = counts;
    parts.next().is_none().then(|| Counts::of(ran, failures.saturating_add(errors), skipped))
}

/// `com.x.FooTest.bar -- Time elapsed: 0.01 s <<< FAILURE!`, in older versions `bar(com.x.FooTest)  Time elapsed: …`.
fn parse_failure(line: &str) -> Option<&str> {
    let text = without_level(line);
    let test = text.strip_suffix("<<< FAILURE!").or_else(|| text.strip_suffix("<<< ERROR!"))?;
    let (name, _) = test.split_once("Time elapsed: ")?;
    let name = name.trim_end_matches([' ', '-']);
    (!name.is_empty() && !name.starts_with("Tests run:")).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::super::recognise_output as recognise;

    #[test]
    fn modules_are_summed_and_classes_are_not() {
        let output = "\
[INFO] Running com.x.FooTest
[ERROR] Tests run: 3, Failures: 1, Errors: 1, Skipped: 0, Time elapsed: 0.05 s <<< FAILURE! -- in com.x.FooTest
[ERROR] com.x.FooTest.bar -- Time elapsed: 0.01 s <<< FAILURE!
org.opentest4j.AssertionFailedError: expected: <1> but was: <2>
[ERROR] baz(com.x.FooTest)  Time elapsed: 0.003 s  <<< ERROR!
[INFO] Results:
[INFO]
[ERROR] Failures:
[ERROR]   FooTest.bar:23 expected: <1> but was: <2>
[INFO]
[ERROR] Tests run: 3, Failures: 1, Errors: 1, Skipped: 0
[INFO]
[WARNING] Tests run: 4, Failures: 0, Errors: 0, Skipped: 1
[INFO] BUILD FAILURE
";
        let report = recognise(output).unwrap();
        assert_eq!((report.framework.as_str(), report.passed, report.failed, report.skipped), ("maven", 4, 2, 1));
        assert_eq!(report.failures, ["com.x.FooTest.bar", "baz(com.x.FooTest)"]);
    }

    #[test]
    fn other_lines() {
        assert_eq!(recognise("Tests run: 3, Failures: 1\n"), None);
        assert_eq!(
            recognise("[INFO] Tests run: 1, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 1 s - in A\n"),
            None
        );
        let old = "Results :\n\nTests run: 1, Failures: 0, Errors: 0, Skipped: 0\n";
        assert_eq!(recognise(old).map(|report| report.passed), Some(1));
    }
}
