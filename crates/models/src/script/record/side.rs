//! What compactors said, as far as a trace has it: not their text, but what was admitted of it. Written in the form in
//! which a model answers (`prompts/`), so that it is admitted again.

use lookback_engine::{
    fold::{Anchor, Assertion, BlockContent, Change, Delta, Evidence, Fact, Goal, Question, WorkStatus, unescape_tag},
    trace::decision::Fold,
};
use serde_json::{Map, Value, json};

pub(super) fn compaction_text(fold: &Fold) -> String {
    let BlockContent { goal, what_we_learned, anchors, exec_assertions, open_questions, next_actions, .. } =
        &fold.claims;
    let mut turns = json!({
        "replaces": { "start_turn": fold.range.first, "end_turn": fold.range.last },
        "what_we_learned": what_we_learned.iter().map(fact).collect::<Vec<_>>(),
        "anchors": anchors.iter().map(anchor).collect::<Vec<_>>(),
        "exec_assertions": exec_assertions.iter().map(assertion).collect::<Vec<_>>(),
        // What stands there marked as unknown was a claim that was refused.
        "open_questions": open_questions.iter().filter(|question| !question.unknown).map(question).collect::<Vec<_>>(),
        "next_actions": next_actions,
    });
    if let Some(goal) = goal {
        turns["goal"] = self::goal(goal);
    }
    let delta = fold.delta.as_ref().map_or_else(|| json!({}), delta_value);
    let text = json!({ "compressed_turns": turns, "state_delta": delta });
    serde_json::to_string_pretty(&text).unwrap_or_default()
}

pub(super) fn delta_value(delta: &Delta) -> Value {
    let mut fields = Map::new();
    let mut set = |name: &str, value: Option<Value>| fields.extend(value.map(|value| (name.to_owned(), value)));
    set("current_goal", delta.current_goal.as_ref().map(goal));
    set("goal_shift_reason", delta.goal_shift_reason.as_ref().map(|reason| json!(reason)));
    set("confirmed_facts", list(&delta.confirmed_facts, fact));
    set("open_questions", list(&delta.open_questions, question));
    set("anchors", list(&delta.anchors, anchor));
    let assertions: Vec<Value> = delta.exec_assertions.iter().map(assertion).collect();
    set("exec_assertions", (!assertions.is_empty()).then(|| json!(assertions)));
    set("status", delta.status.as_ref().map(status));
    set("next_actions", delta.next_actions.as_ref().map(|actions| json!(actions)));
    Value::Object(fields)
}

/// The summary itself, without the tag and the user's turns around it.
pub(super) fn archive_text(block: &str) -> String {
    const TITLE: &str = "## 📌";
    let from = block.find(TITLE).unwrap_or(0);
    let text = block[from..].trim_end();
    unescape_tag(text.strip_suffix("</lookback-block>").unwrap_or(text).trim_end())
}

fn list<T>(changes: &[Change<T>], render: impl Fn(&T) -> Value) -> Option<Value> {
    let changes: Vec<Value> = changes.iter().map(|change| render_change(change, &render)).collect();
    (!changes.is_empty()).then(|| json!(changes))
}

fn render_change<T>(change: &Change<T>, render: impl Fn(&T) -> Value) -> Value {
    match change {
        Change::Add(item) => render(item),
        Change::Revise { id, to } => {
            let mut item = match render(to) {
                Value::String(text) => json!({ "text": text }),
                item => item,
            };
            item["id"] = json!(id);
            item
        }
        Change::Retract { id, evidence } => json!({ "id": id, "retract": true, "evidence": pointers(evidence) }),
    }
}

fn pointers(evidence: &[Evidence]) -> Vec<&str> {
    evidence.iter().map(|evidence| evidence.pointer.as_str()).collect()
}

fn goal(goal: &Goal) -> Value {
    json!({ "text": goal.text, "evidence": [goal.evidence.pointer] })
}

fn fact(fact: &Fact) -> Value {
    json!({ "text": fact.text, "evidence": pointers(&fact.evidence) })
}

fn anchor(anchor: &Anchor) -> Value {
    json!({
        "path": anchor.path,
        "start_line": anchor.first_line,
        "end_line": anchor.last_line,
        "snippet": anchor.snippet,
    })
}

fn assertion(assertion: &Assertion) -> Value {
    json!({ "command": assertion.command, "result": assertion.result })
}

fn question(question: &Question) -> Value {
    json!(question.text)
}

fn status(status: &WorkStatus) -> Value {
    let mut fields = json!({});
    for (name, text) in [("tests", &status.tests), ("build", &status.build)] {
        if !text.is_empty() {
            fields[name] = json!(text.text);
        }
    }
    if let Some(left) = status.errors_left {
        fields["errors_left"] = json!(left);
    }
    fields
}
