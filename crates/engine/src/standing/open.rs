//! What is open: tests and builds that fail, the last call that failed, and questions that nobody answered.

use super::{
    errors::error_lines,
    past::{Done, Past},
    runs::{Newest, command_of},
    sentences::sentences,
    turns::{Kind, is_question, own_words, requests},
    wording::wording,
};
use crate::{
    configuration::standing::{
        CALLS_BACK, ERROR_LINES, ERROR_TOKENS, LAST_SENTENCES, LONGEST_QUESTION, OPEN_SENTENCES,
    },
    configuration::written::NAMED_FAILURES,
    evidence::pointer::Place,
    shell::Purpose,
    text::{one_line, shorten_at_word, shorten_quotation},
    trace::{
        BlobError, ResultData, Status, TurnNo, UserTurn,
        claim::{Evidence, Question, RunVerdict},
    },
};

/// `tests` and `build` are the newest runs of either.
pub(super) fn questions(
    past: Past<'_>,
    tests: Option<&Newest<'_>>,
    build: Option<&Newest<'_>>,
) -> Result<Vec<Question>, BlobError> {
    let mut found = Vec::new();
    let edited = tests.and_then(|tests| untested(past, tests));
    let tests = tests.filter(|run| run.verdict == RunVerdict::Failed);
    let build = build.filter(|run| run.verdict == RunVerdict::Failed);
    found.extend(tests.map(failing));
    found.extend(build.filter(|build| tests.is_none_or(|tests| tests.number != build.number)).map(failing));
    let known: Vec<u32> = tests.into_iter().chain(build).map(|run| run.number).collect();
    found.extend(failed_call(past, &known)?);
    found.extend(still_running(past));
    found.extend(unanswered(past));
    found.extend(edited);
    Ok(found)
}

fn told(lines: &[&str]) -> String {
    let each = ERROR_TOKENS / lines.len().max(1) as u32;
    lines.iter().map(|line| shorten_quotation(line, each)).collect::<Vec<_>>().join(" · ")
}

fn failing(run: &Newest<'_>) -> Question {
    let names = run.run.tests.as_ref().map(|report| report.failures.as_slice()).unwrap_or_default();
    let named = names.iter().take(NAMED_FAILURES).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = names.len().saturating_sub(NAMED_FAILURES);
    let named = if more > 0 { format!("{named} and {more} more") } else { named };
    let named = if named.is_empty() { String::new() } else { format!(": {named}") };
    let lines = told(&error_lines(&run.output, ERROR_LINES));
    let lines = if lines.is_empty() { lines } else { format!(": {lines}") };
    let text = format!("{} fails{named}{lines}", command_of(run.run));
    question(&text, &run.place(), run.done.event)
}

/// The newest call that failed, unless the same was done again. That a search found nothing is no failure.
fn failed_call(past: Past<'_>, known: &[u32]) -> Result<Option<Question>, BlobError> {
    let mut newer: Vec<String> = Vec::new();
    for done in past.done().take(CALLS_BACK) {
        let key = key_of(&done);
        let is_newest = !newer.contains(&key);
        newer.push(key);
        if !has_failed(&done) || !is_newest || done.command.is_some_and(|number| known.contains(&number)) {
            continue;
        }
        let output = past.output(done.result)?;
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
        return Ok(Some(question(&format!("{what} failed: {}", told(&lines)), &place, done.event)));
    }
    Ok(None)
}

fn has_failed(done: &Done<'_>) -> bool {
    match &done.result.data {
        ResultData::Run(run) => run.exit_code.is_some_and(|code| code != 0) && run.reading().purpose > Purpose::Asks,
        // A path that was guessed wrongly leaves nothing open.
        ResultData::Read(_) | ResultData::Search(_) | ResultData::List(_) => false,
        _ => done.result.status == Status::Error,
    }
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
fn untested(past: Past<'_>, tests: &Newest<'_>) -> Option<Question> {
    let edited: Vec<&str> = tests.edited_since(past).into_iter().collect();
    let more = edited.len().saturating_sub(NAMED_FAILURES);
    let named = edited.iter().rev().take(NAMED_FAILURES).rev().copied().collect::<Vec<_>>().join(", ");
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let text = format!("no tests ran since these were edited: {named}{more}");
    (!edited.is_empty()).then(|| question(&text, &tests.place(), tests.done.event))
}

/// Two calls with the same key do the same.
fn key_of(done: &Done<'_>) -> String {
    match &done.result.data {
        ResultData::Run(run) => run.reading().key(&run.command),
        data @ (ResultData::Edit(_) | ResultData::Patch(_) | ResultData::Write(_)) => {
            format!("edit {}", data.changed_paths().collect::<Vec<_>>().join(" "))
        }
        ResultData::Read(read) => format!("read {}", read.path),
        _ => done.tool.to_owned(),
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
        // "fix the failing test" is the task.
        let in_trouble = |lower: &str| wording().trouble.stand_in(lower) && !requests(lower);
        let is_open = |text: &str| is_question(text) || in_trouble(&text.to_lowercase());
        let words = own_words(&user.text);
        let open = sentences(words).into_iter().filter(|sentence| is_open(sentence.text)).take(OPEN_SENTENCES);
        let quoted = open.filter_map(|sentence| past.quote(sentence.text, &Place::User(number)));
        found.extend(quoted.map(|quote| quoted_question("the user asked", quote)));
    }
    found
}

/// Whether a turn asks something where it was asked something.
fn is_other_matter(past: Past<'_>, user: &UserTurn) -> bool {
    let before = past.said().find(|said| said.turn < user.turn);
    let was_asked = before.is_some_and(|said| {
        said.answers
            && sentences(said.text).iter().rev().take(LAST_SENTENCES).any(|sentence| is_question(sentence.text))
    });
    was_asked && matches!(past.kind(user), Kind::Question | Kind::Request)
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
        trace::NoBlobs,
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
    fn the_last_failing_command_is_open_until_it_goes_well() {
        let mut story = Story::new();
        story.user("look at the ledger");
        story.step("", "Bash", json!({}), run("git stash pop", 1, "error: it would be overwritten by merge\n"));
        story.step("", "Bash", json!({}), run("grep -rn x .", 1, ""));
        assert_eq!(open(&story), ["git stash pop failed: error: it would be overwritten by merge"]);
        story.step("", "Bash", json!({}), run("git stash pop", 0, ""));
        assert!(open(&story).is_empty());
    }

    #[test]
    fn questions_are_open_until_somebody_answers() {
        let mut story = Story::new();
        story.user("why is the balance wrong?");
        story.step("", "Bash", json!({}), run("ls", 0, "a"));
        assert_eq!(open(&story), ["the user asked: “why is the balance wrong?”"]);
        story.answer("It compares prefixes. Shall I compare whole names?");
        assert_eq!(open(&story), ["the assistant asked: “Shall I compare whole names?”"]);
        story.user("yes");
        assert!(!open(&story).iter().any(|text| text.contains("Shall I")), "{:?}", open(&story));
    }
}
