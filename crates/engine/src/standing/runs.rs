//! Where tests and build stand: the newest run of each, and how it ended.
//!
//! A run counts by its programs, never by words in its output alone. Behind a pipe the exit code is that of the pager: then
//! the output has to say more, or the verdict is not known.

use std::collections::BTreeSet;

use super::{
    errors::says_good,
    past::{Done, Past},
};
use crate::{
    configuration::standing::{SENTENCE_COMMAND, UNKNOWN_RUNS},
    evidence::pointer::Place,
    shell::{Joint, Purpose, Script, programs, purposes},
    text::shorten_at_word,
    trace::{
        BlobError,
        claim::{Evidence, RunStatus, RunVerdict},
        result::RunData,
    },
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Tests,
    Build,
}

/// The newest run of a kind.
pub(super) struct Newest<'a> {
    pub(super) done: Done<'a>,
    pub(super) number: u32,
    pub(super) run: &'a RunData,
    pub(super) verdict: RunVerdict,
    pub(super) output: String,
    /// A newer one, whose verdict is not shown.
    again: Option<u32>,
}

/// The newest run that says how it ended or, where none does, the newest.
pub(super) fn newest(past: Past<'_>, kind: Kind) -> Result<Option<Newest<'_>>, BlobError> {
    let mut unknown: Option<Newest<'_>> = None;
    let mut looked = 0;
    for done in past.done() {
        let Some((number, run)) = done.run().filter(|(_, run)| may_be(run, kind)) else { continue };
        let output = past.output(done.result)?;
        let Some(verdict) = judge(run, &output, kind) else { continue };
        let again = unknown.as_ref().map(|newer| newer.number);
        let found = Newest { done, number, run, verdict, output, again };
        if found.verdict != RunVerdict::Unknown {
            return Ok(Some(found));
        }
        looked += 1;
        if looked > UNKNOWN_RUNS {
            break;
        }
        unknown.get_or_insert(found);
    }
    Ok(unknown)
}

impl Newest<'_> {
    pub(super) fn status(&self, past: Past<'_>) -> RunStatus {
        let evidence = Evidence { pointer: self.place().to_string(), event: self.done.event };
        let command = command_of(self.run);
        let counts = self.run.tests.as_ref().and_then(|report| report.counts());
        // Behind a pipe the exit code is another program's.
        let hidden = self.verdict == RunVerdict::Failed && self.run.exit_code == Some(0);
        let ended = |code| if hidden { "by its output".to_owned() } else { format!("exit {code}") };
        let outcome = counts.or_else(|| self.run.exit_code.map(ended));
        let verdict = match self.verdict {
            RunVerdict::Passed => "passed",
            RunVerdict::Failed => "failed",
            RunVerdict::Unknown => "its verdict is not shown",
        };
        let outcome = outcome.map(|outcome| format!(" ({outcome})")).unwrap_or_default();
        let since = match self.edited_since(past).len() {
            0 => String::new(),
            1 => "; 1 file edited since".to_owned(),
            many => format!("; {many} files edited since"),
        };
        let again =
            self.again.map(|number| format!("; cmd#{number} ran it again and shows no verdict")).unwrap_or_default();
        RunStatus {
            verdict: self.verdict,
            text: format!("{command}: {verdict}{outcome}{since}{again}"),
            evidence: Some(evidence),
        }
    }

    /// The files that were edited after it.
    pub(super) fn edited_since<'p>(&self, past: Past<'p>) -> BTreeSet<&'p str> {
        let since = past.done_from(self.done.turn).filter(|done| done.turn > self.done.turn);
        since.flat_map(|done| done.changed()).collect()
    }

    pub(super) fn place(&self) -> Place {
        Place::Cmd { number: self.number, exit: None }
    }
}

/// A command as a sentence names it: of a script the first line that does something.
pub(super) fn command_of(run: &RunData) -> String {
    let key = run.reading().key(&run.command);
    let mut lines = run.reading().claimed(&run.command).lines().map(str::trim);
    let told = lines.find(|line| !line.is_empty() && !line.starts_with("set -") && !line.starts_with('#'));
    let told = if run.command.contains('\n') { told.unwrap_or(&key) } else { &key };
    shorten_at_word(told, SENTENCE_COMMAND).into_owned()
}

fn may_be(run: &RunData, kind: Kind) -> bool {
    let purpose = run.reading().purpose;
    match kind {
        Kind::Tests => purpose == Purpose::Tests || (purpose == Purpose::Builds && run.tests.is_some()),
        Kind::Build => purpose >= Purpose::Builds,
    }
}

/// Commands joined by pipes.
struct Pipeline {
    purpose: Purpose,
    piped: bool,
    /// What stands behind it.
    joint: Joint,
}

fn pipelines(run: &RunData) -> Vec<Pipeline> {
    let mut found: Vec<Pipeline> = Vec::new();
    let mut inside = false;
    let stops_at_errors =
        run.reading().claimed(&run.command).starts_with("set -e") || run.command.starts_with("set -e");
    for (purpose, joint) in purposes(&Script::parse(&run.command)) {
        let joint = if stops_at_errors && matches!(joint, Joint::Semicolon | Joint::Line) { Joint::And } else { joint };
        let starts_pipe = joint == Joint::Pipe;
        match found.last_mut().filter(|_| inside) {
            Some(last) => {
                last.purpose = last.purpose.max(purpose);
                last.joint = joint;
            }
            None => found.push(Pipeline { purpose, piped: starts_pipe, joint }),
        }
        inside = starts_pipe;
    }
    found
}

/// How the tests or the build of a command ended. None: it has neither, or did not get so far.
fn judge(run: &RunData, output: &str, kind: Kind) -> Option<RunVerdict> {
    let lines = pipelines(run);
    let wanted = if kind == Kind::Tests { Purpose::Tests } else { Purpose::Builds };
    let find = |purpose: Purpose| lines.iter().rposition(|line| line.purpose == purpose);
    let at = find(wanted).or_else(|| find(Purpose::Builds).filter(|_| kind == Kind::Tests && run.tests.is_some()))?;
    let line = &lines[at];
    let last = at + 1 == lines.len();
    let chained = lines[at..lines.len() - 1].iter().all(|line| line.joint == Joint::And);
    let tests_follow = lines[at + 1..].iter().any(|line| line.purpose == Purpose::Tests);
    let checked_before = lines[..at].iter().any(|line| line.purpose == Purpose::Builds && line.joint == Joint::And);
    let exit = run.exit_code.filter(|_| !run.timed_out);
    let failed = exit.is_some_and(|code| code != 0);
    let report = run.tests.as_deref().filter(|report| report.passed + report.failed > 0);
    let verdict = match kind {
        Kind::Tests => match report {
            Some(report) if report.failed > 0 || (failed && last && !line.piped) => RunVerdict::Failed,
            Some(_) => RunVerdict::Passed,
            None if failed && checked_before && says_good(output) == Some(false) => return None,
            None if !line.piped && exit == Some(0) && chained => RunVerdict::Passed,
            None if !line.piped && failed && (last || chained) => RunVerdict::Failed,
            None if says_failed(output) => RunVerdict::Failed,
            None => RunVerdict::Unknown,
        },
        Kind::Build if !line.piped && exit == Some(0) && chained => RunVerdict::Passed,
        Kind::Build if line.joint == Joint::And && tests_follow && report.is_some() => RunVerdict::Passed,
        Kind::Build if !line.piped && failed && (last || (chained && !tests_follow)) => RunVerdict::Failed,
        // What a filter lets through is not what the build said.
        Kind::Build if line.piped && filters(&run.command) => RunVerdict::Unknown,
        Kind::Build => match says_good(output) {
            Some(true) => RunVerdict::Passed,
            Some(false) => RunVerdict::Failed,
            // Compilers are silent where all is well.
            None if exit == Some(0) && (last || chained) && output.trim().is_empty() && !filters(&run.command) => {
                RunVerdict::Passed
            }
            None => RunVerdict::Unknown,
        },
    };
    Some(verdict)
}

fn says_failed(output: &str) -> bool {
    output.lines().any(|line| {
        let line = line.trim();
        ["--- FAIL", "FAIL\t", "FAILED", "FAIL:", "not ok "].iter().any(|start| line.starts_with(start))
            || line == "FAIL"
    })
}

fn filters(command: &str) -> bool {
    let mut behind = command.split('|').skip(1).filter_map(|part| part.split_whitespace().next());
    behind.any(|program| programs().filters.has(program))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::result::TestReport;

    fn judged(command: &str, exit: i32, output: &str) -> (Option<RunVerdict>, Option<RunVerdict>) {
        let run = RunData { command: command.into(), exit_code: Some(exit), ..RunData::default() };
        let tests = crate::evidence::recognise::recognise(run.reading().purpose, output).map(Box::<TestReport>::new);
        let run = RunData { tests, ..run };
        let of = |kind| may_be(&run, kind).then(|| judge(&run, output, kind)).flatten();
        (of(Kind::Tests), of(Kind::Build))
    }

    #[test]
    fn an_exit_code_is_that_of_the_last_command() {
        use RunVerdict::{Failed, Passed, Unknown};
        for (command, exit, output, verdicts) in [
            ("go build ./...", 0, "", (None, Some(Passed))),
            ("CI=1 go vet ./...", 1, "a.go:1:2: x y", (None, Some(Failed))),
            ("cd x && go build ./... | head -30", 0, "a.go:1:2: not enough arguments", (None, Some(Failed))),
            ("go build ./... 2>&1 | head", 0, "", (None, Some(Passed))),
            ("go build ./... 2>&1 | grep -c error", 0, "", (None, Some(Unknown))),
            ("mise run fmt && mise run lint | tail -5", 0, "0 issues.", (None, Some(Passed))),
            ("mise run fmt && mise run lint | tail -5", 0, "Finished", (None, Some(Unknown))),
            ("mise run lint && mise run test", 0, "ok  \ta/b\t0.1s", (Some(Passed), Some(Passed))),
            (
                "mise run lint && mise run test",
                1,
                "FAIL\ta/b\t0.1s\n--- FAIL: TestX (0.00s)",
                (Some(Failed), Some(Passed)),
            ),
            ("mise run lint && mise run test", 1, "a.go:1:2: unused x\n1 issues:", (None, Some(Failed))),
            ("pytest -q | tail -3", 0, "1 failed, 2 passed in 0.12s", (Some(Failed), None)),
            ("pytest -q | tail -3", 0, "nothing known", (Some(Unknown), None)),
            ("pytest -q || true", 0, "", (Some(Unknown), None)),
            ("make; ls", 0, "x", (None, Some(Unknown))),
            ("curl http://ci/tests", 0, "=== 999 passed in 0.1s ===", (None, None)),
            ("git push", 1, "error: x", (None, None)),
        ] {
            assert_eq!(judged(command, exit, output), verdicts, "{command} {output}");
        }
    }
}
