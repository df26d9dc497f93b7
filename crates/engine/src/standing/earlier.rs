//! Runs that failed before the newest one and that it does not speak for: it ran a part of them, or runs elsewhere.

use std::sync::Arc;

use super::{
    past::Past,
    runs::{Kind, Newest, judged, may_be},
};
use crate::{
    configuration::standing::EARLIER_RUNS,
    shell::{is_part_of, lie_apart, names_test, parts_of},
    trace::{BlobError, claim::RunVerdict, result::RunData},
};

/// A failing run, and which of its failing tests no newer run has run again.
pub(super) struct Earlier<'a> {
    pub(super) run: Newest<'a>,
    pub(super) left: Vec<&'a str>,
}

/// The newest first.
pub(super) fn still_failing<'a>(
    past: Past<'a>,
    kind: Kind,
    newest: &Newest<'a>,
) -> Result<Vec<Earlier<'a>>, BlobError> {
    let key = past.run_key(&newest.done, newest.run);
    let mut newer: Vec<(Arc<str>, &RunData)> = vec![(key.clone(), newest.run)];
    let mut found = Vec::new();
    let older = past.done().skip_while(|done| done.command.is_none_or(|number| number >= newest.number));
    for run in older.filter_map(|done| judged(past, done, kind).transpose()).take(EARLIER_RUNS) {
        let run = run?;
        let own = past.run_key(&run.done, run.run);
        // What a chain of commands comes to is its last one, which may have run alone since.
        let last = parts_of(&own).last().unwrap_or_default();
        let covers = |key: &str| key == &*own || key == last || is_part_of(&own, key) || is_part_of(&last, key);
        let is_again = newer.iter().any(|(key, _)| covers(key));
        let unsaid = is_part_of(&key, &own) || lie_apart(&key, &own);
        if run.verdict == RunVerdict::Failed && unsaid && !is_again {
            let failures = run.run.tests.as_deref().map(|tests| tests.failures.as_slice()).unwrap_or_default();
            let mended = |test: &str| newer.iter().any(|(key, run)| ran_well(key, run, test));
            let left: Vec<&str> = failures.iter().map(String::as_str).filter(|test| !mended(test)).collect();
            if failures.is_empty() || !left.is_empty() {
                newer.push((own, run.run));
                found.push(Earlier { run, left });
                continue;
            }
        }
        if run.verdict != RunVerdict::Unknown {
            newer.push((own, run.run));
        }
    }
    Ok(found)
}

fn ran_well(key: &str, run: &RunData, test: &str) -> bool {
    run.tests.as_deref().is_some_and(|tests| tests.passed > 0 && !tests.failures.iter().any(|failed| failed == test))
        && names_test(key, test)
}

/// The newest earlier run of which this one is a part.
pub(super) fn wider(past: Past<'_>, kind: Kind, newest: &Newest<'_>) -> Option<u32> {
    let key = past.run_key(&newest.done, newest.run);
    let runs = past.done().filter_map(|done| done.run().map(|(number, run)| (number, run, done)));
    let runs = runs.skip_while(|(number, ..)| *number >= newest.number);
    let mut runs = runs.filter(|(_, run, _)| may_be(run, kind)).take(EARLIER_RUNS);
    runs.find(|(_, run, done)| is_part_of(&key, &past.run_key(done, run))).map(|(number, ..)| number)
}
