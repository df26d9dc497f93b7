//! Commands: the last verdict of each, test runs first.
//!
//! An earlier run of the same command says nothing about now, except that something changed: a test that failed and no
//! longer does. Commands that only look around are left out; what they showed of files is known elsewhere.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    candidate::{Candidates, Item},
    stretch::{Done, Stretch},
};
use crate::{
    admission::{
        Resolver,
        facts::{Stated, state},
    },
    configuration::rules::{CHANGED_SINCE, COMMAND_FAILED, COMMITTED, TESTS_FAILED, TESTS_PASSED, VERDICTS},
    evidence::output::{edges, stated_error},
    proposal::FactProposal,
    shell::{Purpose, Reading},
    trace::{BlobError, Blobs, ResultData, TurnNo, claim::ClaimKind, result::RunData},
};

pub(super) struct Verdict<'a> {
    pub(super) turn: TurnNo,
    pub(super) number: u32,
    pub(super) test: Option<u32>,
    pub(super) run: &'a RunData,
    pub(super) reading: Reading,
    /// As it is claimed to have run: without the way to its directory.
    pub(super) command: &'a str,
    pub(super) failed: bool,
    pub(super) output: String,
    /// The newest earlier run of the same command in the range.
    before: Option<(u32, &'a RunData)>,
}

/// The newest run of a command so far, and the test run before it.
struct Newest<'s, 'a> {
    done: &'s Done<'a>,
    run: &'a RunData,
    reading: Reading,
    before: Option<(u32, &'a RunData)>,
}

/// Those that no later run of the same command behind the range has overtaken.
pub(super) fn still_newest<'a>(verdicts: Vec<Verdict<'a>>, stretch: &Stretch<'a>) -> Vec<Verdict<'a>> {
    let later = stretch.runs_behind();
    let overtaken: BTreeSet<String> = later.map(|run| run.reading().key(&run.command)).collect();
    let is_overtaken = |verdict: &Verdict<'_>| overtaken.contains(&verdict.reading.key(&verdict.run.command));
    // Where tests ran again, those before them no longer say where the work stands.
    let tests = verdicts.iter().filter(|verdict| verdict.test.is_some() && is_overtaken(verdict));
    let newest_test = tests.map(|verdict| verdict.number).max().unwrap_or(0);
    let holds =
        |verdict: &Verdict<'_>| !is_overtaken(verdict) && (verdict.test.is_none() || verdict.number > newest_test);
    verdicts.into_iter().filter(holds).collect()
}

/// The last run of each command that does more than look, oldest first.
pub(super) fn last_verdicts<'a>(stretch: &Stretch<'a>, blobs: &dyn Blobs) -> Result<Vec<Verdict<'a>>, BlobError> {
    let mut last: BTreeMap<String, Newest<'_, 'a>> = BTreeMap::new();
    for done in &stretch.done {
        let (ResultData::Run(run), Some(_)) = (&done.result.data, done.command) else { continue };
        let reading = run.reading();
        if run.tests.is_some() || reading.purpose > Purpose::Looks {
            let key = reading.key(&run.command);
            let before = last.get(&key).and_then(|newest| newest.done.test.map(|test| (test, newest.run)));
            last.insert(key, Newest { done, run, reading, before });
        }
    }
    let mut newest: Vec<Newest<'_, 'a>> = last.into_values().collect();
    newest.sort_by_key(|newest| (newest.done.test.is_some(), newest.done.command));
    let mut verdicts = Vec::new();
    for Newest { done, run, reading, before } in newest.into_iter().rev().take(VERDICTS) {
        let output = edges(&done.result.text.bytes(blobs)?);
        // Behind a pipe the code is that of `head`.
        let fails_loudly = matches!(reading.purpose, Purpose::Builds | Purpose::Commits);
        let hidden = || run.command.contains('|') && fails_loudly && stated_error(&output).is_some();
        let failed = run.exit_code.is_some_and(|code| code != 0)
            || run.tests.as_ref().map_or_else(hidden, |tests| tests.failed > 0);
        verdicts.push(Verdict {
            turn: done.turn,
            number: done.command.unwrap_or_default(),
            test: done.test,
            run,
            reading,
            command: reading.claimed(&run.command),
            failed,
            output,
            before,
        });
    }
    verdicts.sort_by_key(|verdict| verdict.number);
    Ok(verdicts)
}

pub(super) fn propose(
    verdicts: &[Verdict<'_>],
    stretch: &Stretch<'_>,
    resolver: &mut Resolver<'_>,
    candidates: &mut Candidates<'_>,
) {
    let mut lines = BTreeSet::new();
    for verdict in verdicts.iter().rev() {
        let worth = match (verdict.test, verdict.failed) {
            (Some(_), true) => TESTS_FAILED,
            (Some(_), false) => TESTS_PASSED,
            (None, true) => COMMAND_FAILED,
            (None, false) if verdict.reading.purpose >= Purpose::Commits => COMMITTED,
            // That it ran and ended well stands in the log of calls.
            (None, false) => continue,
        };
        let value = worth + stretch.freshness(verdict.turn);
        // Scripts that begin alike read alike.
        let proposal = FactProposal::new(ClaimKind::Verdict, vec![format!("cmd#{}", verdict.number)]);
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
