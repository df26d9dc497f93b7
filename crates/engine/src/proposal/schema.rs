//! The JSON schema of a compaction, for calls whose decoding can be constrained.
//!
//! Evidence is an enumeration of the pointers that exist, and an anchor is chosen by pointer and lines while the engine
//! copies the snippet: a 1.5B model cited nothing real without this and only real pointers with it
//! (docs/design/folding.md, "The compactors").

use serde_json::{Value, json};

use crate::{
    configuration::BlockLimits,
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

/// Ours: a block has room for about this much, and a small model that loops fills any list.
const MOST_FACTS: usize = 12;
const MOST_OTHERS: usize = 8;
const LONGEST_TEXT: usize = 400;

/// Nothing outside the pointers given can be cited under it.
pub(crate) fn output_schema(pointers: &[Pointer], limits: &BlockLimits, dialect: Dialect) -> String {
    let write = Write { dialect };
    let files = pointers.iter().filter(|pointer| matches!(pointer.place, Place::File { .. }));
    let anchors = write.anchors(files.map(ToString::to_string).collect());
    let decisions = pointers.iter().filter(|pointer| matches!(pointer.place, Place::User(_) | Place::Gate(_)));
    let decisions = write.evidence(decisions.map(ToString::to_string).collect(), 0);
    let goal = object(&[("text", write.text()), ("evidence", decisions)]);
    let evidence = write.evidence(pointers.iter().map(ToString::to_string).collect(), 1);
    let fact = object(&[("text", write.text()), ("evidence", evidence)]);
    let facts = write.list(fact, MOST_FACTS);
    let assertion = object(&[("command", write.text()), ("result", write.text())]);
    let assertions = write.list(assertion, MOST_OTHERS);
    let questions = write.list(write.text(), MOST_OTHERS);
    let actions = write.list(write.text(), limits.next_actions);
    let turn = write.at_least(0);
    let block = object(&[
        ("replaces", object(&[("start_turn", turn.clone()), ("end_turn", turn)])),
        ("goal", goal.clone()),
        ("what_we_learned", facts.clone()),
        ("anchors", anchors.clone()),
        ("exec_assertions", assertions.clone()),
        ("open_questions", questions.clone()),
        ("next_actions", actions.clone()),
    ]);
    // Empty lists change nothing, so they may all be asked for; a goal may not.
    let lists = [
        ("confirmed_facts", facts),
        ("open_questions", questions),
        ("anchors", anchors),
        ("exec_assertions", assertions),
        ("next_actions", actions),
    ];
    let delta = match dialect {
        Dialect::Strict => object(&lists),
        Dialect::Grammar => {
            let mut delta = object(&lists);
            delta["properties"]["current_goal"] = goal;
            delta["properties"]["goal_shift_reason"] = write.text();
            delta["required"] = json!([]);
            delta
        }
    };
    object(&[("compressed_turns", block), ("state_delta", delta)]).to_string()
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
            Dialect::Grammar => json!({ "type": "string", "maxLength": LONGEST_TEXT }),
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
        let mut list = self.list(json!({ "type": "string", "enum": pointers }), MOST_OTHERS);
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
        self.list(anchor, MOST_OTHERS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pointers_that_exist_can_be_cited() {
        let pointers: Vec<Pointer> =
            ["cmd#3 exit=1", "file:src/a.py:L1-L40", "user#1"].map(|text| text.parse().expect("a pointer")).into();
        let schema: Value =
            serde_json::from_str(&output_schema(&pointers, &BlockLimits::default(), Dialect::Grammar)).expect("JSON");
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
        let schema: Value =
            serde_json::from_str(&output_schema(&[], &BlockLimits::default(), Dialect::Grammar)).expect("JSON");
        let block = &schema["properties"]["compressed_turns"]["properties"];
        assert_eq!(block["anchors"]["maxItems"], 0);
        assert_eq!(block["what_we_learned"]["items"]["properties"]["evidence"]["maxItems"], 0);
    }

    #[test]
    fn hosted_models_get_no_bounds_and_no_optional_fields() {
        let pointers: Vec<Pointer> = ["cmd#3 exit=1", "user#1"].map(|text| text.parse().expect("a pointer")).into();
        let schema = output_schema(&pointers, &BlockLimits::default(), Dialect::Strict);
        for bound in ["maxItems", "maxLength", "minimum"] {
            assert!(!schema.contains(bound), "{bound}");
        }
        let schema: Value = serde_json::from_str(&schema).expect("JSON");
        let delta = &schema["properties"]["state_delta"];
        let properties = delta["properties"].as_object().expect("an object").len();
        assert_eq!(delta["required"].as_array().map(Vec::len), Some(properties));
    }
}
