//! Responses: one flat list of items, or a single text.

use serde_json::Value;

use super::{Said, is_interrupted, list, text_of};

pub(super) fn read(body: &Value) -> Vec<Said> {
    match &body["input"] {
        Value::String(text) => vec![Said::User(text.clone())],
        items => list(items).iter().filter_map(item).collect(),
    }
}

fn item(item: &Value) -> Option<Said> {
    // A message may leave its type out.
    match item["type"].as_str().unwrap_or("message") {
        "message" => {
            let text = text_of(&item["content"]);
            match item["role"].as_str()? {
                "user" => Some(Said::User(text)),
                "assistant" => Some(Said::Assistant(text)),
                _ => None,
            }
        }
        "function_call" => Some(Said::Call(item["call_id"].as_str()?.to_owned())),
        "function_call_output" => Some(Said::Result {
            id: item["call_id"].as_str()?.to_owned(),
            interrupted: is_interrupted(&text_of(&item["output"])),
        }),
        _ => None,
    }
}
