//! The JSON that the model reads: the seed's field names, and text from outside that stays inside its string.
//!
//! Which items are shown is decided elsewhere.

use std::borrow::Cow;

use serde::Serialize;

use crate::{
    board::{BoardFact, BoardLimits, Mark, Stale},
    text::shorten,
    trace::claim::{Anchor, Assertion, Evidence, Fact, Question, Quote, RunStatus, Standing, WorkStatus},
};

/// Fields in a fixed order: what is worth most comes first, for whoever reads only the beginning.
#[derive(Default, Serialize)]
pub(super) struct Body<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) task: Option<Quoted<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) now: Option<Quoted<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) goal_shift_reason: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) status: Option<ShownStatus>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) open_questions: Vec<Item<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) next_actions: Vec<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) confirmed_facts: Vec<Item<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) anchors: Vec<Item<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) exec_assertions: Vec<Item<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) the_assistant_said: Vec<Item<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub(super) pinned: &'a [String],
}

/// The user's own words.
#[derive(Serialize)]
pub(super) struct Quoted<'a> {
    text: Cow<'a, str>,
    evidence: &'a str,
}

impl<'a> Quoted<'a> {
    /// At most so many characters of them.
    pub(super) fn new(quote: &'a Quote, characters: usize) -> Self {
        Self { text: shorten(&quote.text, characters), evidence: &quote.evidence.pointer }
    }
}

/// What comes next, at most so many characters of it; where that is what was asked, it is not said twice.
pub(super) fn action<'a>(
    action: &'a str,
    task: Option<&Quote>,
    now: Option<&Quote>,
    characters: usize,
) -> Cow<'a, str> {
    let is = |quote: Option<&Quote>| quote.is_some_and(|quote| quote.text == action);
    match () {
        _ if is(now) => "as now".into(),
        _ if is(task) => "as task".into(),
        _ => shorten(action, characters),
    }
}

/// Where tests and build stand, each as one sentence with its pointer.
#[derive(Serialize)]
pub(super) struct ShownStatus {
    #[serde(skip_serializing_if = "Option::is_none")]
    tests: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    build: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    errors_left: Option<u32>,
}

impl ShownStatus {
    pub(super) fn of(status: &WorkStatus) -> Self {
        Self { tests: status_text(&status.tests), build: status_text(&status.build), errors_left: status.errors_left }
    }

    /// Without commands and counts: their pointers have them.
    pub(super) fn brief(status: &WorkStatus, limits: &BoardLimits) -> Self {
        let brief = |run: &RunStatus| {
            let word = run.verdict.word();
            let told = run.text.rsplit_once(&format!(": {word}")).map(|(_, rest)| {
                let counts = rest.strip_prefix(" (").and_then(|rest| rest.split_once(')'));
                format!("{word}{}", counts.map_or(rest, |(_, since)| since))
            });
            let text = reminder(told.as_deref().unwrap_or(&run.text), limits).into_owned();
            status_text(&RunStatus { text, ..run.clone() })
        };
        Self { tests: brief(&status.tests), build: brief(&status.build), errors_left: None }
    }
}

/// The sentence with the run that shows it.
pub(super) fn status_text(status: &RunStatus) -> Option<String> {
    let pointer = status.evidence.as_ref().map(|evidence| format!(" [{}]", evidence.pointer)).unwrap_or_default();
    (!status.is_empty()).then(|| format!("{}{pointer}", status.text))
}

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Item<'a> {
    Fact {
        id: &'a str,
        text: Cow<'a, str>,
        evidence: Vec<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        revised: Option<String>,
    },
    Question {
        id: &'a str,
        text: Cow<'a, str>,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        unknown: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        evidence: Option<&'a str>,
    },
    Quote {
        id: &'a str,
        text: &'a str,
        evidence: &'a str,
    },
    Anchor {
        id: &'a str,
        path: &'a str,
        start_line: u32,
        end_line: u32,
        snippet: &'a str,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        moved: bool,
    },
    Assertion {
        command: &'a str,
        result: &'a str,
        evidence: &'a str,
    },
    Retracted {
        id: &'a str,
        retracted: Vec<&'a str>,
    },
    /// A count of what is not shown, or what became stale.
    Note(String),
}

impl<'a> Item<'a> {
    /// A fact that holds, with the evidence of what stood in its place.
    pub(super) fn fact(id: &'a str, fact: &'a Fact, was: &[Evidence]) -> Self {
        let revised = (!was.is_empty()).then(|| was_text(was));
        Self::Fact { id, text: fact_text(fact), evidence: pointers(&fact.evidence), revised }
    }

    /// A fact that no longer holds, with the evidence against it.
    pub(super) fn retracted_fact(id: &'a str, fact: &Fact, by: &'a [Evidence], limits: &BoardLimits) -> Self {
        let text = format!("no longer held: {}", reminder(&fact_text(fact), limits));
        Self::Fact { id, text: text.into(), evidence: pointers(by), revised: Some(was_text(&fact.evidence)) }
    }

    pub(super) fn board_fact(id: &'a str, held: &'a BoardFact, limits: &BoardLimits) -> Self {
        match &held.mark {
            Mark::Plain => Self::fact(id, &held.fact, &[]),
            Mark::Revised { was } => Self::fact(id, &held.fact, was),
            Mark::Retracted { by } => Self::retracted_fact(id, &held.fact, by, limits),
        }
    }

    /// At most so many characters of it.
    pub(super) fn question(id: &'a str, question: &'a Question, characters: usize) -> Self {
        let evidence = question.evidence.as_ref().map(|evidence| evidence.pointer.as_str());
        Self::Question { id, text: shorten(&question.text, characters), unknown: question.unknown, evidence }
    }

    pub(super) fn quote(id: &'a str, quote: &'a Quote) -> Self {
        Self::Quote { id, text: &quote.text, evidence: &quote.evidence.pointer }
    }

    pub(super) fn anchor(id: &'a str, anchor: &'a Anchor) -> Self {
        Self::Anchor {
            id,
            path: &anchor.path,
            start_line: anchor.first_line,
            end_line: anchor.last_line,
            snippet: &anchor.snippet,
            moved: anchor.moved,
        }
    }

    pub(super) fn assertion(assertion: &'a Assertion) -> Self {
        Self::Assertion {
            command: &assertion.command,
            result: &assertion.result,
            evidence: &assertion.evidence.pointer,
        }
    }
}

/// docs/design/model.md, "Living anchors": whatever shows them elsewhere shows old text.
pub(super) fn stale_notes<'a>(stale: &[Stale]) -> impl Iterator<Item = Item<'a>> {
    stale.iter().map(|stale| Item::Note(format!("{} stale since turn#{}", stale.id, stale.since)))
}

/// docs/design/model.md, "Voices": an assistant's turn proves only that it was said.
pub(super) fn fact_text(fact: &Fact) -> Cow<'_, str> {
    match fact.standing {
        Standing::Confirmed => Cow::Borrowed(&fact.text),
        Standing::Concluded => Cow::Owned(format!("the assistant concluded: {}", fact.text)),
    }
}

pub(super) fn pointers(evidence: &[Evidence]) -> Vec<&str> {
    evidence.iter().map(|evidence| evidence.pointer.as_str()).collect()
}

pub(super) fn was_text(evidence: &[Evidence]) -> String {
    format!("was {}", pointers(evidence).join(", "))
}

/// The start of a text that only has to be recognised.
pub(super) fn reminder<'a>(text: &'a str, limits: &BoardLimits) -> Cow<'a, str> {
    shorten(text, limits.reminder_characters)
}

/// A header and one line of JSON. No text in it can end or begin a tag of ours: the JSON escape reads back as the same
/// character, and a tag is recognised without regard to case and blanks.
pub(super) fn render_json(header: &str, body: &Body<'_>) -> String {
    // Strings, numbers and lists of them cannot fail to serialise.
    let json = serde_json::to_string(body).unwrap_or_default();
    let mut rendered = format!("{header}\n");
    let mut rest = json.as_str();
    while let Some((before, behind)) = rest.split_once('<') {
        rendered.push_str(before);
        rendered.push_str(if names_our_tag(behind) { "\\u003c" } else { "<" });
        rest = behind;
    }
    rendered.push_str(rest);
    rendered
}

fn names_our_tag(rest: &str) -> bool {
    const NAME: &str = "lookback";
    let name = rest.trim_start_matches(|character: char| character == '/' || character.is_whitespace());
    name.get(..NAME.len()).is_some_and(|start| start.eq_ignore_ascii_case(NAME))
}
