//! Commands: the last verdict of each, test runs first.
//!
//! An earlier run of the same command says nothing about now, except that something changed: a test that failed and no
//! longer does. Commands that only look around are left out; what they showed of files is known elsewhere.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::{
    candidate::{Candidate, Candidates, Item},
    stretch::{Done, Stretch},
};
use crate::{
    admission::{
        Resolver,
        facts::{Stated, state},
    },
    configuration::rules::{CHANGED_SINCE, COMMAND_FAILED, COMMITTED, TESTS_FAILED, TESTS_PASSED, VERDICTS},
    evidence::output::edges,
    proposal::FactProposal,
    shell::{Purpose, Reading, is_part_of, parts_of},
    standing::hides_failure,
    trace::{
        BlobError, Blobs, ResultData, TurnNo,
        claim::{ClaimKind, Fact},
        result::RunData,
    },
};

pub(super) struct Verdict<'a> {
    pub(super) turn: TurnNo,
    pub(super) number: u32,
    pub(super) test: Option<u32>,
    pub(super) reading: Reading,
    /// What it is known by: two runs of one key are runs of the same thing.
    pub(super) key: Arc<str>,
    /// As it is claimed to have run: without the way to its directory.
    pub(super) command: &'a str,
    pub(super) failed: bool,
    pub(super) output: String,
    /// The newest earlier run of the same command in the range.
    before: Option<(u32, &'a RunData)>,
}

/// The newest run of a command so far, and the test run before it.
struct Newest<'s, 'a> {
    key: Arc<str>,
    done: &'s Done<'a>,
    run: &'a RunData,
    reading: Reading,
    before: Option<(u32, &'a RunData)>,
}

/// The last run of each command that does more than look, oldest first.
pub(super) fn last_verdicts<'a>(stretch: &Stretch<'a>, blobs: &dyn Blobs) -> Result<Vec<Verdict<'a>>, BlobError> {
    let mut last: BTreeMap<Arc<str>, Newest<'_, 'a>> = BTreeMap::new();
    for done in &stretch.done {
        let (ResultData::Run(run), Some(_)) = (&done.result.data, done.command) else { continue };
        let reading = run.reading();
        if run.tests.is_some() || reading.purpose > Purpose::Looks {
            let key = stretch.run_key(done, run);
            let before = last.get(&key).and_then(|newest| newest.done.test.map(|test| (test, newest.run)));
            last.insert(key.clone(), Newest { key, done, run, reading, before });
        }
    }
    let mut newest: Vec<Newest<'_, 'a>> = last.into_values().collect();
    let again: Vec<Newer> = newest.iter().filter(|newest| says_how_it_ended(newest)).map(Newer::of).collect();
    newest.retain(|newest| !again.iter().any(|newer| newer.ran_again(newest)));
    newest.sort_by_key(|newest| (newest.done.test.is_some(), newest.done.command));
    let mut verdicts = Vec::new();
    for Newest { key, done, run, reading, before } in newest.into_iter().rev().take(VERDICTS) {
        let output = edges(&done.result.text.bytes(blobs)?);
        let hidden = || hides_failure(run, &output);
        let failed = run.exit_code.is_some_and(|code| code != 0)
            || run.tests.as_ref().map_or_else(hidden, |tests| tests.failed > 0);
        verdicts.push(Verdict {
            turn: done.turn,
            number: done.command.unwrap_or_default(),
            test: done.test,
            reading,
            key,
            command: reading.claimed(&run.command),
            failed,
            output,
            before,
        });
    }
    verdicts.sort_by_key(|verdict| verdict.number);
    Ok(verdicts)
}

/// A run of tests or of a build whose verdict is known, and the keys of what it ran.
struct Newer {
    number: Option<u32>,
    key: Arc<str>,
    parts: Vec<String>,
}

impl Newer {
    fn of(newest: &Newest<'_, '_>) -> Self {
        Self { number: newest.done.command, key: newest.key.clone(), parts: parts_of(&newest.key).collect() }
    }

    /// Whether this ran all of an older run: then the older one says nothing about now.
    fn ran_again(&self, older: &Newest<'_, '_>) -> bool {
        let covers = |part: &String| self.parts.contains(part) || is_part_of(part, &self.key);
        let is_run = older.done.test.is_some() || older.reading.purpose >= Purpose::Builds;
        is_run && self.number > older.done.command && parts_of(&older.key).all(|part| covers(&part))
    }
}

/// Of a chain that failed nobody knows what ran.
fn says_how_it_ended(newest: &Newest<'_, '_>) -> bool {
    let code = newest.run.exit_code.filter(|_| !newest.run.command.contains('|'));
    let is_chain = parts_of(&newest.key).count() > 1;
    code == Some(0) || (!is_chain && (code.is_some() || newest.run.tests.is_some()))
}

pub(super) fn propose(
    verdicts: &[Verdict<'_>],
    stretch: &Stretch<'_>,
    resolver: &mut Resolver<'_>,
    candidates: &mut Candidates<'_>,
) {
    let mut lines = BTreeSet::new();
    let went_well = well_since(stretch);
    for verdict in verdicts.iter().rev() {
        let worth = match (verdict.test, verdict.failed) {
            (Some(_), true) => TESTS_FAILED,
            (Some(_), false) => TESTS_PASSED,
            // What was done since in another chain, and what failed without a word, says nothing.
            (None, true)
                if verdict.reading.purpose < Purpose::Builds
                    && (verdict.reading.purpose <= Purpose::Asks
                        || verdict.output.trim().is_empty()
                        || went_well.get(&*verdict.key) > Some(&verdict.number)) =>
            {
                continue;
            }
            (None, true) => COMMAND_FAILED,
            (None, false) if verdict.reading.purpose >= Purpose::Commits => COMMITTED,
            // That it ran and ended well stands in the log of calls.
            (None, false) => continue,
        };
        let value = worth + stretch.freshness(verdict.turn);
        let pointers = vec![format!("cmd#{}", verdict.number)];
        if let Ok(Stated::Fact(fact)) =
            state(&FactProposal::new(ClaimKind::Commit, pointers.clone()), stretch.range.last, resolver)
        {
            candidates.push(Item::Fact(fact), value, verdict.turn);
            continue;
        }
        // Scripts that begin alike read alike.
        let proposal = FactProposal::new(ClaimKind::Verdict, pointers);
        if let Ok(Stated::Run(assertion)) = state(&proposal, stretch.range.last, resolver)
            && lines.insert((verdict.command.lines().next(), assertion.result.clone()))
        {
            candidates.push(Item::Assertion(assertion), value, verdict.turn);
        }
        if let (Some(test), Some((before, _))) = (verdict.test, verdict.before) {
            let pointers = vec![format!("test#{before}"), format!("test#{test}")];
            let proposal = FactProposal::new(ClaimKind::TestChanged, pointers);
            if let Ok(Stated::Fact(fact)) = state(&proposal, stretch.range.last, resolver) {
                candidates.push(Item::Fact(fact), value - CHANGED_SINCE, verdict.turn);
            }
        }
    }
}

/// The tests of the block that changed their state, newest first, as a board says it: with what happened behind the range.
pub(super) fn changed_as_of_now(chosen: &[Candidate], stretch: &Stretch<'_>, resolver: &mut Resolver<'_>) -> Vec<Fact> {
    let now = TurnNo(stretch.bench.history.turns().saturating_sub(1));
    let mut changed: Vec<_> = chosen
        .iter()
        .filter_map(|candidate| match &candidate.item {
            Item::Fact(fact) if fact.kind == ClaimKind::TestChanged => Some((candidate.turn, fact)),
            _ => None,
        })
        .collect();
    changed.sort_by_key(|(turn, _)| std::cmp::Reverse(*turn));
    let restated = changed.into_iter().map(|(_, fact)| state(&FactProposal::of(fact), now, resolver));
    restated.filter_map(|stated| if let Ok(Stated::Fact(fact)) = stated { Some(fact) } else { None }).collect()
}

/// The newest commands that went well, alone or as a part of a chain, with their numbers.
fn well_since(stretch: &Stretch<'_>) -> BTreeMap<String, u32> {
    let mut found = BTreeMap::new();
    for done in &stretch.done {
        if let (ResultData::Run(run), Some(number)) = (&done.result.data, done.command)
            && run.exit_code == Some(0)
        {
            found.extend(parts_of(&stretch.run_key(done, run)).map(|part| (part, number)));
        }
    }
    found
}
