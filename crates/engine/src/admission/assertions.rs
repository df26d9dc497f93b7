//! Commands and their results: the command ran, and what is stated of its outcome is in the record.
//!
//! Where no run is named, the newest one of that command is meant: an older verdict says nothing about now.

use std::rc::Rc;

use super::{
    Refusal, RefusalKind,
    checkable::{Checkable, checkables},
    counts::other_count,
    facts::shows,
    resolve::{Resolved, Resolver},
    runs::succeeded,
    verdict::{claims_success, stated_exit},
};
use crate::{
    evidence::pointer::{Place, Pointer},
    proposal::{AssertionProposal, StatusProposal, one_line},
    shell::Purpose,
    trace::claim::{Assertion, Evidence, RunStatus, WorkStatus},
    trace::result::RunData,
};

pub(super) fn admit(proposal: AssertionProposal, resolver: &mut Resolver<'_>) -> Result<Assertion, Refusal> {
    let proposal = AssertionProposal { result: one_line(&proposal.result), ..proposal };
    match check(&proposal, resolver) {
        Ok(evidence) => Ok(Assertion { command: proposal.command, result: proposal.result, evidence }),
        Err(kind) => {
            let claim = match proposal.result.as_str() {
                "" => proposal.command,
                result => format!("{} → {result}", proposal.command),
            };
            Err(Refusal::dropped(claim, kind))
        }
    }
}

fn check(proposal: &AssertionProposal, resolver: &mut Resolver<'_>) -> Result<Evidence, RefusalKind> {
    if proposal.command.is_empty() || proposal.result.is_empty() {
        return Err(RefusalKind::Blank);
    }
    let number = match &proposal.evidence {
        Some(pointer) => {
            resolver.resolve(pointer)?.command.filter(|number| is_run_of(*number, &proposal.command, resolver))
        }
        None => newest(resolver, |run| is_command(run, &proposal.command)),
    };
    let number = number.ok_or(RefusalKind::CommandNeverRan)?;
    check_outcome(&proposal.result, number, resolver)
}

fn is_run_of(number: u32, command: &str, resolver: &Resolver<'_>) -> bool {
    resolver.run(number).is_some_and(|run| is_command(run, command))
}

/// The command itself, or without what leads to its place: `cd web && npm test` ran `npm test`.
fn is_command(run: &RunData, claimed: &str) -> bool {
    let claimed = claimed.trim();
    run.command.trim() == claimed || run.reading().claimed(&run.command) == claimed
}

fn newest(resolver: &Resolver<'_>, wanted: impl Fn(&RunData) -> bool) -> Option<u32> {
    let live = |number: &u32| {
        let (turn, index) = resolver.history.index().commands[*number as usize - 1];
        let result = resolver.history.index().tool_turn(turn).and_then(|step| step.calls.get(index as usize)?.result());
        result.is_some_and(|event| resolver.history.is_live(event))
    };
    let numbers = (1..=resolver.history.index().commands.len() as u32).rev();
    numbers.filter(live).find(|number| resolver.run(*number).is_some_and(&wanted))
}

/// A stated exit code, verdict, count, name or quote must be that of the run.
fn check_outcome(result: &str, number: u32, resolver: &mut Resolver<'_>) -> Result<Evidence, RefusalKind> {
    let Some(run) = resolver.run(number) else { return Err(RefusalKind::CommandNeverRan) };
    let pointer = Pointer { session: None, place: Place::Cmd { number, exit: run.exit_code } }.to_string();
    let resolved = resolver.resolve(&pointer)?;
    let other_exit = || RefusalKind::OtherExit {
        pointer: format!("cmd#{number}"),
        found: run.exit_code.map_or("no exit code".into(), |code| format!("exit {code}")),
    };
    if stated_exit(result).is_some_and(|stated| run.exit_code != Some(stated)) {
        return Err(other_exit());
    }
    if claims_success(result) && !succeeded(run) {
        return Err(other_exit());
    }
    let not_there = |what: String| RefusalKind::NotInEvidence { what, pointers: pointer.clone() };
    if let Some(what) = run.tests.as_ref().and_then(|report| other_count(result, report)) {
        return Err(not_there(what));
    }
    match checkables(result).into_iter().find(|checkable| !in_run(checkable, &resolved, run)) {
        Some(checkable) => Err(not_there(checkable.render())),
        None => Ok(resolved.evidence.clone()),
    }
}

fn in_run(checkable: &Checkable, resolved: &Rc<Resolved>, run: &RunData) -> bool {
    let counted = |number: &str| {
        let report = run.tests.as_ref();
        report.is_some_and(|report| {
            let all = report.passed + report.failed + report.skipped;
            [report.passed, report.failed, report.skipped, all].iter().any(|count| count.to_string() == number)
        })
    };
    shows(resolved, checkable)
        || match checkable {
            // Output can say where it happened: `a.py:12:` is line 12.
            Checkable::Line(line) => Checkable::Number(line.to_string()).occurs_in(&resolved.text),
            Checkable::Number(number) => counted(number),
            _ => false,
        }
}

/// Where tests and build stand: by the newest run that can say so. What does not hold is left out.
pub(super) fn admit_status(
    proposal: StatusProposal,
    resolver: &mut Resolver<'_>,
    refused: &mut Vec<Refusal>,
) -> Option<WorkStatus> {
    let tests = newest(resolver, |run| run.tests.is_some());
    let build = newest(resolver, |run| run.reading().purpose == Purpose::Builds);
    let mut admit = |text: String, number: Option<u32>| -> String {
        let text = one_line(&text);
        if text.is_empty() {
            return text;
        }
        let checked = number.ok_or(RefusalKind::CommandNeverRan);
        match checked.and_then(|number| check_outcome(&text, number, resolver)) {
            Ok(_) => text,
            Err(kind) => {
                refused.push(Refusal::dropped(text, kind));
                String::new()
            }
        }
    };
    let status = WorkStatus {
        errors_left: proposal
            .errors_left
            .filter(|left| !admit(format!("{left} errors left"), build.max(tests)).is_empty()),
        tests: RunStatus { text: admit(proposal.tests, tests), ..RunStatus::default() },
        build: RunStatus { text: admit(proposal.build, build), ..RunStatus::default() },
    };
    (status != WorkStatus::default()).then_some(status)
}
