//! The JSON schema of what a compactor may write: for calls whose decoding can be constrained, and for whoever writes a
//! proposal by other means.
//!
//! Evidence is an enumeration of the pointers that exist, and nothing is worded but notes: a 1.5B model cited nothing real
//! without this and only real pointers with it (docs/design/folding.md, "The compactors").

use serde_json::{Value, json};

use crate::{
    configuration::BlockLimits,
    configuration::written::{PROPOSED_CHARACTERS, PROPOSED_FACTS, PROPOSED_OTHERS},
    evidence::pointer::{Place, Pointer},
};

/// Which words of JSON Schema the decoder knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// A grammar is made of it (llama.cpp, vLLM): lists and texts can be bounded, and a small model needs that to come to
    /// an end.
    Grammar,
    /// Hosted models, which refuse bounds and optional fields.
    Strict,
}

/// Kinds that pointers alone say; a person's words need the words as well.
const POINTED: [&str; 11] = [
    "verdict",
    "test_changed",
    "error",
    "file_created",
    "file_changed",
    "file_renamed",
    "file_deleted",
    "symbol",
    "line_text",
    "search_hit",
    "commit",
];

/// Nothing outside the pointers given can be cited under it.
pub(crate) fn output_schema(pointers: &[Pointer], limits: &BlockLimits, dialect: Dialect) -> String {
    let write = Write { dialect };
    let named = |wanted: fn(&Place) -> bool| -> Vec<String> {
        pointers.iter().filter(|pointer| wanted(&pointer.place)).map(ToString::to_string).collect()
    };
    let anchors = write.anchors(named(|place| matches!(place, Place::File { .. })));
    let users = named(|place| matches!(place, Place::User(_) | Place::Gate(_)));
    let user = if users.is_empty() { json!({ "type": "null" }) } else { json!({ "type": "string", "enum": users }) };
    let evidence = write.evidence(named(|place| !matches!(place, Place::User(_) | Place::Gate(_))), 1);
    let fact = object(&[("kind", json!({ "type": "string", "enum": POINTED })), ("evidence", evidence)]);
    let facts = write.list(fact, PROPOSED_FACTS);
    let actions = write.list(write.text(), limits.next_actions);
    let note = object(&[("text", write.text()), ("evidence", write.evidence(named(|_| true), 0))]);
    let turn = write.at_least(0);
    let block = object(&[
        ("replaces", object(&[("start_turn", turn.clone()), ("end_turn", turn)])),
        ("task", user.clone()),
        ("now", user),
        ("facts", facts.clone()),
        ("anchors", anchors.clone()),
        ("next_actions", actions.clone()),
        ("notes", write.list(note, PROPOSED_OTHERS)),
    ]);
    // Empty lists change nothing, so they may all be asked for.
    let delta = object(&[("facts", facts), ("anchors", anchors), ("next_actions", actions)]);
    object(&[("compressed_turns", block), ("state_delta", delta)]).to_string()
}

/// The whole form of what may be proposed: a block with its delta, or the parts of an archive.
pub(crate) fn proposal_schema() -> Value {
    let text = json!({ "type": "string" });
    let pointer = json!({ "type": "string", "description": "file:src/a.py:L40-L55, cmd#12 exit=1, test#3, turn#41, user#2, gate#1" });
    let list = |items: &Value| json!({ "type": "array", "items": items });
    let optional = |properties: Value, required: &[&str]| json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false });
    let described = |mut schema: Value, what: &str| {
        schema["description"] = json!(what);
        schema
    };
    let quote = json!({ "anyOf": [pointer, optional(json!({ "pointer": pointer, "text": text }), &[])] });
    let kinds: Vec<&str> = POINTED.into_iter().chain(["gate_decision", "quoted"]).collect();
    let number = json!({ "type": "integer" });
    let claimed = json!({
        "kind": { "type": "string", "enum": kinds }, "evidence": list(&pointer), "text": text,
        "exit": number, "passed": number, "failed": number,
        "id": { "type": "string", "description": "in a delta: the entry of the board that it revises" },
        "retract": { "type": "boolean", "description": "in a delta: that entry no longer holds" },
    });
    let fact =
        described(optional(claimed, &["evidence"]), "kind and pointers; the engine reads the trace and words it");
    let lines = json!({ "pointer": pointer, "path": text, "start_line": number, "end_line": number, "snippet": text });
    let anchor = json!({ "anyOf": [pointer, optional(lines, &[])] });
    let note = optional(json!({ "text": text, "evidence": list(&pointer) }), &["text"]);
    let note = described(note, "own words, shown as such: at most a fifth of the block, never on the board");
    let wish = |what: &str| described(quote.clone(), what);
    let shared = json!({
        "task": wish("the request that the work began with: a user turn or a gate, quoted by the engine"),
        "now": wish("what the newest round asks"),
        "facts": list(&fact),
        "anchors": list(&anchor),
        "next_actions": described(list(&quote), "word for word from the todo list, a user turn or the assistant's own words"),
    });
    let mut block = shared.clone();
    block["replaces"] = optional(json!({ "start_turn": number, "end_turn": number }), &["start_turn", "end_turn"]);
    block["said"] = described(list(&quote), "what the assistant said, word for word");
    block["notes"] = list(&note);
    let mut delta = shared.clone();
    delta["goal_shift_reason"] = described(pointer.clone(), "the user turn or gate that made it another task");
    let archive = json!({ "task": shared["task"], "facts": list(&fact), "said": block["said"], "notes": list(&note) });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "what a compactor may write",
        "type": "object",
        "properties": {
            "compressed_turns": optional(block, &["replaces"]),
            "state_delta": optional(delta, &[]),
            "archive": optional(archive, &[]),
        },
    })
}

/// All properties are required: constrained decoding leaves out what it may.
fn object(properties: &[(&str, Value)]) -> Value {
    let required: Vec<&str> = properties.iter().map(|(name, _)| *name).collect();
    let properties: serde_json::Map<String, Value> =
        properties.iter().map(|(name, schema)| ((*name).to_owned(), schema.clone())).collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

/// Says things in the words that the decoder knows.
#[derive(Clone, Copy)]
struct Write {
    dialect: Dialect,
}

impl Write {
    fn text(self) -> Value {
        match self.dialect {
            Dialect::Grammar => json!({ "type": "string", "maxLength": PROPOSED_CHARACTERS }),
            Dialect::Strict => json!({ "type": "string" }),
        }
    }

    fn at_least(self, least: u32) -> Value {
        match self.dialect {
            Dialect::Grammar => json!({ "type": "integer", "minimum": least }),
            Dialect::Strict => json!({ "type": "integer" }),
        }
    }

    fn list(self, items: Value, most: usize) -> Value {
        match self.dialect {
            Dialect::Grammar => json!({ "type": "array", "items": items, "maxItems": most }),
            Dialect::Strict => json!({ "type": "array", "items": items }),
        }
    }

    /// An empty enumeration is not a valid schema: where there is nothing to cite, the list must be empty, or at least
    /// cannot name anything.
    fn evidence(self, pointers: Vec<String>, at_least: u32) -> Value {
        if pointers.is_empty() {
            return self.list(self.text(), 0);
        }
        let mut list = self.list(json!({ "type": "string", "enum": pointers }), PROPOSED_OTHERS);
        // Both dialects know this one.
        list["minItems"] = json!(at_least);
        list
    }

    fn anchors(self, files: Vec<String>) -> Value {
        if files.is_empty() {
            return self.list(self.text(), 0);
        }
        let line = self.at_least(1);
        let anchor = object(&[
            ("pointer", json!({ "type": "string", "enum": files })),
            ("start_line", line.clone()),
            ("end_line", line),
        ]);
        self.list(anchor, PROPOSED_OTHERS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema(pointers: &[&str], dialect: Dialect) -> Value {
        let pointers: Vec<Pointer> = pointers.iter().map(|text| text.parse().expect("a pointer")).collect();
        serde_json::from_str(&output_schema(&pointers, &BlockLimits::default(), dialect)).expect("JSON")
    }

    #[test]
    fn only_pointers_that_exist_can_be_cited() {
        let schema = schema(&["cmd#3 exit=1", "file:src/a.py:L1-L40", "user#1"], Dialect::Grammar);
        let block = &schema["properties"]["compressed_turns"]["properties"];
        let all = &block["facts"]["items"]["properties"]["evidence"]["items"]["enum"];
        assert_eq!(*all, json!(["cmd#3 exit=1", "file:src/a.py:L1-L40"]));
        let anchor = &block["anchors"]["items"]["properties"];
        assert_eq!(anchor["pointer"]["enum"], json!(["file:src/a.py:L1-L40"]));
        assert_eq!(anchor.get("snippet"), None, "the engine copies it");
        assert_eq!(block["task"]["enum"], json!(["user#1"]));
    }

    #[test]
    fn without_pointers_nothing_can_be_cited() {
        let schema = schema(&[], Dialect::Grammar);
        let block = &schema["properties"]["compressed_turns"]["properties"];
        assert_eq!(block["anchors"]["maxItems"], 0);
        assert_eq!(block["facts"]["items"]["properties"]["evidence"]["maxItems"], 0);
    }

    #[test]
    fn hosted_models_get_no_bounds_and_no_optional_fields() {
        let schema = schema(&["cmd#3 exit=1", "user#1"], Dialect::Strict);
        for bound in ["maxItems", "maxLength", "minimum"] {
            assert!(!schema.to_string().contains(bound), "{bound}");
        }
        let delta = &schema["properties"]["state_delta"];
        let properties = delta["properties"].as_object().expect("an object").len();
        assert_eq!(delta["required"].as_array().map(Vec::len), Some(properties));
    }
}
