//! Anthropic Messages: calls and results are blocks inside the messages.

use serde_json::Value;

use super::{Said, is_interrupted, list, text_of};

pub(super) fn read(body: &Value) -> Vec<Said> {
    list(&body["messages"]).iter().flat_map(message).collect()
}

fn message(message: &Value) -> Vec<Said> {
    let is_user = message["role"] == "user";
    let said = |text: &str| if is_user { Said::User(text.to_owned()) } else { Said::Assistant(text.to_owned()) };
    match &message["content"] {
        Value::String(text) => vec![said(text)],
        blocks => list(blocks)
            .iter()
            .filter_map(|block| match block["type"].as_str()? {
                "text" => block["text"].as_str().map(said),
                "tool_use" => block["id"].as_str().map(|id| Said::Call(id.to_owned())),
                "tool_result" => Some(Said::Result {
                    id: block["tool_use_id"].as_str()?.to_owned(),
                    interrupted: is_interrupted(&text_of(&block["content"])),
                }),
                _ => None,
            })
            .collect(),
    }
}
