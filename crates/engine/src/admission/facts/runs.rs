//! Runs: how one ended, which tests changed between two, what the error was, what was committed.

mod changed;

use std::sync::Arc;

use super::{other_thing, quoted};
use crate::{
    admission::{RefusalKind, resolve::Resolver},
    configuration::admission::TEST_RUNS,
    configuration::evidence::SHORTEST_HASH,
    configuration::written::NAMED_FAILURES,
    evidence::output::{cut, edges, error_line, stated_error, telling_line},
    history::History,
    proposal::FactProposal,
    shell::{Purpose, is_part_of},
    standing::hides_failure,
    text::one_line,
    trace::{
        Blobs, EventBody, EventNo, ResultData, ToolResult, TurnNo,
        claim::{Assertion, Evidence},
        result::{RunData, TestReport},
    },
};

pub(in crate::admission) use changed::{runs_again, test_changed};

/// A command that ran and is part of the conversation.
#[derive(Debug, Clone, Copy)]
struct Ran<'a> {
    number: u32,
    event: EventNo,
    result: &'a ToolResult,
    run: &'a RunData,
    history: &'a History,
}

impl<'a> Ran<'a> {
    /// `cmd#N`.
    fn numbered(history: &'a History, number: u32) -> Option<Self> {
        let (turn, index) = *history.index().commands.get((number as usize).checked_sub(1)?)?;
        let event = history.index().tool_turn(turn)?.calls.get(index as usize)?.result()?;
        let EventBody::ToolResult { result, .. } = history.live_body(event)? else { return None };
        let ResultData::Run(run) = &result.data else { return None };
        Some(Self { number, event, result, run, history })
    }

    /// Commands after this one, oldest first, up to the end of a turn.
    fn later(self, history: &'a History, until: TurnNo) -> impl Iterator<Item = Self> {
        let commands = &history.index().commands[self.number as usize..];
        let within = commands.iter().take_while(move |(turn, _)| *turn <= until).count() as u32;
        (self.number + 1..=self.number + within).filter_map(move |number| Self::numbered(history, number))
    }

    fn key(&self) -> Arc<str> {
        self.history.run_key(self.event, self.run)
    }

    fn is_test(&self) -> bool {
        self.run.tests.is_some()
    }

    /// What it printed, as far as that is worth looking at.
    fn output(&self, blobs: &dyn Blobs) -> String {
        self.result.text.bytes(blobs).map(|bytes| edges(&bytes)).unwrap_or_default()
    }
}

/// Test runs up to the end of a turn, the newest first.
fn runs_of_tests(history: &History, until: TurnNo) -> impl Iterator<Item = Ran<'_>> {
    let commands = history.index().commands.partition_point(|(turn, _)| *turn <= until) as u32;
    (1..=commands).rev().filter_map(|number| Ran::numbered(history, number)).filter(Ran::is_test)
}

pub(super) fn verdict(
    proposal: &FactProposal,
    until: TurnNo,
    resolver: &mut Resolver<'_>,
) -> Result<Assertion, RefusalKind> {
    let (ran, evidence) = cited(&proposal.evidence, resolver)?;
    check_claimed(proposal, ran)?;
    let result = with_remarks(outcome(ran, &ran.output(resolver.blobs)), ran, until, resolver.history);
    let command = ran.run.reading().claimed(&ran.run.command).to_owned();
    Ok(Assertion { command, result, evidence })
}

/// The run that a claim about one cites.
fn cited<'a>(pointers: &[String], resolver: &mut Resolver<'a>) -> Result<(Ran<'a>, Evidence), RefusalKind> {
    let needs = "a command or test run (cmd#N, test#N)";
    let [pointer] = pointers else { return Err(other_thing(pointers, needs)) };
    let number = resolver.resolve(pointer)?.command.ok_or_else(|| other_thing(pointers, needs))?;
    let ran = Ran::numbered(resolver.history, number).ok_or_else(|| other_thing(pointers, needs))?;
    let exit = ran.run.exit_code.map_or(String::new(), |code| format!(" exit={code}"));
    let evidence = resolver.resolve(&format!("cmd#{number}{exit}"))?.evidence.clone();
    Ok((ran, evidence))
}

/// What is said of the run beside its pointer must be what the record says.
fn check_claimed(proposal: &FactProposal, ran: Ran<'_>) -> Result<(), RefusalKind> {
    let claimed = &proposal.claimed;
    let tests = ran.run.tests.as_deref();
    let other = [
        claimed.exit.filter(|exit| ran.run.exit_code != Some(*exit)).map(|exit| format!("exit {exit}")),
        claimed.passed.filter(|passed| tests.map(|tests| tests.passed) != Some(*passed)).map(|n| format!("{n} passed")),
        claimed.failed.filter(|failed| tests.map(|tests| tests.failed) != Some(*failed)).map(|n| format!("{n} failed")),
        proposal.text.clone().filter(|text| boasts(text) && failed(ran.run)),
    ];
    match other.into_iter().flatten().next() {
        Some(claimed) => {
            let found = format!("cmd#{}: {}", ran.number, ended(ran.run));
            Err(RefusalKind::Contradicted { claimed: one_line(&claimed), found })
        }
        None => Ok(()),
    }
}

/// Words of success without words of failure. They are never shown, so missing one costs nothing.
fn boasts(text: &str) -> bool {
    let lower = text.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    says(&["pass", "succe", "green", "works", "ok", "fixed", "通过", "成功"])
        && !says(&["fail", "error", "not ", "n't", "失败", "未", "没"])
}

fn failed(run: &RunData) -> bool {
    run.timed_out
        || run.exit_code.is_some_and(|code| code != 0)
        || run.tests.as_ref().is_some_and(|tests| tests.failed > 0)
}

/// `exit 1, 2 failed, 3 passed`. A 0 of a run that failed is the code of what stands behind the pipe.
fn ended(run: &RunData) -> String {
    if run.exit_code == Some(0)
        && let Some(tests) = run.tests.as_deref().filter(|tests| tests.failed > 0)
    {
        return counts(tests);
    }
    let code = match run.exit_code {
        Some(code) => format!("exit {code}"),
        None if run.timed_out => "timed out".to_owned(),
        None => "ran".to_owned(),
    };
    run.tests.as_deref().map_or(code.clone(), |tests| format!("{code}, {}", counts(tests)))
}

fn counts(tests: &TestReport) -> String {
    tests.counts().unwrap_or_else(|| "no tests".to_owned())
}

/// How it ended and the one thing that tells why.
fn outcome(ran: Ran<'_>, output: &str) -> String {
    if ran.result.was_denied() {
        let reason = ran.result.refusal().map(|reason| format!(", refused: {}", quoted(&cut(&one_line(reason)))));
        return format!("did not run{}", reason.unwrap_or_default());
    }
    let ended = ended(ran.run);
    if let Some(tests) = ran.run.tests.as_deref() {
        let failures = tests.failures.as_slice();
        // Which of several failures an error belongs to is not known.
        let error = error_line(output).filter(|line| failures.len() == 1 && !line.contains(&failures[0])).map(cut);
        let error = error.map_or(String::new(), |line| format!(" ({})", quoted(&line)));
        return match failures {
            [] => ended,
            names => format!("{ended}: {}{error}", listed(names.iter().map(String::as_str))),
        };
    }
    let hidden = !failed(ran.run) && hides_failure(ran.run, output);
    match telling_line(output, failed(ran.run) || hidden) {
        Some(line) if hidden => format!("failed by its output: {}", quoted(&line)),
        Some(line) => format!("{ended}: {}", quoted(&line)),
        None if output.trim().is_empty() => format!("{ended}, no output"),
        None => ended,
    }
}

fn listed<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    let more = names.len().saturating_sub(NAMED_FAILURES);
    // A name of several words is a text that a program printed.
    let shown = |name: &str| if name.contains(char::is_whitespace) { quoted(name) } else { name.to_owned() };
    let names: Vec<String> = names.take(NAMED_FAILURES).map(shown).collect();
    let more = if more > 0 { format!(" (+{more})") } else { String::new() };
    names.join(", ") + &more
}

/// What has happened to a verdict since: it ran again, it was only a part, files changed.
fn remarks(history: &History, ran: Ran<'_>, until: TurnNo) -> Vec<String> {
    let mut remarks = Vec::new();
    let key = ran.key();
    // What only shows or writes a text has no key, and another one of these is no second run.
    let again = ran.later(history, until).filter(|later| !key.is_empty() && later.key() == key);
    if let Some(newer) = again.last() {
        remarks.push(format!("older: cmd#{} ran it again", newer.number));
        return remarks;
    }
    let says_how_it_stands = ran.is_test() || ran.run.reading().purpose >= Purpose::Builds;
    if !says_how_it_stands {
        return remarks;
    }
    if let Some(wider) = runs_around(history, ran, until).find(|other| is_part_of(&key, &other.key())) {
        remarks.push(format!("a part of what cmd#{} runs", wider.number));
    }
    match edited_since(history, ran.event, until) {
        0 => {}
        1 => remarks.push("1 file edited since".to_owned()),
        files => remarks.push(format!("{files} files edited since")),
    }
    remarks
}

/// Test runs beside this one, as far back as is worth looking.
fn runs_around<'a>(history: &'a History, ran: Ran<'_>, until: TurnNo) -> impl Iterator<Item = Ran<'a>> {
    let number = ran.number;
    runs_of_tests(history, until).take(TEST_RUNS).filter(move |other| other.number != number)
}

fn edited_since(history: &History, event: EventNo, until: TurnNo) -> usize {
    let end = history.end_of_turn(until).unwrap_or(history.next_event());
    let after = history.events_from(EventNo(event.0 + 1)).iter().take_while(|event| event.seq <= end);
    let changed = after.filter(|event| history.is_live(event.seq)).filter_map(|event| match &event.event {
        EventBody::FileChanged(changed) => Some(changed.path.as_str()),
        _ => None,
    });
    changed.collect::<std::collections::BTreeSet<_>>().len()
}

fn with_remarks(mut text: String, ran: Ran<'_>, until: TurnNo, history: &History) -> String {
    for remark in remarks(history, ran, until) {
        text.push_str(" · ");
        text.push_str(&remark);
    }
    text
}

/// The error of a run that failed; a page about errors is none.
pub(super) fn error(
    pointers: &[String],
    until: TurnNo,
    resolver: &mut Resolver<'_>,
) -> Result<(String, Vec<Evidence>), RefusalKind> {
    let (ran, evidence) = cited(pointers, resolver)?;
    let output = ran.output(resolver.blobs);
    let line = error_line(&output).or_else(|| stated_error(&output));
    let line = line.filter(|_| failed(ran.run) || hides_failure(ran.run, &output));
    let line = line.ok_or_else(|| other_thing(pointers, "a run that failed with an error"))?;
    let text = format!("error: {}", quoted(&cut(line)));
    Ok((with_remarks(text, ran, until, resolver.history), vec![evidence]))
}

/// `[main 1a2b3c4] message` or `1a2b3c4..5d6e7f8  main -> main`, as git prints them.
pub(super) fn commit(pointers: &[String], resolver: &mut Resolver<'_>) -> Result<(String, Vec<Evidence>), RefusalKind> {
    let (ran, evidence) = cited(pointers, resolver)?;
    let output = ran.output(resolver.blobs);
    let made = ran.run.reading().purpose == Purpose::Commits && !failed(ran.run);
    let mut told = Vec::new();
    for (what, is_it) in [("committed", names_commit as fn(&str) -> bool), ("pushed", names_push)] {
        let line = output.lines().map(str::trim).find(|line| made && is_it(line));
        told.extend(line.map(|line| format!("{what}: {}", quoted(&cut(line)))));
    }
    match told.is_empty() {
        true => Err(other_thing(pointers, "a run that made or pushed a commit")),
        false => Ok((told.join(" · "), vec![evidence])),
    }
}

fn names_commit(line: &str) -> bool {
    let Some((head, _)) = line.strip_prefix('[').and_then(|rest| rest.split_once(']')) else { return false };
    is_hash(head.rsplit(' ').next().unwrap_or_default())
}

fn is_hash(word: &str) -> bool {
    word.len() >= SHORTEST_HASH && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// A fetch prints the same, towards the names of another repository: `main -> origin/main`.
fn names_push(line: &str) -> bool {
    let (what, refs) = line.strip_prefix("* ").unwrap_or(line).split_once("  ").unwrap_or_default();
    let names = refs.trim().split_once(" -> ").is_some_and(|(from, to)| !to.ends_with(&format!("/{from}")));
    names && (what == "[new branch]" || what.split_once("..").is_some_and(|(old, new)| is_hash(old) && is_hash(new)))
}
