//! Commands: the last verdict of each, test runs first.
//!
//! An earlier run of the same command says nothing about now, except that something changed: a test that failed and no
//! longer does. Commands that only look around are left out; what they showed of files is known elsewhere.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    candidate::{Candidates, FactKind, Item},
    output::{cut, edges, error_line, stated_error, telling_line},
    stretch::{Done, Stretch},
};
use crate::{
    admission::Examiner,
    proposal::{AssertionProposal, FactProposal},
    shell::{Purpose, Reading},
    trace::{BlobError, Blobs, ResultData, TurnNo, claim::Assertion, result::RunData},
};

/// How many names of failed tests are given with a verdict.
const NAMED_FAILURES: usize = 4;
/// How many verdicts are worded and checked.
const MOST: usize = 24;

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
    for Newest { done, run, reading, before } in newest.into_iter().rev().take(MOST) {
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
    examiner: &mut Examiner<'_>,
    candidates: &mut Candidates<'_>,
) {
    let mut lines = BTreeSet::new();
    for verdict in verdicts.iter().rev() {
        let worth = match (verdict.test, verdict.failed) {
            (Some(_), true) => 100,
            (Some(_), false) => 90,
            (None, true) => 55,
            (None, false) if verdict.command.contains('\n') => 4,
            (None, false) if verdict.reading.purpose <= Purpose::Asks => 2,
            (None, false) if verdict.reading.purpose >= Purpose::Commits => 40,
            (None, false) => 20,
        };
        let value = worth + stretch.freshness(verdict.turn);
        // Scripts that begin alike read alike.
        if let Some(assertion) = worded(verdict, examiner)
            && lines.insert((verdict.command.lines().next(), assertion.result.clone()))
        {
            candidates.push(Item::Assertion(assertion), value, verdict.turn);
        }
        if let Some(proposal) = mended(verdict)
            && let Some(fact) = examiner.fact(&proposal)
        {
            candidates.push(Item::Fact { kind: FactKind::Verdict, fact }, value - 10, verdict.turn);
        }
    }
}

/// The fullest wording that the record bears out.
fn worded(verdict: &Verdict<'_>, examiner: &mut Examiner<'_>) -> Option<Assertion> {
    results_of(verdict).into_iter().find_map(|result| {
        let proposal = AssertionProposal {
            command: verdict.command.to_owned(),
            result,
            evidence: Some(format!("cmd#{}", verdict.number)),
        };
        examiner.assertion(&proposal)
    })
}

pub(super) fn results_of(verdict: &Verdict<'_>) -> Vec<String> {
    let ended = match verdict.run.exit_code {
        Some(code) => format!("exit {code}"),
        None if verdict.run.timed_out => "timed out".to_owned(),
        None => "ran".to_owned(),
    };
    let mut results = Vec::new();
    if let Some(tests) = &verdict.run.tests {
        let counts = counts(tests.passed, tests.failed, tests.skipped);
        if !tests.failures.is_empty() {
            let names: Vec<&str> = tests.failures.iter().take(NAMED_FAILURES).map(String::as_str).collect();
            let more = if tests.failures.len() > NAMED_FAILURES { ", …" } else { "" };
            // Which of several failures an error belongs to is not known.
            let line = error_line(&verdict.output).filter(|line| tests.failures.len() == 1 && !line.contains(names[0]));
            if let Some(line) = line.map(cut) {
                results.push(format!("{ended}, {counts}: {} ({line})", names[0]));
            }
            results.push(format!("{ended}, {counts}: {}{more}", names.join(", ")));
        }
        results.push(format!("{ended}, {counts}"));
    }
    if let Some(line) = telling_line(&verdict.output, verdict.failed) {
        results.push(format!("{ended}: {line}"));
    } else if verdict.output.trim().is_empty() {
        results.push(format!("{ended}, no output"));
    }
    results.push(ended);
    results
}

pub(super) fn counts(passed: u32, failed: u32, skipped: u32) -> String {
    let counted = [(failed, "failed"), (passed, "passed"), (skipped, "skipped")];
    let stated: Vec<String> =
        counted.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    if stated.is_empty() { "no tests".to_owned() } else { stated.join(", ") }
}

/// Tests that failed in the run before and no longer do.
fn mended(verdict: &Verdict<'_>) -> Option<FactProposal> {
    let (test, (before, earlier)) = (verdict.test?, verdict.before?);
    let (then, now) = (earlier.tests.as_ref()?, verdict.run.tests.as_ref()?);
    let gone: Vec<&str> =
        then.failures.iter().filter(|name| !now.failures.contains(name)).map(String::as_str).collect();
    if gone.is_empty() || now.failed > 0 && now.failures.is_empty() {
        return None;
    }
    let names = gone.iter().take(NAMED_FAILURES).copied().collect::<Vec<_>>().join(", ");
    let more = if gone.len() > NAMED_FAILURES { ", …" } else { "" };
    let text = format!("failed in test#{before}, no longer in test#{test}: {names}{more}");
    let evidence = vec![format!("test#{before}"), format!("test#{test}"), format!("cmd#{}", verdict.number)];
    Some(FactProposal { text, evidence })
}
