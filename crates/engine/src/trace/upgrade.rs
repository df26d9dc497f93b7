//! Traces of schema 1, brought up to date.
//!
//! One old event becomes one new event under the same number: everything that points at numbers goes on pointing right.
//! [`upgrade`] is a function of the one event alone, so a store may call it row by row in any order, and a second time
//! without harm. [`TraceReader`] does it for files.

use serde_json::{Map, Value, json};

use super::{Event, start::EVENT_SCHEMA};

/// The kinds of events that schema 2 writes otherwise. All others are the same in both.
pub const CHANGED: [&str; 7] =
    ["session_started", "rolled_back", "gate", "compactor_called", "error", "fold", "span_ended"];

/// What the texts of whole boards began with; schema 1 said it in no other way.
const WHOLE_BOARD: &str = "STATE_BOARD v";
/// What it said of a span that ended because the one around it did.
const ENDED_WITH: &str = "ended with ";

/// The body of an event of schema 1 (`{"gate":{…}}`: what a store keeps, and what stands under `event` in a file) as a body
/// of schema 2. What schema 1 cannot have written comes back as it is: whoever reads it then says what is wrong with it.
pub fn upgrade(mut body: Value) -> Value {
    let Some((kind, content)) = body.as_object_mut().and_then(only_member) else { return body };
    match (kind.as_str(), content) {
        ("session_started", start) if start.get("schema") == Some(&json!(1)) => start["schema"] = json!(EVENT_SCHEMA),
        ("rolled_back", back) if back.get("board_ids").is_none() => back["board_ids"] = json!("again"),
        ("gate", Value::Object(gate)) => return json!({ "gate_asked": gate_asked(std::mem::take(gate)) }),
        ("compactor_called", Value::Object(call)) => return compactor_call(std::mem::take(call)),
        ("error", error) if error.get("kind") == Some(&json!("text_refused")) => {
            return json!({ "text_refused": { "reason": error["message"].take() } });
        }
        ("span_ended", ended) => {
            let outer =
                ended["outcome"].as_str().and_then(|outcome| outcome.strip_prefix(ENDED_WITH)?.rsplit_once('#'));
            if let Some((name, number)) = outer.and_then(|(name, number)| Some((name, number.parse::<u32>().ok()?))) {
                ended["with"] = json!({ "name": name, "number": number });
            }
        }
        ("fold", fold) => {
            let is_whole = |board: &Value| {
                board.get("shows").is_none() && board["text"].as_str().is_some_and(|text| text.starts_with(WHOLE_BOARD))
            };
            if let Some(board) = fold.get_mut("board").filter(|board| is_whole(board)) {
                board["shows"] = json!("whole");
            }
        }
        _ => {}
    }
    body
}

fn only_member(body: &mut Map<String, Value>) -> Option<(&String, &mut Value)> {
    if body.len() == 1 { body.iter_mut().next() } else { None }
}

/// Question and decision stay one event.
fn gate_asked(mut gate: Map<String, Value>) -> Map<String, Value> {
    let mut outcome = Map::new();
    if let Some(answers) = gate.remove("answers").filter(|answers| *answers != json!([])) {
        outcome.insert("answers".to_owned(), answers);
    }
    if let Some(decision) = gate.remove("decision") {
        outcome.insert("decision".to_owned(), decision);
    }
    if !outcome.is_empty() {
        gate.insert("outcome".to_owned(), outcome.into());
    }
    gate
}

/// A call that one event tells whole. It had no number, and calls behind it have theirs: so it has 0.
fn compactor_call(mut call: Map<String, Value>) -> Value {
    let over: Map<String, Value> =
        ["usage", "problem"].iter().filter_map(|name| Some((*name).to_owned()).zip(call.remove(*name))).collect();
    let usage = &over.get("usage");
    let input: u64 = ["uncached", "cached", "written"]
        .iter()
        .filter_map(|name| usage.and_then(|usage| usage.get(*name))?.as_u64())
        .fold(0, u64::saturating_add);
    json!({ "call_started": {
        "call": 0,
        "input_tokens": u32::try_from(input).unwrap_or(u32::MAX),
        "details": { "kind": { "compactor": call }, "over": over },
    } })
}

/// Reads the lines of a trace, of this schema or the one before: the first event says which.
#[derive(Debug, Default)]
pub struct TraceReader {
    schema: Option<u32>,
}

impl TraceReader {
    /// The event that a line holds.
    pub fn event(&mut self, line: &[u8]) -> Result<Event, serde_json::Error> {
        if self.schema.is_some_and(|schema| schema >= EVENT_SCHEMA) {
            return serde_json::from_slice(line);
        }
        let mut event: Value = serde_json::from_slice(line)?;
        let body = &event["event"];
        let start = body.get("session_started").and_then(|start| start["schema"].as_u64());
        if let Some(schema) = start {
            self.schema = Some(u32::try_from(schema).unwrap_or(u32::MAX));
        }
        let is_old = self.schema.is_none_or(|schema| schema < EVENT_SCHEMA);
        if is_old && CHANGED.iter().any(|kind| body.get(kind).is_some()) {
            event["event"] = upgrade(event["event"].take());
            // From text like any other: reading events out of a `Value` would put a second parser of every one of their
            // types into the binary, 0.7 MB for old files alone. Columns of a text that nobody wrote mean nothing.
            return serde_json::from_str(&event.to_string()).map_err(serde::de::Error::custom);
        }
        // From the text again, so that an error names its column.
        serde_json::from_slice(line)
    }
}
