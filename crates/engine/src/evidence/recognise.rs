//! Test runs in the output of commands: which framework, how many passed, failed and were skipped, which ones failed.
//!
//! A program that prints a file or a page with a summary in it looks like a test run. Three things prevent that: the
//! command must run tests or build, by its programs; a summary must have its framework's exact shape; and the last one
//! must stand among the last 40 lines that are not empty (go's, whose shape prose does not have, anywhere). A caller does
//! not ask about output that [`super::printed`] attributes to a file.
//!
//! Failures are never undercounted. Once one summary shows that tests ran, all of them count, of every run and of every
//! framework (`pytest+jest`), wherever they stand.
//!
//! Only the last 4 MB of an output are looked at: time stays bounded, and sums leave out what lies before. Counts follow
//! one rule for all: an error or an unexpected success that the framework holds to be a failure is `failed`; an expected
//! failure, a todo and an ignored test are `skipped`.

mod cargo;
mod go;
mod gradle;
mod jest;
mod maven;
mod printed;
mod pytest;
mod summed;
mod unittest;

use std::collections::BTreeSet;

use printed::Printed;
use summed::{Counts, Summed};

use crate::{
    configuration::evidence::RECOGNISED_BYTES,
    shell::{Purpose, Reading, Script, of_runs},
    trace::result::TestReport,
};

const RECOGNISERS: [fn(&Printed<'_>) -> Option<Summed>; 9] = [
    pytest::recognise,
    unittest::recognise,
    cargo::recognise_libtest,
    cargo::recognise_nextest,
    go::recognise,
    jest::recognise_jest,
    jest::recognise_vitest,
    maven::recognise,
    gradle::recognise,
];

/// The test runs that the output of a command reports, if it does, as one. Where another program prints a text beside
/// them, nobody can tell whose words a report is.
pub fn recognise(script: &Script, output: &str) -> Option<TestReport> {
    if Reading::of(script).purpose < Purpose::Builds { None } else { recognise_output(&of_runs(script, output)?) }
}

fn recognise_output(output: &str) -> Option<TestReport> {
    let start = output.len().saturating_sub(RECOGNISED_BYTES);
    let end = (start..output.len()).find_map(|start| output.get(start..)).unwrap_or_default();
    let text = printed::without_escapes(end);
    let printed = Printed::new(&text);
    let summed: Vec<Summed> = RECOGNISERS.iter().filter_map(|recognise| recognise(&printed)).collect();
    summed.iter().any(|summed| summed.proven).then(|| merge(summed))
}

fn merge(summed: Vec<Summed>) -> TestReport {
    let mut merged = TestReport::default();
    let mut seen = BTreeSet::new();
    for Summed { report, .. } in summed {
        if merged.framework.is_empty() {
            merged.framework = report.framework;
        } else if merged.framework.rsplit('+').next() != Some(&report.framework) {
            merged.framework = format!("{}+{}", merged.framework, report.framework);
        }
        let TestReport { passed, failed, skipped, .. } = report;
        summed::add(&mut merged, Counts { passed, failed, skipped });
        merged.failures.extend(report.failures.into_iter().filter(|name| seen.insert(name.clone())));
    }
    merged
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn prose_and_source_are_no_test_runs() {
        for text in [
            "",
            "2 passed",
            "BUILD SUCCESSFUL in 3s\n4 actionable tasks: 4 executed\n",
            "Run `cargo test`; you should see test result: ok. 1 passed; 0 failed.\n",
            "OK\n",
            "FAILED tests/a.py::test_x - AssertionError\n",
            "assert \"1 failed, 2 passed in 0.12s\" in output\n",
            "    === 1 failed in 0.12s === # comment\n",
            "Tests: are in tests/\nTests run: often\n",
            "ok  \tis what go prints\n",
            "Summary [fast] 5 tests run\n",
        ] {
            assert_eq!(recognise_output(text), None, "{text}");
        }
    }

    #[test]
    fn a_summary_far_from_the_end_is_quoted_text() {
        let summary = "=== 1 failed, 2 passed in 0.12s ===\n";
        assert!(recognise_output(&format!("{summary}{}", "more\n\n".repeat(39))).is_some());
        assert_eq!(recognise_output(&format!("{summary}{}", "more\n\n".repeat(40))), None);
    }

    #[test]
    fn frameworks_are_merged() {
        let pytest = "FAILED a.py::x - assert 0\n1 failed, 2 passed in 0.01s\n";
        let jest =
            "FAIL b.test.js\n  ● a.py::x\n  ● y\nTest Suites: 1 failed, 1 total\nTests:       2 failed, 2 total\n";
        let far = "more\n".repeat(100);
        let failures = ["a.py::x", "y"].map(str::to_owned).to_vec();
        let merged = TestReport { framework: "pytest+jest".to_owned(), passed: 2, failed: 3, skipped: 0, failures };
        for output in [format!("{pytest}{jest}"), format!("{jest}{pytest}"), format!("{pytest}{far}{jest}")] {
            assert_eq!(recognise_output(&output), Some(merged.clone()), "{output}");
        }
        assert_eq!(recognise_output(&format!("{pytest}{jest}{far}")), None);
        let go = "ok  \texample.com/a\t0.1s\n";
        let report = recognise_output(&format!("{pytest}{go}{far}")).unwrap();
        assert_eq!((report.framework.as_str(), report.passed, report.failed), ("pytest+go packages", 3, 1));
    }

    #[test]
    fn a_printer_runs_no_tests() {
        let output = "=== 1 failed, 2 passed in 0.12s ===\n";
        let recognise = |command: &str| recognise(&Script::parse(command), output);
        for command in [
            "pytest",
            "make test",
            "bash -lc \"pytest\"",
            "cd x && pytest | tail -5",
            "mvn verify package",
            "git status; ls && pytest 2>&1 | tee log | tail -5; echo \"exit $?\"",
            "pytest > log; tail -n 5 log",
            "pip install -e . && pytest",
            "npm ci && python scripts/seed.py && pytest",
        ] {
            assert_eq!(recognise(command), recognise_output(output), "{command}");
        }
        for command in [
            "cat log",
            "git show HEAD:log",
            "cd x && grep passed log | tail -5",
            "curl http://x/tests",
            "gh run view 1 --log",
            "docker logs web",
            "pytest && cat log",
            "pytest > log; cat old",
            "pytest | tail -3 old",
            "pytest || echo '=== 1 failed, 2 passed in 0.12s ==='",
            "pytest -q && curl -s https://x | tail -1",
            "bash -c 'pytest; curl https://x'",
            "bash <<'E'\npytest; curl https://x\nE",
            "pytest; python -c 'print(open(\"old\").read())'",
            "pytest; python - <<'E'\nprint(1)\nE",
            "pytest; docker logs web",
            "",
        ] {
            assert_eq!(recognise(command), None, "{command}");
        }
    }

    #[test]
    fn only_the_end_of_a_huge_output_is_read() {
        let output = format!("{}\n===== 2 passed in 0.12s =====\n", "é\n".repeat(4_000_000));
        assert_eq!(recognise_output(&output).map(|report| report.passed), Some(2));
    }

    proptest! {
        #[test]
        fn nothing_panics(text in "((=+|test|Tests|Ran|FAILED|ok|---|FAIL:|●|Summary|[0-9]{1,11}|failed|passed|in|s|[:;,.(\\[\\])|>\t \n\u{1b}é-]){1,3}){0,40}") {
            recognise_output(&text);
        }
    }
}
