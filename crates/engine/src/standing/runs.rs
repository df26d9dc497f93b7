//! Where tests and build stand: the newest run of each, and how it ended.
//!
//! A run counts by its programs, never by words in its output alone. Behind a pipe the exit code is that of the pager: then
//! the output has to say more, or the verdict is not known.

use std::{collections::BTreeSet, sync::Arc};

use super::{
    errors::says_good,
    files::is_scratch,
    named::named,
    past::{Done, Past},
};
use crate::{
    configuration::standing::{SENTENCE_COMMAND, UNKNOWN_RUNS},
    evidence::{pointer::Place, symbols::is_prose},
    history::Ended,
    shell::{Joint, Purpose, Script, negates, of_runs, programs, purposes, runs_tests, telling},
    text::shorten_at_word,
    trace::{
        BlobError, ResultData,
        claim::{Evidence, RunStatus, RunVerdict},
        result::RunData,
    },
    words::lists,
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
    /// A newer one, whose verdict is not shown.
    again: Option<u32>,
}

/// The newest run that says how it ended or, where none does, the newest.
pub(super) fn newest(past: Past<'_>, kind: Kind) -> Result<Option<Newest<'_>>, BlobError> {
    let mut unknown: Option<Newest<'_>> = None;
    let mut looked = 0;
    for done in past.done() {
        let Some(mut found) = judged(past, done, kind)? else { continue };
        found.again = unknown.as_ref().map(|newer| newer.number);
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

/// What was done, where it is a run of a kind.
pub(super) fn judged<'a>(past: Past<'a>, done: Done<'a>, kind: Kind) -> Result<Option<Newest<'a>>, BlobError> {
    let ran = done.run().filter(|(_, run)| may_be(run, kind) && !done.result.was_denied());
    let Some((number, run)) = ran else { return Ok(None) };
    let ended =
        past.history.ended(done.event, || Ok(Arc::new(judge(run, &past.output(done.result)?, root_of(past)))))?;
    let verdict = match kind {
        Kind::Tests => ended.tests,
        Kind::Build => ended.build.filter(|_| !builds_by_own_scripts(past, &ended)),
    };
    Ok(verdict.map(|verdict| Newest { done, number, run, verdict, again: None }))
}

fn root_of(past: Past<'_>) -> &str {
    past.history.start().root.trim_end_matches('/')
}

/// Whether all that builds in it are scripts that the session wrote to run them.
fn builds_by_own_scripts(past: Past<'_>, ended: &Ended) -> bool {
    let wrote = |path: &String| {
        past.done().any(|done| match &done.result.data {
            ResultData::Write(write) => write.created && write.path == *path,
            ResultData::Run(run) => {
                let made = || named(run, &Script::parse(&run.command), root_of(past)).made;
                run.command.contains('>') && run.command.contains(path.as_str()) && made().contains(path)
            }
            _ => false,
        })
    };
    let own = ended.scripts.iter().filter(|path| wrote(path)).count();
    own > 0 && own >= ended.builds
}

impl Newest<'_> {
    /// `wider` is a run of which it is a part.
    pub(super) fn status(&self, past: Past<'_>, wider: Option<u32>) -> RunStatus {
        let evidence = Evidence { pointer: self.place().to_string(), event: self.done.event };
        let command = command_of(self.run);
        let counts = self.run.tests.as_ref().and_then(|report| report.counts());
        // Behind a pipe the exit code is another program's.
        let hidden = self.verdict == RunVerdict::Failed && self.run.exit_code == Some(0);
        let ended = |code| if hidden { "by its output".to_owned() } else { format!("exit {code}") };
        let outcome = counts.or_else(|| self.run.exit_code.map(ended));
        let verdict = self.verdict.word();
        let outcome = outcome.map(|outcome| format!(" ({outcome})")).unwrap_or_default();
        let since = match self.edited_since(past).len() {
            0 => String::new(),
            1 => "; 1 file edited since".to_owned(),
            many => format!("; {many} files edited since"),
        };
        let again =
            self.again.map(|number| format!("; cmd#{number} ran it again and shows no verdict")).unwrap_or_default();
        let part = wider.map(|number| format!("; a part of what cmd#{number} runs")).unwrap_or_default();
        RunStatus {
            verdict: self.verdict,
            text: format!("{command}: {verdict}{outcome}{part}{since}{again}"),
            evidence: Some(evidence),
        }
    }

    /// The files of the project that were edited after it. What is written in prose no run can show.
    pub(super) fn edited_since<'p>(&self, past: Past<'p>) -> BTreeSet<&'p str> {
        let since = past.done_from(self.done.turn).filter(|done| done.turn > self.done.turn);
        let counts = |path: &&str| !path.starts_with(['/', '~']) && !is_prose(path);
        since.flat_map(|done| done.changed()).filter(counts).collect()
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
    let told = match told.filter(|_| run.command.contains('\n')) {
        Some(line) if line.contains("<<") => does_most(&run.command).unwrap_or(line),
        Some(line) => line,
        None => &key,
    };
    shorten_at_word(told, SENTENCE_COMMAND).into_owned()
}

/// The line of a script that does most: where one is written and run, that is where it is run.
fn does_most(command: &str) -> Option<&str> {
    let line = command.get(telling(&Script::parse(command))?..)?.lines().next()?.trim();
    Some(line).filter(|line| !line.is_empty() && !line.contains("<<"))
}

pub(super) fn may_be(run: &RunData, kind: Kind) -> bool {
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

fn pipelines(run: &RunData, purposes: &[(Purpose, Joint)]) -> Vec<Pipeline> {
    let mut found: Vec<Pipeline> = Vec::new();
    let mut inside = false;
    let stops_at_errors =
        run.reading().claimed(&run.command).starts_with("set -e") || run.command.starts_with("set -e");
    for (purpose, joint) in purposes.iter().copied() {
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

/// How the tests and the build of a command ended.
fn judge(run: &RunData, output: &str, root: &str) -> Ended {
    let script = Script::parse(&run.command);
    let purposes = purposes(&script);
    let lines = pipelines(run, &purposes);
    // What others print beside it says nothing of it.
    let own = of_runs(&script, output);
    let is_silent = output.trim().is_empty();
    let of = |kind| may_be(run, kind).then(|| verdict(run, &script, &lines, own.as_deref(), is_silent, kind)).flatten();
    // What lies in a folder of the project has its place there.
    let used = named(run, &script, root).used.into_iter();
    Ended {
        tests: of(Kind::Tests),
        build: of(Kind::Build),
        scripts: used.filter(|path| !path.contains('/') || is_scratch(path)).collect(),
        builds: purposes.iter().filter(|(purpose, _)| *purpose == Purpose::Builds).count(),
    }
}

/// `own` is what it printed, as far as nobody else prints beside it.
fn verdict(
    run: &RunData,
    script: &Script,
    lines: &[Pipeline],
    own: Option<&str>,
    is_silent: bool,
    kind: Kind,
) -> Option<RunVerdict> {
    let output = own.unwrap_or_default();
    let wanted = if kind == Kind::Tests { Purpose::Tests } else { Purpose::Builds };
    let find = |purpose: Purpose| lines.iter().rposition(|line| line.purpose == purpose);
    let at = find(wanted).or_else(|| find(Purpose::Builds).filter(|_| kind == Kind::Tests && run.tests.is_some()))?;
    let line = &lines[at];
    let last = at + 1 == lines.len();
    let chained = lines[at..lines.len() - 1].iter().all(|line| line.joint == Joint::And);
    let tests_follow = lines[at + 1..].iter().any(|line| line.purpose == Purpose::Tests);
    let checked_before = lines[..at].iter().any(|line| line.purpose == Purpose::Builds && line.joint == Joint::And);
    // A code that is turned round, or that of a command which has only begun, says nothing of how it ended.
    let told = !run.timed_out && line.joint != Joint::Background && !negates(script);
    let exit = run.exit_code.filter(|_| told);
    let failed = exit.is_some_and(|code| code != 0);
    let report = run.tests.as_deref().filter(|_| own.is_some());
    // It ran none of its tests.
    if kind == Kind::Tests && !failed && report.is_some_and(|report| report.passed + report.failed == 0) {
        return None;
    }
    let report = report.filter(|report| report.passed + report.failed > 0);
    if report.is_none() && (exit != Some(0) || line.piped) && lacks_runner(run, output, kind) {
        return None;
    }
    if kind == Kind::Tests && report.is_none() && !runs_tests(script) {
        return None;
    }
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
            None if exit == Some(0) && (last || chained) && is_silent && !filters(&run.command) => RunVerdict::Passed,
            None => RunVerdict::Unknown,
        },
    };
    Some(verdict)
}

/// Whether the program that was to run it is not there.
fn lacks_runner(run: &RunData, output: &str, kind: Kind) -> bool {
    let name = |line: &'_ str| {
        let behind = lists().missing_before.iter().find_map(|words| Some(line.split_once(words)?.1.to_owned()));
        let before = || lists().missing_behind.iter().find_map(|words| line.strip_suffix(words));
        behind.or_else(|| before()?.rsplit([':', ' ']).next().map(str::to_owned))
    };
    let is_named = |name: &str| run.command.split([' ', '/', '\n']).any(|word| word == name);
    let mut missing = output.lines().filter_map(|line| name(line.trim()));
    missing.any(|name| {
        let name = name.trim_matches(['\'', '"', '`']);
        programs().is_runner(name, kind == Kind::Tests) && is_named(name)
    })
}

/// Whether a run failed though it ended with 0: behind a pipe the code is that of `head`. What a filter lets through is not
/// what it said.
pub(crate) fn hides_failure(run: &RunData, output: &str) -> bool {
    let fails_loudly = matches!(run.reading().purpose, Purpose::Builds | Purpose::Commits);
    let is_read = run.command.contains('|') && !filters(&run.command);
    run.exit_code == Some(0) && fails_loudly && is_read && says_good(output) == Some(false)
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
    use crate::{
        story::{Story, run as ran},
        trace::{NoBlobs, TurnNo, result::TestReport},
    };
    use serde_json::json;

    fn judged(command: &str, exit: i32, output: &str) -> (Option<RunVerdict>, Option<RunVerdict>) {
        let run = RunData { command: command.into(), exit_code: Some(exit), ..RunData::default() };
        let tests = crate::evidence::recognise::recognise(&Script::parse(command), output).map(Box::<TestReport>::new);
        let run = RunData { tests, ..run };
        let ended = judge(&run, output, "");
        (ended.tests, ended.build)
    }

    #[test]
    fn a_script_that_is_written_and_run_is_named_by_its_run() {
        let named = |command: &str| command_of(&RunData { command: command.into(), ..RunData::default() });
        assert_eq!(named("cat > x.py <<'E'\nprint(1)\nE\npython3 x.py 2>&1"), "python3 x.py 2>&1");
        assert_eq!(named("base=$(mktemp -d)\ncargo build"), "base=$(mktemp -d)");
        assert_eq!(named("cat > x.py <<'E'\nprint(1)\nE"), "cat > x.py <<'E'");
    }

    #[test]
    fn a_script_that_the_session_wrote_builds_nothing() {
        for (wrote, builds) in [("cat > build_x.py <<'E'\nx\nE", false), ("cat > tools/build_x.py <<'E'\nx\nE", true)] {
            let mut story = Story::new();
            story.user("go on with it");
            story.step("", "Bash", json!({}), ran(wrote, 0, ""));
            let runs = wrote.split(' ').nth(2).map(|path| format!("python3 {path}")).unwrap_or_default();
            story.step("", "Bash", json!({}), ran(&runs, 0, "built"));
            let past = Past::new(story.session.history(), TurnNo(u32::MAX), &NoBlobs);
            assert_eq!(newest(past, Kind::Build).expect("readable").is_some(), builds, "{runs}");
        }
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
            ("python3 test_old_name.py", 0, "shown", (None, None)),
            ("cat > test_x.py <<'E'\nx\nE\npython3 test_x.py", 1, "AssertionError", (None, None)),
            (
                "python3 tests/test_x.py",
                0,
                "..\n----------------------------------------------------------------------\nRan 2 tests in 0.001s\n\nOK\n",
                (Some(Passed), None),
            ),
            ("./run_tests.sh", 0, "", (Some(Passed), None)),
            ("python manage.py test", 1, "x", (Some(Failed), None)),
            ("curl http://ci/tests", 0, "=== 999 passed in 0.1s ===", (None, None)),
            ("git push", 1, "error: x", (None, None)),
            ("npm run build 2>&1 | head -3", 0, "src/a.ts(5,15): error TS2305: x", (None, Some(Failed))),
            ("python check_bytes.py", 0, "", (None, None)),
            ("python tools/build.py", 1, "x", (None, Some(Failed))),
            ("python -m pytest | tail -3", 0, "/usr/bin/python: No module named pytest", (None, None)),
            ("pytest a.py", 127, "bash: pytest: command not found", (None, None)),
            ("pytest a.py", 1, "ModuleNotFoundError: No module named 'b'", (Some(Failed), None)),
            ("python -m django test a", 1, "Traceback (most recent call last):", (Some(Failed), None)),
            ("python tests/runtests.py a", 1, "x", (Some(Failed), None)),
            ("! pytest -q", 0, "", (Some(Unknown), None)),
            ("pytest -q &", 0, "", (Some(Unknown), None)),
            ("pytest -q || echo '=== 5 passed in 0.1s ==='", 0, "=== 5 passed in 0.1s ===", (Some(Unknown), None)),
            ("pytest -q > out.txt; cat old.txt", 0, "=== 999 passed in 1.00s ===", (Some(Unknown), None)),
            ("pytest -q; cat old.txt", 0, "FAILED a.py::x", (Some(Unknown), None)),
            (
                "cargo test none",
                0,
                "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 4 filtered out; finished in 0.00s\n",
                (None, None),
            ),
            ("pytest -q | tail -3; echo ${PIPESTATUS[0]}", 0, "1 failed, 2 passed in 0.12s\n1", (Some(Failed), None)),
            ("pytest -q | tail -3; echo $TEXT", 0, "1 failed, 2 passed in 0.12s\n1", (Some(Unknown), None)),
            ("git status; pytest -q | tail -3; echo $?", 0, "1 failed, 2 passed in 0.12s\n0", (Some(Failed), None)),
            ("pytest -q > log 2>&1; tail -3 log", 0, "=== 3 passed in 0.12s ===", (Some(Passed), None)),
        ] {
            assert_eq!(judged(command, exit, output), verdicts, "{command} {output}");
        }
    }
}
