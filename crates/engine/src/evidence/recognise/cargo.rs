//! cargo test: `test result: ok. 5 passed; 0 failed; …`, one for each binary; and nextest's one `Summary`.

use super::{
    printed::{Printed, is_seconds, parse_count, parse_counts, without_noun},
    summed::{Counts, Summed},
};

pub(super) fn recognise_libtest(printed: &Printed<'_>) -> Option<Summed> {
    // Of each test that failed nextest shows what it printed, and with it libtest's result for that test alone.
    let nextest = printed.lines.iter().any(|line| parse_nextest_summary(line).is_some());
    let mut captured = false;
    let summed = Summed::new("cargo", printed, |line| {
        captured |= nextest && is_nextest_capture(line);
        let counts = parse_result(line)?;
        let again = std::mem::take(&mut captured) && matches!((counts.passed, counts.failed), (1, 0) | (0, 1));
        (!again).then_some(counts)
    })?;
    // Where a test printed to the terminal, its outcome stands apart from its name; the list at the end has it, too.
    let mut listed = false;
    let failures = || {
        printed.names(|line| {
            listed = *line == "failures:" || (listed && line.starts_with("    "));
            let outcome = line.strip_prefix("test ").and_then(|rest| rest.strip_suffix(" ... FAILED"));
            outcome.or_else(|| line.strip_prefix("    ").filter(|name| listed && !name.contains(' ')))
        })
    };
    Some(summed.with_failures(failures))
}

/// `--- STDOUT:   package test ---`, later versions with lines for dashes. The newest indent what was printed.
fn is_nextest_capture(line: &str) -> bool {
    line.starts_with(['-', '─']) && line.trim_start_matches(['-', '─']).starts_with(" STDOUT: ")
}

/// `test result: FAILED. 1 passed; 2 failed; 3 ignored; 0 measured; 4 filtered out; finished in 0.00s`
fn parse_result(line: &str) -> Option<Counts> {
    let rest = line.strip_prefix("test result: ")?;
    let rest = rest.strip_prefix("ok. ").or_else(|| rest.strip_prefix("FAILED. "))?;
    let counts = match rest.split_once("; finished in ") {
        Some((counts, time)) => Some(counts).filter(|_| is_seconds(time))?,
        None => rest,
    };
    match parse_counts(counts, ";")?.as_slice() {
        [(passed, "passed"), (failed, "failed"), (skipped, "ignored"), (_, "measured"), ..] => {
            Some(Counts { passed: *passed, failed: *failed, skipped: *skipped })
        }
        _ => None,
    }
}

pub(super) fn recognise_nextest(printed: &Printed<'_>) -> Option<Summed> {
    let failures = || printed.names(|line| parse_nextest_failure(line));
    Some(Summed::new("cargo", printed, parse_nextest_summary)?.with_failures(failures))
}

/// `Summary [   0.123s] 5 tests run: 4 passed (1 slow), 1 failed, 0 skipped`; `3/5 tests run` where it was stopped.
fn parse_nextest_summary(line: &str) -> Option<Counts> {
    let (time, rest) = line.trim_start().strip_prefix("Summary [")?.split_once("] ")?;
    let (ran, outcomes) = rest.split_once(" run: ")?;
    parse_count(without_noun(ran)?.split('/').next()?).filter(|_| is_seconds(time.trim_start()))?;
    let outcomes = without_parentheses(outcomes);
    let counts = parse_counts(&outcomes, ",")?.into_iter().map(|(count, word)| (count, word.trim_end()));
    Counts::by_words(counts, [&["passed"], &["failed", "timed out", "exec failed"], &["skipped"], &[]])
}

fn without_parentheses(text: &str) -> String {
    let mut depth = 0_u32;
    let outside = |character: &char| {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => return depth == 0,
        }
        false
    };
    text.chars().filter(outside).collect()
}

/// `FAIL [   0.005s] (3/9) package module::test`: package and test, as they are printed.
fn parse_nextest_failure(line: &str) -> Option<&str> {
    let (time, rest) = line.trim_start().strip_prefix("FAIL [")?.split_once("] ")?;
    let rest = rest.trim_start();
    let name = rest.strip_prefix('(').and_then(|rest| rest.split_once(") ")).map_or(rest, |(_, name)| name);
    is_seconds(time.trim_start()).then_some(name.trim_start())
}

#[cfg(test)]
mod tests {
    use super::super::recognise_output as recognise;

    fn counts(output: &str) -> Option<(u32, u32, u32, Vec<String>)> {
        let report = recognise(output)?;
        assert_eq!(report.framework, "cargo");
        Some((report.passed, report.failed, report.skipped, report.failures))
    }

    #[test]
    fn binaries_are_summed() {
        let output = "\
     Running unittests src/lib.rs (target/debug/deps/a-1)

running 3 tests
test a::b ... FAILED
test a::c ... ok
test a::d ... hello from the test
FAILED

failures:

---- a::b stdout ----
thread 'a::b' panicked at src/lib.rs:3:5

failures:
    a::b
    a::d

test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

   Doc-tests a

running 2 tests
test src/lib.rs - f (line 3) ... ignored
test src/lib.rs - g (line 9) ... ok

test result: ok. 1 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.21s

error: test failed, to rerun pass `--lib`
";
        assert_eq!(counts(output), Some((2, 2, 1, vec!["a::b".to_owned(), "a::d".to_owned()])));
    }

    #[test]
    fn an_empty_run() {
        let output =
            "\nrunning 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n";
        assert_eq!(counts(output), Some((0, 0, 0, vec![])));
    }

    #[test]
    fn nextest_and_cargo_test() {
        let passed = "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.1s\n";
        let failed = "test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 4 filtered out\n";
        let summary = "Summary [ 0.1s] 5 tests run: 4 passed, 1 failed, 0 skipped\nFAIL [ 0.1s] engine a::b\n";
        assert_eq!(counts(&format!("{summary}{passed}")), Some((7, 1, 0, vec!["engine a::b".to_owned()])));
        for header in ["--- STDOUT:   engine a::b ---\n", "──── STDOUT:   engine a::b\n"] {
            let failures = vec!["engine a::b".to_owned()];
            assert_eq!(counts(&format!("{header}{failed}{summary}{passed}")), Some((7, 1, 0, failures)), "{header}");
            // Without a summary, nextest was stopped, and this is all there is.
            assert_eq!(counts(&format!("{header}{failed}")), Some((0, 1, 0, vec![])), "{header}");
        }
        assert_eq!(counts(&format!("{failed}{summary}{passed}")).map(|counts| counts.1), Some(2));
    }

    #[test]
    fn nextest() {
        let output = "\
        PASS [   0.004s] engine trace::ok
        FAIL [   0.005s] (2/5) engine trace::bad
────────────
     Summary [   0.123s] 5 tests run: 4 passed (1 slow, 1 leaky), 1 failed, 2 skipped
        FAIL [   0.005s] (2/5) engine trace::bad
error: test run failed
";
        assert_eq!(counts(output), Some((4, 1, 2, vec!["engine trace::bad".to_owned()])));
        assert_eq!(counts("Summary [ 1.0s] 1/3 tests run: 0 passed, 1 failed, 0 skipped"), Some((0, 1, 0, vec![])));
    }
}
