//! Tests that changed their state between two runs.

use super::{Ran, failed, listed, with_remarks};
use crate::{
    admission::{
        RefusalKind,
        facts::{evidence_of, other_thing},
        resolve::Resolver,
    },
    history::History,
    shell::is_part_of,
    trace::{
        TurnNo,
        claim::Evidence,
        result::{RunData, TestReport},
    },
};

/// A test that an older run shows otherwise. Only a run of the same tests or more can show that one is mended, and only
/// one that names all its failures.
pub(in crate::admission) fn test_changed(
    pointers: &[String],
    until: TurnNo,
    resolver: &mut Resolver<'_>,
) -> Result<(String, Vec<Evidence>), RefusalKind> {
    let needs = "two test runs (test#N, test#M)";
    let evidence = evidence_of(pointers, resolver)?;
    let mut runs = Vec::new();
    for pointer in pointers {
        let command = resolver.resolve(pointer)?.command.and_then(|number| Ran::numbered(resolver.history, number));
        let run = command.and_then(|ran| Some((ran, ran.run.tests.as_deref()?)));
        runs.push((pointer.as_str(), run.ok_or_else(|| other_thing(pointers, needs))?));
    }
    runs.sort_by_key(|(_, (ran, _))| ran.number);
    let [(old, (first, before)), (new, (second, after))] = runs[..] else { return Err(other_thing(pointers, needs)) };
    let changed = |one: (Ran<'_>, &TestReport), other: (Ran<'_>, &TestReport)| -> Vec<String> {
        let shows = covers(other.0, one.0) && names_all(other.0.run, other.1);
        one.1.failures.iter().filter(|name| shows && !other.1.failures.contains(name)).cloned().collect()
    };
    let mended = changed((first, before), (second, after));
    let broken = changed((second, after), (first, before));
    let mut parts = Vec::new();
    if !mended.is_empty() {
        parts.push(format!("failed in {old}, no longer in {new}: {}", listed(mended.iter().map(String::as_str))));
    }
    if !broken.is_empty() {
        parts.push(format!("fails in {new}, not in {old}: {}", listed(broken.iter().map(String::as_str))));
    }
    if parts.is_empty() {
        return Err(other_thing(pointers, "two runs of the same tests between which one changed"));
    }
    Ok((with_remarks(parts.join("; "), second, until, resolver.history), evidence))
}

/// Whether command `other` ran what command `first` had run, or more.
pub(in crate::admission) fn runs_again(history: &History, first: u32, other: u32) -> bool {
    let runs = Ran::numbered(history, first).zip(Ran::numbered(history, other));
    runs.is_some_and(|(first, other)| covers(other, first))
}

/// Whether it ran all that the other ran.
fn covers(ran: Ran<'_>, other: Ran<'_>) -> bool {
    let (key, part) = (ran.key(), other.key());
    key == part || is_part_of(&part, &key)
}

fn names_all(run: &RunData, tests: &TestReport) -> bool {
    tests.failures.len() as u32 >= tests.failed && (tests.failed > 0 || !failed(run))
}
