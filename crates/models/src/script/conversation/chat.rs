//! Chat Completions: calls stand in the assistant's messages, results are messages of their own.

use serde_json::Value;

use super::{Said, is_interrupted, list, text_of};

pub(super) fn read(body: &Value) -> Vec<Said> {
    list(&body["messages"]).iter().flat_map(message).collect()
}

fn message(message: &Value) -> Vec<Said> {
    let text = text_of(&message["content"]);
    match message["role"].as_str() {
        Some("user") => vec![Said::User(text)],
        Some("assistant") => {
            let calls = list(&message["tool_calls"]).iter().filter_map(|call| call["id"].as_str());
            std::iter::once(Said::Assistant(text)).chain(calls.map(|id| Said::Call(id.to_owned()))).collect()
        }
        Some("tool") => {
            let id = message["tool_call_id"].as_str().unwrap_or_default().to_owned();
            vec![Said::Result { id, interrupted: is_interrupted(&text) }]
        }
        _ => Vec::new(),
    }
}
