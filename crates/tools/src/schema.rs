//! The arguments of every tool as JSON schemas, as models are told them. Strict: what is not named is refused.
//!
//! What a tool is for stands in `prompts/*/tools/`; the short words here say what one argument means.

use lookback_engine::Session;
use serde_json::{Value, json};

use crate::ToolName;

/// Of the arguments of this tool.
pub fn schema(tool: ToolName) -> Value {
    let path = || text("relative to the project's root");
    match tool {
        ToolName::Ls => object(
            json!({
                "path": text("the folder; the root if left out"),
                "hidden": flag("also names that begin with a dot"),
            }),
            &[],
        ),
        ToolName::Glob => object(
            json!({
                "pattern": text("**/*.rs, src/*.ts; without a slash it is about names at any depth"),
                "path": text("the folder to look in; the root if left out"),
            }),
            &["pattern"],
        ),
        ToolName::Grep => object(
            json!({
                "pattern": text("a regular expression in ripgrep's syntax"),
                "path": text("a file or folder; the root if left out"),
                "glob": text("only files like this: *.{ts,tsx}, src/**, !*.min.js"),
                "type": text("only files of this type: rust, py, ts, go…"),
                "context": number("lines shown before and after each match", 0),
                "multiline": flag("the pattern may run over line ends, and . matches them"),
                "output_mode": {
                    "type": "string",
                    "enum": ["content", "files_with_matches", "count"],
                    "description": "content if left out",
                },
                "head_limit": number("lines or files shown at most; 200 if left out", 1),
                "-i": flag("ignore case"),
            }),
            &["pattern"],
        ),
        ToolName::Read => object(
            json!({
                "path": path(),
                "offset": number("the first line, counted from 1", 1),
                "limit": number("how many lines; 2000 if left out", 1),
            }),
            &["path"],
        ),
        ToolName::Edit => {
            let mut properties = replacement();
            properties["path"] = path();
            object(properties, &["path", "old_string", "new_string"])
        }
        ToolName::MultiEdit => {
            let mut edits = list(object(replacement(), &["old_string", "new_string"]), "applied one after another");
            edits["minItems"] = json!(1);
            object(json!({ "path": path(), "edits": edits }), &["path", "edits"])
        }
        ToolName::Write => object(json!({ "path": path(), "content": text("the whole file") }), &["path", "content"]),
        ToolName::Bash => object(
            json!({
                "command": text("for bash -c, run in the project's root"),
                "timeout": number("milliseconds until it is ended", 1),
                "background": flag("return at once; Job reads its output"),
            }),
            &["command"],
        ),
        ToolName::Job => object(
            json!({
                "id": text("as Bash gave it"),
                "action": { "type": "string", "enum": ["read", "end"], "description": "read shows what it printed since the last time" },
            }),
            &["id", "action"],
        ),
        ToolName::TodoWrite => {
            let states = json!({ "type": "string", "enum": ["pending", "in_progress", "completed"] });
            let item =
                object(json!({ "content": text("what is to be done"), "status": states }), &["content", "status"]);
            object(json!({ "todos": list(item, "the whole list, which replaces the old one") }), &["todos"])
        }
        // The same words that a compactor may write: one form for one thing.
        ToolName::Board => Session::proposal_schema()["properties"]["state_delta"].take(),
        ToolName::Recall => object(
            json!({
                "pointer": text("file:src/a.py:L40-L55, cmd#12, test#3, turn#41, user#2"),
                "offset": number("the first byte to show of something long", 0),
            }),
            &["pointer"],
        ),
    }
}

/// The same, what each argument means in other words: a line for each, the English ones and behind a tab the others. What
/// has no line stays as it is.
pub fn schema_in(tool: ToolName, words: &str) -> Value {
    let mut schema = schema(tool);
    translate(&mut schema, words);
    schema
}

fn translate(schema: &mut Value, words: &str) {
    let other =
        |english: &str| words.lines().find_map(|line| line.split_once('\t').filter(|(said, _)| *said == english));
    match schema {
        Value::Object(fields) => fields.iter_mut().for_each(|(name, value)| match value {
            Value::String(text) if name == "description" => {
                if let Some((_, said)) = other(text) {
                    said.clone_into(text);
                }
            }
            value => translate(value, words),
        }),
        Value::Array(items) => items.iter_mut().for_each(|item| translate(item, words)),
        _ => {}
    }
}

fn replacement() -> Value {
    json!({
        "old_string": text("exactly as it stands in the file, without line numbers"),
        "new_string": text("what takes its place"),
        "replace_all": flag("every place, not the only one"),
    })
}

fn object(properties: Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

fn list(items: Value, what: &str) -> Value {
    json!({ "type": "array", "items": items, "description": what })
}

fn text(what: &str) -> Value {
    json!({ "type": "string", "description": what })
}

fn flag(what: &str) -> Value {
    json!({ "type": "boolean", "description": what })
}

fn number(what: &str, least: u32) -> Value {
    json!({ "type": "integer", "minimum": least, "description": what })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_has_a_strict_schema() {
        for tool in ToolName::ALL {
            let schema = schema(tool);
            assert_eq!(schema["type"], "object", "{}", tool.name());
            assert_eq!(schema["additionalProperties"], false, "{}", tool.name());
            let known = |name: &Value| !schema["properties"][name.as_str().unwrap()].is_null();
            assert!(schema["required"].as_array().unwrap().iter().all(known), "{}", tool.name());
        }
        assert!(schema(ToolName::Board)["properties"]["goal_shift_reason"].is_object());
    }

    #[test]
    fn every_tool_is_described_in_both_languages() {
        let prompts = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../prompts");
        for (language, tool) in ["en", "zh"].into_iter().flat_map(|language| ToolName::ALL.map(|tool| (language, tool)))
        {
            let file = prompts.join(language).join("tools").join(format!("{}.txt", tool.name()));
            let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            assert!(text.trim().chars().count() > 40, "{}", file.display());
        }
    }

    #[test]
    fn every_argument_is_described_in_both_languages() {
        let words = include_str!("../../../prompts/zh/arguments.txt");
        // Board takes what a compactor does, whose schema is one for both languages.
        for tool in ToolName::ALL.into_iter().filter(|tool| *tool != ToolName::Board) {
            let said = schema_in(tool, words).to_string();
            let mut descriptions = said.split(r#""description":""#).skip(1).map(|rest| rest.split('"').next().unwrap());
            let is_chinese = |text: &str| text.chars().any(|next| ('\u{3001}'..'\u{a000}').contains(&next));
            assert!(descriptions.all(is_chinese), "{said}");
        }
    }

    #[test]
    fn seed_8_the_model_is_told_what_to_trust() {
        let english = include_str!("../../../prompts/en/system.txt");
        assert!(english.contains("Trust the newest delta and its anchors"));
        assert!(english.contains("Recall before you re-read"));
        let chinese = include_str!("../../../prompts/zh/system.txt");
        assert!(chinese.contains("以最新的 delta 及其锚点为准"));
        assert!(chinese.contains("先 Recall，再重读"));
    }
}
