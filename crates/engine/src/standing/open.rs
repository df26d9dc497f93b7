//! What is open: tests and builds that fail, the last call that failed, and questions that nobody answered.

use super::{
    errors::error_lines,
    past::{Done, Past, shortened},
    runs::{Kind as RunKind, Newest, command_of, newest},
    sentences::sentences,
    turns::{Kind, is_question, kind_of, own_words},
    wording::wording,
};
use crate::{
    evidence::pointer::Place,
    shell::Purpose,
    text::one_line,
    trace::{
        BlobError, ResultData, Status,
        claim::{Evidence, Question, RunVerdict},
    },
};

/// How many failing tests are named, and how many lines of an error are shown.
const NAMES: usize = 5;
const LINES: usize = 2;
/// How many of the user's open sentences are quoted.
const QUESTIONS: usize = 2;
/// A call that failed longer ago was answered by what was done since.
const RECENT: usize = 12;

pub(super) fn questions(past: Past<'_>) -> Result<Vec<Question>, BlobError> {
    let mut found = Vec::new();
    let tests = newest(past, RunKind::Tests)?.filter(|run| run.verdict == RunVerdict::Failed);
    let build = newest(past, RunKind::Build)?.filter(|run| run.verdict == RunVerdict::Failed);
    found.extend(tests.as_ref().map(failing));
    found.extend(
        build.as_ref().filter(|build| tests.as_ref().is_none_or(|tests| tests.number != build.number)).map(failing),
    );
    let known: Vec<u32> = tests.iter().chain(&build).map(|run| run.number).collect();
    found.extend(failed_call(past, &known)?);
    found.extend(unanswered(past));
    Ok(found)
}

fn failing(run: &Newest<'_>) -> Question {
    let names = run.run.tests.as_ref().map(|report| report.failures.as_slice()).unwrap_or_default();
    let named = names.iter().take(NAMES).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = names.len().saturating_sub(NAMES);
    let named = if more > 0 { format!("{named} and {more} more") } else { named };
    let named = if named.is_empty() { String::new() } else { format!(": {named}") };
    let lines = error_lines(&run.output, LINES).join(" · ");
    let lines = if lines.is_empty() { lines } else { format!(": {}", shortened(&lines)) };
    let text = format!("{} fails{named}{lines}", command_of(run.run));
    question(&text, &run.place(), run.done.event)
}

/// The newest call that failed, unless the same went well since. That a search found nothing is no failure.
fn failed_call(past: Past<'_>, known: &[u32]) -> Result<Option<Question>, BlobError> {
    let mut went_well: Vec<String> = Vec::new();
    for done in past.done().take(RECENT) {
        let key = key_of(&done);
        if !has_failed(&done) {
            went_well.push(key);
            continue;
        }
        if done.command.is_some_and(|number| known.contains(&number)) || went_well.contains(&key) {
            continue;
        }
        let output = past.output(done.result)?;
        let said = done.result.error.as_ref().map(|error| error.message.as_str()).filter(|said| !said.is_empty());
        let output = said.unwrap_or(&output);
        let mut lines = error_lines(output, LINES);
        if lines.is_empty() {
            lines.extend(output.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with("Exit code")));
        }
        let (what, place) = match done.run() {
            Some((number, run)) => (command_of(run), Place::Cmd { number, exit: None }),
            None => (done.tool.to_owned(), Place::Turn(done.turn)),
        };
        return Ok(Some(question(&format!("{what} failed: {}", shortened(&lines.join(" · "))), &place, done.event)));
    }
    Ok(None)
}

fn has_failed(done: &Done<'_>) -> bool {
    match &done.result.data {
        ResultData::Run(run) => run.exit_code.is_some_and(|code| code != 0) && run.reading().purpose > Purpose::Asks,
        _ => done.result.status == Status::Error,
    }
}

/// Two calls with the same key do the same.
fn key_of(done: &Done<'_>) -> String {
    match &done.result.data {
        ResultData::Run(run) => run.reading().key(&run.command),
        ResultData::Edit(edit) => format!("edit {}", edit.path),
        ResultData::Write(write) => format!("edit {}", write.path),
        ResultData::Read(read) => format!("read {}", read.path),
        _ => done.tool.to_owned(),
    }
}

/// What the newest round asks while it is under way, and what the assistant asked before it. An answer ends both.
fn unanswered(past: Past<'_>) -> Vec<Question> {
    let newest =
        past.users().map(|user| (user, own_words(&user.text))).find(|(_, words)| kind_of(words).says_something());
    let under_way = past.is_under_way();
    let Some((user, words)) = newest else { return Vec::new() };
    let mut found: Vec<Question> = Vec::new();
    let kind = kind_of(words);
    // What was asked of the user is open while the user speaks of something else, or not at all.
    let asked = past.said().find(|said| said.answers && (!under_way || said.turn < user.turn));
    let unheard = !under_way || (matches!(kind, Kind::Question | Kind::Request) && follows(past, user.turn));
    if let Some(said) = asked.filter(|_| unheard) {
        let last = sentences(said.text).into_iter().rev().take(3).find(|sentence| is_question(sentence.text));
        let quoted = last.and_then(|sentence| past.quote(sentence.text, &Place::Turn(said.turn)));
        found.extend(quoted.map(|quote| quoted_question("the assistant asked", quote)));
    }
    if under_way && let Some(number) = user.user {
        let is_open = |text: &str| is_question(text) || wording().trouble.stand_in(&text.to_lowercase());
        let open = sentences(words).into_iter().filter(|sentence| is_open(sentence.text)).take(QUESTIONS);
        let quoted = open.filter_map(|sentence| past.quote(sentence.text, &Place::User(number)));
        found.extend(quoted.map(|quote| quoted_question("the user asked", quote)));
    }
    found
}

/// Whether the turn right before a user's is an answer that asked something.
fn follows(past: Past<'_>, turn: crate::trace::TurnNo) -> bool {
    let before = past.said().find(|said| said.turn < turn);
    before.is_some_and(|said| {
        said.answers && sentences(said.text).iter().rev().take(3).any(|sentence| is_question(sentence.text))
    })
}

fn quoted_question(who: &str, quote: crate::trace::claim::Quote) -> Question {
    Question { text: format!("{who}: “{}”", quote.text), unknown: false, evidence: Some(quote.evidence) }
}

fn question(text: &str, place: &Place, event: crate::trace::EventNo) -> Question {
    let evidence = Evidence { pointer: place.to_string(), event };
    Question { text: one_line(text), unknown: false, evidence: Some(evidence) }
}
