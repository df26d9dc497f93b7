//! What is open: tests and builds that fail, the last call that failed, and questions that nobody answered.

use std::sync::Arc;

use super::{
    earlier::{Earlier, still_failing},
    errors::error_lines,
    past::{Done, Past, shortened},
    runs::{Kind as RunKind, Newest, command_of},
    sentences::sentences,
    turns::{Kind, is_question, own_words, requests},
    wording::{wording, words},
};
use crate::{
    configuration::standing::{
        CALLS_BACK, ERROR_LINES, ERROR_TOKENS, LAST_SENTENCES, LONGEST_QUESTION, NAMED_CHARACTERS, OBJECTION_CUE,
        OPEN_SENTENCES,
    },
    configuration::written::NAMED_FAILURES,
    evidence::pointer::Place,
    shell::{Purpose, folder_of, parts_of},
    text::{beginning, one_line, shorten_at_word, shorten_quotation},
    trace::{
        BlobError, ResultData, Status, TurnNo, UserTurn,
        claim::{Evidence, Question, RunVerdict},
        result::RunData,
    },
};

/// `tests` and `build` are the newest runs of either.
pub(super) fn questions(
    past: Past<'_>,
    tests: Option<&Newest<'_>>,
    build: Option<&Newest<'_>>,
) -> Result<Vec<Question>, BlobError> {
    let mut found = Vec::new();
    let has_failed = |run: &&Newest<'_>| run.verdict == RunVerdict::Failed;
    let (failing_tests, failing_build) = (tests.filter(has_failed), build.filter(has_failed));
    let newest = failing_tests.into_iter().chain(failing_build);
    let mut known: Vec<u32> = Vec::new();
    for run in newest {
        if !known.contains(&run.number) {
            found.push(failing(past, run, &failures(run), "")?);
            known.push(run.number);
        }
    }
    for (run, kind) in [(tests, RunKind::Tests), (build, RunKind::Build)] {
        let Some(run) = run else { continue };
        for Earlier { run, left } in still_failing(past, kind, run)? {
            if !known.contains(&run.number) {
                let key = past.run_key(&run.done, run.run);
                found.push(failing(past, &run, &left, folder_of(&key))?);
                known.push(run.number);
            }
        }
    }
    found.extend(refused(past));
    found.extend(failed_call(past, &known)?);
    found.extend(still_running(past));
    found.extend(unanswered(past));
    Ok(found)
}

fn told(lines: &[&str], tokens: u32) -> String {
    let each = tokens / lines.len().max(1) as u32;
    lines.iter().map(|line| shorten_quotation(&brief(line), each)).collect::<Vec<_>>().join(" · ")
}

/// A line whose paths are named by their ends: its pointer has them whole.
fn brief(line: &str) -> String {
    let end = |word: &'_ str| match word.matches('/').count() {
        0 | 1 => word.to_owned(),
        _ if word.contains("://") => word.to_owned(),
        _ => word.rsplit('/').find(|part| !part.is_empty()).unwrap_or(word).to_owned(),
    };
    line.split_whitespace().map(end).collect::<Vec<_>>().join(" ")
}

/// `a_test.go:5` of `x/a_test.go:5: expected 1, got 2`.
fn place_in(line: &str) -> &str {
    let file = line.split(':').next().unwrap_or_default();
    let number = line[file.len()..].trim_start_matches(':').split(':').next().unwrap_or_default();
    let end = (file.len() + 1 + number.len()).min(line.len());
    line[..end].rsplit('/').next().unwrap_or_default()
}

fn failures<'a>(run: &Newest<'a>) -> Vec<&'a str> {
    run.run.tests.as_deref().into_iter().flat_map(|report| &report.failures).map(String::as_str).collect()
}

/// `names` are the failing tests that are open, `folder` is told where it says which of several runs it was.
fn failing(past: Past<'_>, run: &Newest<'_>, names: &[&str], folder: &str) -> Result<Question, BlobError> {
    let mut named: Vec<&str> = Vec::new();
    for name in names.iter().copied().take(NAMED_FAILURES) {
        if named.is_empty() || named.iter().map(|name| name.len() + 2).sum::<usize>() + name.len() <= NAMED_CHARACTERS {
            named.push(name);
        }
    }
    let more = names.len() - named.len();
    let named = named.join(", ");
    let named = if more > 0 { format!("{named} and {more} more") } else { named };
    let named = if named.is_empty() { String::new() } else { format!(": {named}") };
    let output = past.output(run.done.result)?;
    let mut lines = error_lines(&output, usize::MAX);
    // What a program logs in a test has a place, too; what the test expected is said by the test.
    lines.sort_by_key(|line| !names.is_empty() && !is_of_test(line));
    lines.truncate(ERROR_LINES);
    // Of several tests that fail, the other places tell enough.
    let places: Vec<&str> = lines.iter().skip(1).map(|line| place_in(line)).collect();
    let lines = match lines.first() {
        Some(first) if !names.is_empty() => {
            told(&[first], ERROR_TOKENS / (lines.len() as u32 + 1))
                + &places.iter().map(|at| format!(" · {at}")).collect::<String>()
        }
        _ => told(&lines, ERROR_TOKENS),
    };
    let lines = if lines.is_empty() { lines } else { format!(": {lines}") };
    let folder = if folder.is_empty() { String::new() } else { format!("cd {folder} && ") };
    let text = format!("{folder}{} fails{named}{lines}", command_of(run.run));
    Ok(question(&text, &run.place(), run.done.event))
}

/// Whether a line's place is in a file of tests, as nearly all projects name them.
fn is_of_test(line: &str) -> bool {
    let file = line.split(':').next().unwrap_or_default().to_lowercase();
    file.contains("test") || file.contains("spec")
}

/// The newest call that failed, unless the same was done again. That a search found nothing is no failure.
fn failed_call(past: Past<'_>, known: &[u32]) -> Result<Option<Question>, BlobError> {
    let mut newer: Vec<Arc<str>> = Vec::new();
    for done in past.done().take(CALLS_BACK) {
        let key = key_of(past, &done);
        // What a chain of commands comes to is its last one, which may have run alone since.
        let last = parts_of(&key).last().unwrap_or_default();
        let is_newest = !newer.iter().any(|newer| *newer == key || **newer == *last);
        if !has_failed(&done) {
            newer.extend(parts_of(&key).map(Into::into));
        }
        newer.push(key);
        let may_fail = has_failed(&done) || is_forgiven(&done);
        if !may_fail || !is_newest || done.command.is_some_and(|number| known.contains(&number)) {
            continue;
        }
        let output = past.output(done.result)?;
        if !has_failed(&done) && !crashed(&output) {
            continue;
        }
        let said = done.result.error.as_ref().map(|error| error.message.as_str()).filter(|said| !said.is_empty());
        let output = said.unwrap_or(&output);
        let mut lines = error_lines(output, ERROR_LINES);
        if lines.is_empty() {
            lines.extend(output.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with("Exit code")));
        }
        let (what, place) = match done.run() {
            Some((number, run)) => (command_of(run), Place::Cmd { number, exit: None }),
            None => (done.tool.to_owned(), Place::Turn(done.turn)),
        };
        return Ok(Some(question(&format!("{what} failed: {}", told(&lines, ERROR_TOKENS)), &place, done.event)));
    }
    Ok(None)
}

fn has_failed(done: &Done<'_>) -> bool {
    match &done.result.data {
        ResultData::Run(run) => run.exit_code.is_some_and(|code| code != 0) && run.reading().purpose > Purpose::Asks,
        // A path that was guessed wrongly leaves nothing open.
        ResultData::Read(_) | ResultData::Search(_) | ResultData::List(_) => false,
        _ => done.result.status == Status::Error && done.result.refusal().is_none(),
    }
}

/// Whether nothing that fails in it shows in its exit code: `x || true`.
fn is_forgiven(done: &Done<'_>) -> bool {
    let forgives = |command: &str| ["|| true", "|| :"].iter().any(|end| command.contains(end));
    matches!(&done.result.data, ResultData::Run(run)
        if run.exit_code == Some(0) && run.reading().purpose > Purpose::Asks && forgives(&run.command))
}

/// Whether a program broke off, by what it prints then.
fn crashed(output: &str) -> bool {
    let marks = ["panicked at", "Traceback (most recent call last)", "panic: ", "Segmentation fault"];
    output.lines().any(|line| marks.iter().any(|mark| line.contains(mark)))
}

/// The newest command, where it has not ended.
fn still_running(past: Past<'_>) -> Option<Question> {
    let newest = past.done().find(|done| done.run().is_some())?;
    let (number, run) = newest.run()?;
    // A whole result without an exit code is one whose client did not tell it.
    let runs = run.exit_code.is_none() && !run.timed_out && newest.result.status == Status::Partial;
    let text = format!("{} has not ended", command_of(run));
    runs.then(|| question(&text, &Place::Cmd { number, exit: None }, newest.event))
}

/// What was edited after the last test run.
pub(super) fn untested(past: Past<'_>, tests: &Newest<'_>) -> Option<Question> {
    let edited: Vec<&str> = tests.edited_since(past).into_iter().collect();
    let more = edited.len().saturating_sub(NAMED_FAILURES);
    let named = edited.iter().rev().take(NAMED_FAILURES).rev().copied().collect::<Vec<_>>().join(", ");
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let text = format!("no tests ran since these were edited: {named}{more}");
    (!edited.is_empty()).then(|| question(&text, &tests.place(), tests.done.event))
}

/// Two calls with the same key do the same.
fn key_of(past: Past<'_>, done: &Done<'_>) -> Arc<str> {
    match &done.result.data {
        ResultData::Run(run) => past.run_key(done, run),
        data @ (ResultData::Edit(_) | ResultData::Patch(_) | ResultData::Write(_)) => {
            format!("edit {}", data.changed_paths().collect::<Vec<_>>().join(" ")).into()
        }
        ResultData::Read(read) => format!("read {}", read.path).into(),
        _ => done.tool.into(),
    }
}

/// What the newest round asks while nobody has answered it, and what the assistant asked before.
fn unanswered(past: Past<'_>) -> Vec<Question> {
    let asked = past.unanswered();
    let mut found: Vec<Question> = Vec::new();
    // What was asked of the user is open while the user speaks of something else, or not at all.
    let heard = asked.is_none_or(|user| !is_other_matter(past, user)) && past.is_under_way();
    let before = asked.map_or(TurnNo(u32::MAX), |user| user.turn);
    if let Some(said) = past.said().find(|said| said.answers && said.turn < before).filter(|_| !heard) {
        let last =
            sentences(said.text).into_iter().rev().take(LAST_SENTENCES).find(|sentence| is_question(sentence.text));
        let quoted = last.and_then(|sentence| past.quote(sentence.text, &Place::Turn(said.turn)));
        found.extend(quoted.map(|quote| quoted_question("the assistant asked", quote)));
    }
    let asked = asked.filter(|user| past.kind(user) != Kind::Plan);
    if let Some((user, number)) = asked.and_then(|user| Some((user, user.user?))) {
        // "fix the failing test" is the task; in "it fails, look into it" the first half says what is wrong.
        let in_trouble = |lower: &str| {
            let mut clauses = lower.split([',', ';', '，']);
            clauses.any(|clause| wording().trouble.stand_in(clause) && !requests(clause))
        };
        // "Yeah, it doesn't work that way" agrees with somebody.
        let agrees = |lower: &str| words(lower).next().is_some_and(|first| wording().replies.has(first));
        let is_open = |text: &str| {
            let lower = text.to_lowercase();
            is_question(text) || (in_trouble(&lower) && !agrees(&lower))
        };
        let words = own_words(&user.text);
        let open = sentences(words).into_iter().filter(|sentence| is_open(sentence.text)).take(OPEN_SENTENCES);
        let quoted = open.filter_map(|sentence| past.quote(sentence.text, &Place::User(number)));
        found.extend(quoted.map(|quote| quoted_question("the user asked", quote)));
    }
    found
}

/// The newest call that was refused with words, while no answer, no turn of theirs and no work followed.
fn refused(past: Past<'_>) -> Option<Question> {
    let since = past.said().find(|said| said.answers).map_or(TurnNo(0), |said| said.turn);
    let since = past.typed().next().map_or(since, |user| since.max(user.turn));
    // Whoever works on has heard what was said.
    let mut idle = past.done_from(since).take_while(|done| !has_worked(done));
    let (done, reason) = idle.find_map(|done| done.result.refusal().map(|reason| (done, reason)))?;
    let text = format!("{} was refused: “{}”", done.tool, shortened(&one_line(reason)));
    Some(question(&text, &Place::Turn(done.turn), done.event))
}

/// Whether a call did more than look, and ended well.
fn has_worked(done: &Done<'_>) -> bool {
    let ran = |(_, run): (u32, &RunData)| run.exit_code == Some(0) && run.reading().purpose > Purpose::Asks;
    done.changed().next().is_some() || done.run().is_some_and(ran)
}

/// Whether a turn asks something where it was asked something.
fn is_other_matter(past: Past<'_>, user: &UserTurn) -> bool {
    let was_asked = past.said().find(|said| said.turn < user.turn).is_some_and(|said| said.asks());
    // "Yes, and we also need …" answers first.
    let lower = beginning(own_words(&user.text), OBJECTION_CUE).to_lowercase();
    let answers = words(&lower).next().is_some_and(|first| wording().replies.has(first));
    was_asked && !answers && matches!(past.kind(user), Kind::Question | Kind::Request)
}

fn quoted_question(who: &str, quote: crate::trace::claim::Quote) -> Question {
    Question { text: format!("{who}: “{}”", quote.text), unknown: false, evidence: Some(quote.evidence) }
}

fn question(text: &str, place: &Place, event: crate::trace::EventNo) -> Question {
    let evidence = Evidence { pointer: place.to_string(), event };
    Question {
        text: shorten_at_word(&one_line(text), LONGEST_QUESTION).into_owned(),
        unknown: false,
        evidence: Some(evidence),
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::runs::{Kind, newest},
        *,
    };
    use crate::{
        story::{Story, run},
        trace::{NoBlobs, ToolResult},
    };
    use serde_json::json;

    fn open(story: &Story) -> Vec<String> {
        let past = Past::new(story.session.history(), TurnNo(u32::MAX), &NoBlobs);
        let of = |kind| newest(past, kind).expect("readable");
        let found = questions(past, of(Kind::Tests).as_ref(), of(Kind::Build).as_ref()).expect("readable");
        found.into_iter().map(|question| question.text).collect()
    }

    #[test]
    fn failing_tests_are_named_until_they_pass() {
        let mut story = Story::new();
        story.user("look at the ledger");
        let output = "FAILED a.py::test_x - assert 0\n1 failed, 2 passed in 0.83s\n";
        story.step("", "Bash", json!({}), run("pytest -q", 1, output));
        assert_eq!(open(&story), ["pytest -q fails: a.py::test_x"]);
        story.step("", "Bash", json!({}), run("pytest -q", 0, "3 passed in 0.83s\n"));
        assert!(open(&story).is_empty());
    }

    #[test]
    fn a_part_or_another_folder_mends_nothing() {
        let failed = "FAILED a.py::test_x - assert 0\n1 failed, 2 passed in 0.83s\n";
        for (first, then, open_then) in [
            ("pytest -q", "pytest -q --deselect a.py::test_x", true),
            ("pytest -q", "pytest -q --ignore a.py", true),
            ("pytest -q", "pytest -q -m 'not slow'", true),
            ("pytest -q", "pytest -q -k util", true),
            ("pytest -q", "pytest -q b.py", true),
            ("cd a && pytest -q", "cd b && pytest -q", true),
            ("pytest -q", "pytest -q a.py::test_x", false),
            ("pytest -q", "pytest -q -k test_x", false),
            ("pytest -q", "pytest -x --tb=short", false),
            ("cd a && pytest -q", "pytest -q", false),
            ("cd a && pytest -q", "cd ./a && CI=1 pytest -q", false),
        ] {
            let mut story = Story::new();
            story.user("look at the ledger");
            story.step("", "Bash", json!({}), run(first, 1, failed));
            story.step("", "Bash", json!({}), run(then, 0, "2 passed in 0.83s\n"));
            let found = open(&story);
            assert_eq!(
                found.iter().any(|text| text.contains("pytest -q fails: a.py::test_x")),
                open_then,
                "{then}: {found:?}"
            );
        }
    }

    #[test]
    fn the_last_failing_command_is_open_until_it_goes_well() {
        let mut story = Story::new();
        story.user("look at the ledger");
        story.step("", "Bash", json!({}), run("git stash pop", 1, "error: it would be overwritten by merge\n"));
        story.step("", "Bash", json!({}), run("grep -rn x .", 1, ""));
        assert_eq!(open(&story), ["git stash pop failed: error: it would be overwritten by merge"]);
        story.step("", "Bash", json!({}), run("git stash pop", 0, ""));
        assert!(open(&story).is_empty());
        story.step("", "Bash", json!({}), run("./a.sh && ./b.sh", 1, "error: no b"));
        story.step("", "Bash", json!({}), run("./a.sh", 0, ""));
        assert_eq!(open(&story), ["./a.sh && ./b.sh failed: error: no b"]);
        story.step("", "Bash", json!({}), run("./b.sh", 0, ""));
        assert!(open(&story).is_empty());
        let crash = "thread 'main' panicked at src/a.rs:1:2:\nno settings\n\nCaused by:\n    0: no file\n    1: ledger not found: x";
        story.step("", "Bash", json!({}), run("./report || true", 0, crash));
        assert_eq!(open(&story), ["./report || true failed: 1: ledger not found: x"]);
    }

    #[test]
    fn why_a_call_was_refused_is_open_until_the_user_speaks_or_is_answered() {
        let mut story = Story::new();
        story.user("write the plan down");
        let client = "The user doesn't want to proceed with this tool use. To tell you how, the user said:\n";
        for (message, shown) in [
            (format!("{client}put it into the notes"), true),
            ("connection refused. the user said:\npush to main".to_owned(), false),
        ] {
            let refused = ToolResult::failure("PERMISSION_DENIED", &message, ResultData::Other(json!({})));
            story.step("", "Task", json!({}), refused);
            assert_eq!(open(&story).iter().any(|text| text == "Task was refused: “put it into the notes”"), shown);
            story.answer("Done.");
            assert!(!open(&story).iter().any(|text| text.contains("was refused")));
            story.user("go on");
        }
    }

    #[test]
    fn a_refusal_is_over_once_the_work_goes_on() {
        let client =
            "The user doesn't want to proceed with this tool use. To tell you how, the user said:\nrebase first";
        for (command, shown) in [("git log -3", true), ("git rebase main", false)] {
            let mut story = Story::new();
            story.user("push it to the server");
            let refused = ToolResult::failure("PERMISSION_DENIED", client, ResultData::Other(json!({})));
            story.step("", "Bash", json!({}), refused);
            story.step("", "Bash", json!({}), run(command, 0, "ok\n"));
            assert_eq!(open(&story).iter().any(|text| text.contains("was refused")), shown, "{command}");
        }
    }

    #[test]
    fn what_is_typed_into_a_running_round_is_open_until_the_next_text() {
        let mut story = Story::new();
        story.user("fix the ledger test");
        story.step("", "Bash", json!({}), run("ls", 0, "a"));
        story.queued("why is the month closed?");
        assert_eq!(open(&story), ["the user asked: “why is the month closed?”"]);
        story.step("Because the year is.", "Bash", json!({}), run("ls", 0, "a"));
        assert!(open(&story).is_empty(), "{:?}", open(&story));
    }

    #[test]
    fn what_a_test_expected_is_shown_before_what_was_logged() {
        let mut story = Story::new();
        story.user("look at the ledger");
        let output = "--- FAIL: TestA (0.00s)\n    log.go:9: Started it\n    a_test.go:5: expected 1, got 2\nFAIL\nFAIL\tx/a\t0.01s\n";
        story.step("", "Bash", json!({}), run("go test ./...", 1, output));
        assert_eq!(open(&story), ["go test ./... fails: TestA: a_test.go:5: expected 1, got 2 · log.go:9"]);
    }

    #[test]
    fn questions_are_open_until_somebody_answers() {
        let mut story = Story::new();
        story.user("why is the balance wrong?");
        story.step("", "Bash", json!({}), run("ls", 0, "a"));
        assert_eq!(open(&story), ["the user asked: “why is the balance wrong?”"]);
        story.answer("It compares prefixes. Shall I compare whole names?");
        assert_eq!(open(&story), ["the assistant asked: “Shall I compare whole names?”"]);
        story.user("yes, and rename the report, too");
        assert!(!open(&story).iter().any(|text| text.contains("Shall I")), "{:?}", open(&story));
        story.answer("Done.");
        story.user("I closed the month and nothing happens, look into it. Fix the failing test, too.");
        assert_eq!(open(&story), ["the user asked: “I closed the month and nothing happens, look into it.”"]);
    }
}
