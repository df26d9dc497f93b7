//! The JSON schema of a compaction, for calls whose decoding can be constrained.
//!
//! Evidence is an enumeration of the pointers that exist, and an anchor is chosen by pointer and lines while the engine
//! copies the snippet: a 1.5B model cited nothing real without this and only real pointers with it (design 3-folding).

use serde_json::{Value, json};

use crate::{
    configuration::BlockLimits,
    evidence::pointer::{Place, Pointer},
};

/// Nothing outside the pointers given can be cited under it.
pub fn output_schema(pointers: &[Pointer], limits: &BlockLimits) -> String {
    let evidence = evidence_schema(pointers.iter().map(ToString::to_string).collect(), 1);
    let files = pointers.iter().filter(|pointer| matches!(pointer.place, Place::File { .. }));
    let anchors = anchors_schema(files.map(ToString::to_string).collect());
    let decisions = pointers.iter().filter(|pointer| matches!(pointer.place, Place::User(_) | Place::Gate(_)));
    let goal =
        object(&[("text", text()), ("evidence", evidence_schema(decisions.map(ToString::to_string).collect(), 0))]);
    let fact = object(&[("text", text()), ("evidence", evidence)]);
    let assertion = object(&[("command", text()), ("result", text())]);
    let turn = json!({ "type": "integer", "minimum": 0 });
    let actions = json!({ "type": "array", "items": text(), "maxItems": limits.next_actions });
    let block = object(&[
        ("replaces", object(&[("start_turn", turn.clone()), ("end_turn", turn)])),
        ("goal", goal.clone()),
        ("what_we_learned", list(fact.clone())),
        ("anchors", anchors.clone()),
        ("exec_assertions", list(assertion.clone())),
        ("open_questions", list(text())),
        ("next_actions", actions.clone()),
    ]);
    let delta = json!({
        "type": "object",
        "properties": {
            "current_goal": goal,
            "goal_shift_reason": text(),
            "confirmed_facts": list(fact),
            "open_questions": list(text()),
            "anchors": anchors,
            "exec_assertions": list(assertion),
            "next_actions": actions,
        },
        "additionalProperties": false,
    });
    object(&[("compressed_turns", block), ("state_delta", delta)]).to_string()
}

fn text() -> Value {
    json!({ "type": "string" })
}

fn list(items: Value) -> Value {
    json!({ "type": "array", "items": items })
}

/// All properties are required: constrained decoding leaves out what it may.
fn object(properties: &[(&str, Value)]) -> Value {
    let required: Vec<&str> = properties.iter().map(|(name, _)| *name).collect();
    let properties: serde_json::Map<String, Value> =
        properties.iter().map(|(name, schema)| ((*name).to_owned(), schema.clone())).collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

/// An empty enumeration is no valid schema: where there is nothing to cite, the list must be empty.
fn evidence_schema(pointers: Vec<String>, at_least: u32) -> Value {
    if pointers.is_empty() {
        return json!({ "type": "array", "items": text(), "maxItems": 0 });
    }
    json!({ "type": "array", "items": { "type": "string", "enum": pointers }, "minItems": at_least })
}

fn anchors_schema(files: Vec<String>) -> Value {
    if files.is_empty() {
        return json!({ "type": "array", "items": text(), "maxItems": 0 });
    }
    let line = json!({ "type": "integer", "minimum": 1 });
    list(object(&[
        ("pointer", json!({ "type": "string", "enum": files })),
        ("start_line", line.clone()),
        ("end_line", line),
    ]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pointers_that_exist_can_be_cited() {
        let pointers: Vec<Pointer> =
            ["cmd#3 exit=1", "file:src/a.py:L1-L40", "user#1"].map(|text| text.parse().expect("a pointer")).into();
        let schema: Value = serde_json::from_str(&output_schema(&pointers, &BlockLimits::default())).expect("JSON");
        let block = &schema["properties"]["compressed_turns"]["properties"];
        let all = &block["what_we_learned"]["items"]["properties"]["evidence"]["items"]["enum"];
        assert_eq!(*all, json!(["cmd#3 exit=1", "file:src/a.py:L1-L40", "user#1"]));
        let anchor = &block["anchors"]["items"]["properties"];
        assert_eq!(anchor["pointer"]["enum"], json!(["file:src/a.py:L1-L40"]));
        assert_eq!(anchor.get("snippet"), None, "the engine copies it");
        assert_eq!(block["goal"]["properties"]["evidence"]["items"]["enum"], json!(["user#1"]));
    }

    #[test]
    fn without_pointers_nothing_can_be_cited() {
        let schema: Value = serde_json::from_str(&output_schema(&[], &BlockLimits::default())).expect("JSON");
        let block = &schema["properties"]["compressed_turns"]["properties"];
        assert_eq!(block["anchors"]["maxItems"], 0);
        assert_eq!(block["what_we_learned"]["items"]["properties"]["evidence"]["maxItems"], 0);
    }
}
