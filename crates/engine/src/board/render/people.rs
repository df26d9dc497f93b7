//! The board for people: one line per item, its evidence beside it.
//!
//! Colours and what else a terminal can do are not known here.

use std::borrow::Cow;

use super::json::{fact_text, pointers, reminder, was_text};
use crate::{
    board::{Board, BoardFact, BoardLimits, Mark},
    configuration::written::{EVIDENCE_COLUMN, INDENT, LEAST_ROOM, TEXT_COLUMN, WIDE},
    text::columns,
    trace::claim::{Anchor, Assertion, Question, Quote, RunStatus, Standing, WorkStatus},
};

impl Board {
    /// Everything on the self, for a terminal of so many columns. Nothing is left out.
    pub fn for_people(&self, columns: usize, limits: &BoardLimits) -> String {
        let mut page = Page { lines: Vec::new(), columns };
        let quoted = |quote: &Quote| (quote.text.clone(), format!("from {}", quote.evidence.pointer));
        page.section("task", self.task.iter().map(quoted));
        page.section("now", self.now.iter().map(quoted));
        page.section("why", self.goal_shift_reason.iter().map(|reason| (reason.clone(), String::new())));
        page.section("status", status_lines(&self.status).into_iter());
        page.section("open", self.questions.iter().map(|entry| question_line(&entry.value)));
        let actions = self.next_actions.iter().zip(1..);
        page.section("next", actions.map(|(action, number)| (format!("{number} {action}"), String::new())));
        page.section("facts", self.facts.iter().map(|entry| fact_line(&entry.value)));
        page.section("said", self.said.iter().map(|entry| quoted(&entry.value)));
        page.section("anchors", self.anchors.iter().map(|entry| anchor_line(&entry.value, limits)));
        page.section("commands", self.assertions.iter().map(|held| assertion_line(&held.assertion)));
        if page.lines.is_empty() { " the board is empty\n".to_owned() } else { page.lines.join("\n") + "\n" }
    }
}

struct Page {
    lines: Vec<String>,
    columns: usize,
}

impl Page {
    fn section(&mut self, label: &str, rows: impl Iterator<Item = (String, String)>) {
        for (at, (text, evidence)) in rows.enumerate() {
            let label = if at == 0 { label } else { "" };
            let (text, evidence) = (printable(&text), printable(&evidence));
            let line = format!(" {label:<width$}{text}", width = TEXT_COLUMN - 1);
            let fits_beside = width(&line) < EVIDENCE_COLUMN && EVIDENCE_COLUMN + width(&evidence) <= self.columns;
            if !evidence.is_empty() && self.columns >= WIDE && fits_beside {
                let blanks = EVIDENCE_COLUMN - width(&line);
                self.lines.push(format!("{line}{:blanks$}{evidence}", ""));
                continue;
            }
            let room = self.columns.saturating_sub(TEXT_COLUMN + INDENT).max(LEAST_ROOM);
            let mut texts = wrap(&text, room).into_iter();
            let first = texts.next().unwrap_or_default();
            self.lines.push(format!(" {label:<width$}{first}", width = TEXT_COLUMN - 1));
            let rest = texts.chain(wrap(&evidence, room));
            self.lines.extend(rest.map(|line| format!("{:1$}{line}", "", TEXT_COLUMN + INDENT)));
        }
    }
}

fn fact_line(held: &BoardFact) -> (String, String) {
    let text = fact_text(&held.fact);
    let evidence = pointers(&held.fact.evidence).join(" · ");
    let sign = match held.fact.standing {
        Standing::Confirmed => '✓',
        Standing::Concluded => '~',
    };
    match &held.mark {
        Mark::Plain => (format!("{sign} {text}"), evidence),
        Mark::Revised { was } => (format!("{sign} {text}"), format!("{evidence} · revised, {}", was_text(was))),
        Mark::Retracted { by } => (
            format!("✗ {text}"),
            format!("retracted: {} · {}", pointers(by).join(" · "), was_text(&held.fact.evidence)),
        ),
    }
}

fn question_line(question: &Question) -> (String, String) {
    let pointer = question.evidence.as_ref().map(|evidence| evidence.pointer.clone()).unwrap_or_default();
    (format!("? {}", question.text), if question.unknown { "unknown".to_owned() } else { pointer })
}

fn anchor_line(anchor: &Anchor, limits: &BoardLimits) -> (String, String) {
    let first = anchor.snippet.split('\n').next().unwrap_or_default().trim();
    let place = format!("{}:{}-{}", anchor.path, anchor.first_line, anchor.last_line);
    (format!("{place}  {}", reminder(first, limits)), format!("as of turn#{}", anchor.as_of))
}

fn assertion_line(assertion: &Assertion) -> (String, String) {
    (format!("$ {} → {}", assertion.command, assertion.result), assertion.evidence.pointer.clone())
}

fn status_lines(status: &WorkStatus) -> Vec<(String, String)> {
    let line = |name: &str, status: &RunStatus| {
        let pointer = status.evidence.as_ref().map(|evidence| evidence.pointer.clone()).unwrap_or_default();
        (!status.is_empty()).then(|| (format!("{name}: {}", status.text), pointer))
    };
    let errors = status.errors_left.map(|count| (format!("errors left: {count}"), String::new()));
    [line("tests", &status.tests), line("build", &status.build), errors].into_iter().flatten().collect()
}

/// Lines of at most `room` columns, broken between words; a longer word is broken where it must be.
fn wrap(text: &str, room: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if width(line) + 1 + width(word) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
        while let Some(line) = lines.last_mut().filter(|line| width(line) > room) {
            let mut used = 0;
            let end = line.char_indices().find(|(_, letter)| {
                used += columns(*letter);
                used > room
            });
            let rest = end.map(|(end, _)| line.split_off(end)).unwrap_or_default();
            lines.push(rest);
        }
    }
    if text.is_empty() { Vec::new() } else { lines }
}

/// Text from outside stays on its line and moves no cursor.
fn printable(text: &str) -> Cow<'_, str> {
    let hostile = |character: char| character.is_control() || is_direction_mark(character);
    if text.contains(hostile) { Cow::Owned(text.replace(hostile, " ")) } else { Cow::Borrowed(text) }
}

fn is_direction_mark(character: char) -> bool {
    matches!(character, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn width(text: &str) -> usize {
    text.chars().map(columns).sum()
}
