//! The judge: puts a text through its door and looks at all that is stated afterwards.

use lookback_engine::{
    Source,
    fold::{Anchor, Assertion, BlockContent, Fact, Mark},
    session::ModelAttempt,
    text::LINE_ENDS,
    trace::EventBody,
};
use serde_json::{Value, json};

use super::{
    story::{LAST, Story},
    truths::{OPEN, TRUTHS, WISHES},
};
use crate::{story::NOW, workday::line};

/// Where a model's text comes in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Door {
    Fold,
    Delta,
    Archive,
}

impl Door {
    pub(super) const ALL: [Self; 3] = [Self::Fold, Self::Delta, Self::Archive];

    /// The fields as this door wants them, beside something that holds.
    pub(super) fn text(self, fields: &Value) -> String {
        let merged = |mut base: Value| {
            for (key, value) in fields.as_object().expect("fields") {
                let both = match (base.get(key), value) {
                    (Some(Value::Array(old)), Value::Array(new)) => json!([&old[..], &new[..]].concat()),
                    _ => value.clone(),
                };
                base[key] = both;
            }
            base
        };
        match self {
            Self::Fold => {
                let verdict = json!({ "kind": "verdict", "evidence": ["cmd#2"] });
                let block =
                    json!({ "replaces": { "start_turn": 0, "end_turn": LAST }, "facts": [verdict], "anchors": [] });
                json!({ "compressed_turns": merged(block), "state_delta": {} }).to_string()
            }
            Self::Delta => merged(json!({})).to_string(),
            Self::Archive => merged(json!({ "notes": ["something else"] })).to_string(),
        }
    }

    pub(super) fn has_place_for(self, fields: &Value) -> bool {
        self != Self::Archive || fields.get("facts").is_some() || fields.get("task").is_some()
    }
}

pub(super) struct Judged {
    /// Every statement, with what it is stated as.
    pub(super) stated: Vec<String>,
    /// Those that are not true.
    pub(super) found: Vec<String>,
    pub(super) refused: Vec<String>,
    /// What the model that goes on reads.
    pub(super) text: String,
}

pub(super) fn judge(story: &Story, door: Door, text: &str) -> Judged {
    let mut session = story.session();
    let refused = match door {
        Door::Fold => session
            .draft_range(story.range, None, "test")
            .and_then(|draft| session.fold_by_model(&draft, text, ModelAttempt::Repair, &NOW))
            .map(|report| report.refused),
        Door::Delta => session.delta_from_text(text, &NOW).map(|report| report.refused),
        Door::Archive => session
            .draft_archive()
            .and_then(|draft| session.archive_by_model(&draft, text, &NOW))
            .map(|report| report.refused),
    };
    let refused = match refused {
        Ok(refused) => refused.iter().map(ToString::to_string).collect(),
        Err(error) => vec![error.to_string()],
    };
    let mut stated = Vec::new();
    let mut shown = String::new();
    for entry in session.view().entries() {
        match (entry.source, &session.trace()[entry.revision.0 as usize].event) {
            (Source::Block(_), EventBody::Fold(fold)) => {
                stated.extend(of_claims(&fold.claims));
                stated.extend(structure(&fold.content.text));
                shown.push_str(&fold.content.text);
            }
            (Source::Archived(_), EventBody::Archive(archive)) => {
                stated.extend(archive.claims.iter().flat_map(|claims| of_claims(claims)));
                stated.extend(of_archive(&archive.content.text));
                stated.extend(structure(&archive.content.text));
                shown.push_str(&archive.content.text);
            }
            _ => {}
        }
    }
    let board = session.state().board();
    stated.extend(board.task().map(|task| format!("task: {}", task.text)));
    stated.extend(board.now().map(|now| format!("now: {}", now.text)));
    for fact in board.facts() {
        stated.push(of_fact(&fact.value.fact));
        if fact.value.mark != Mark::Plain {
            stated.push(format!("retracted: {}", fact.id));
        }
    }
    stated.extend(board.assertions().iter().map(|run| of_run(&run.assertion)));
    stated.extend(board.questions().iter().map(|question| format!("question: {}", question.value.text)));
    stated.extend(board.anchors().iter().map(|anchor| of_anchor(&anchor.value)));
    stated.extend(board.next_actions().iter().map(|action| format!("action: {action}")));
    let status = board.status();
    stated.extend(
        [&status.tests.text, &status.build.text]
            .into_iter()
            .filter(|text| !text.is_empty())
            .map(|text| format!("status: {text}")),
    );
    let found = stated.iter().filter(|line| !is_true(line)).cloned().collect();
    Judged { stated, found, refused, text: shown }
}

fn of_claims(claims: &BlockContent) -> Vec<String> {
    let wishes = [("task", &claims.task), ("now", &claims.now)];
    let wishes = wishes.into_iter().filter_map(|(name, quote)| Some(format!("{name}: {}", quote.as_ref()?.text)));
    let facts = claims.what_we_learned.iter().map(of_fact).chain(claims.exec_assertions.iter().map(of_run));
    let actions = claims.next_actions.iter().map(|action| format!("action: {action}"));
    wishes.chain(facts).chain(claims.anchors.iter().map(of_anchor)).chain(actions).collect()
}

fn of_fact(fact: &Fact) -> String {
    let pointers: Vec<&str> = fact.evidence.iter().map(|evidence| evidence.pointer.as_str()).collect();
    format!("fact: {} [{}]", fact.text, pointers.join(" · "))
}

fn of_run(run: &Assertion) -> String {
    format!("fact: {} → {} [{}]", run.command, run.result, run.evidence.pointer)
}

fn of_anchor(anchor: &Anchor) -> String {
    let Anchor { path, first_line, last_line, snippet, .. } = anchor;
    format!("anchor: {path}:L{first_line}-L{last_line} {snippet}")
}

/// What an archive states under its headings; what was only said and noted stands under its own.
fn of_archive(text: &str) -> Vec<String> {
    let mut stated = Vec::new();
    let mut under = "";
    let template = text.split_once("## 📌").map_or("", |(_, template)| template);
    for line in template.lines() {
        if line.starts_with("### ") || line.starts_with("* **") {
            under = line;
        }
        let label = |name: &str| under.starts_with(name);
        if let Some(goal) = line.strip_prefix("* **Original Goal**: ") {
            stated.push(format!("task: {}", goal.split("\" [").next().unwrap_or_default().trim_matches('"')));
        } else if line.starts_with("  * ") && (label("* **Learnings") || label("* **User Preferences")) {
            stated.push(format!("fact: {}", &line[4..]));
        } else if line.starts_with("  * ") && label("* **Decisions") {
            stated.push(format!("decision: {}", &line[4..]));
        } else if line.starts_with("* [") {
            stated.push(format!("done: {line}"));
        }
    }
    stated
}

/// Lines that look like the record around the claims, and are not its own.
fn structure(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let tags = text.to_lowercase().matches("lookback-block>").count();
    if tags != 2 || !text.ends_with("\n</lookback-block>") {
        found.push(format!("structure: {tags} tags"));
    }
    let lines: Vec<&str> = text.split(LINE_ENDS).map(str::trim_start).collect();
    let is_user = |line: &&&str| line.starts_with("user#") || line.starts_with("[end of user#");
    let users: Vec<&str> = lines.iter().filter(is_user).copied().collect();
    let own = ["user#1:", "[end of user#1]", "user#2: Should we release today? I say no."];
    if users != own[..2] && users != own {
        found.push(format!("structure: {users:?}"));
    }
    let heads = [
        "task:",
        "now:",
        "facts:",
        "commands:",
        "next:",
        "anchors:",
        "calls, in order:",
        "notes in",
        "the assistant said:",
        "## ",
        "### ",
    ];
    for head in heads {
        let count = lines.iter().filter(|line| line.starts_with(head)).count();
        if count > if head == "### " { 5 } else { 1 } {
            found.push(format!("structure: {count} × {head}"));
        }
    }
    found
}

pub(super) fn is_true(stated: &str) -> bool {
    if let Some(anchor) = stated.strip_prefix("anchor: src/ledger.py:L") {
        let Some((range, snippet)) = anchor.split_once(' ') else { return false };
        let ends: Vec<u32> = range.split("-L").filter_map(|end| end.parse().ok()).collect();
        let [first, last] = ends[..] else { return false };
        let lines: Vec<String> = (first..=last).map(now).collect();
        return snippet == lines.join("\n");
    }
    if let Some(line) = stated.strip_prefix("fact: L") {
        let Some((number, _)) = line.split_once(' ') else { return false };
        let text = number.parse().map(now).unwrap_or_default();
        return line == format!("{number} says \"{}\" [file:src/ledger.py:L{number}]", text.trim());
    }
    let wish = ["task: ", "now: ", "action: "].iter().find_map(|place| stated.strip_prefix(place));
    let wish = wish.or_else(|| {
        let quoted = stated.strip_prefix("fact: ")?;
        quoted.strip_suffix(" [user#1]").or(quoted.strip_suffix(" [turn#0]")).or(quoted.strip_suffix(" [user#2]"))
    });
    let is_open = OPEN.iter().any(|beginning| stated.starts_with(beginning));
    is_open || wish.is_some_and(|wish| WISHES.contains(&wish)) || TRUTHS.contains(&stated)
}

/// Line N of `src/ledger.py` as it stands at the end.
fn now(number: u32) -> String {
    match number {
        11 | 20 => format!("    entry_{number} = None"),
        _ => line(number),
    }
}
