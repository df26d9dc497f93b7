//! OpenAI Chat Completions and everything compatible with it: one message per result, one text per message.
//! Sealed thinking has no place here.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;

use super::{
    Head,
    identifier::{portable_id, portable_name},
    json::{arguments_text, render_items, render_json, schema},
    parts::{calls, instructions, join, plain_thinking, results, shown_texts, texts},
};
use crate::{Message, Role};

#[derive(Serialize)]
struct Tool<'a> {
    r#type: &'static str,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: Cow<'a, str>,
    description: &'a str,
    parameters: Cow<'a, RawValue>,
}

#[derive(Serialize)]
#[serde(tag = "role", rename_all = "snake_case")]
enum Entry<'a> {
    System {
        content: String,
    },
    User {
        content: String,
    },
    Assistant {
        content: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        reasoning_content: Option<String>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<ToolCall<'a>>,
    },
    Tool {
        tool_call_id: Cow<'a, str>,
        content: &'a str,
    },
}

#[derive(Serialize)]
struct ToolCall<'a> {
    id: Cow<'a, str>,
    r#type: &'static str,
    function: Called<'a>,
}

#[derive(Serialize)]
struct Called<'a> {
    name: Cow<'a, str>,
    arguments: &'a str,
}

pub(super) fn render_head(head: &Head<'_>) -> Vec<u8> {
    let tools: Vec<_> = head
        .tools
        .iter()
        .map(|tool| Tool {
            r#type: "function",
            function: Function {
                name: portable_name(&tool.name),
                description: &tool.description,
                parameters: schema(&tool.parameters),
            },
        })
        .collect();
    let mut out = String::new();
    if !tools.is_empty() {
        out += &format!("\"tools\":{},", render_json(&tools));
    }
    out += "\"messages\":[";
    if let Some(content) = instructions(head) {
        out += &format!("{},", render_json(&Entry::System { content }));
    }
    out.into_bytes()
}

pub(super) fn render_message(message: &Message<'_>) -> Vec<u8> {
    match message.role {
        Role::User => render_items(&Vec::from_iter(join(texts(message)).map(|content| Entry::User { content }))),
        Role::Assistant => render_items(&Vec::from_iter(assistant(message))),
        Role::Tool => render_items(&Vec::from_iter(
            results(message).map(|result| Entry::Tool { tool_call_id: portable_id(&result.id), content: &result.text }),
        )),
    }
}

/// None for thinking alone: a message needs a text or a call.
fn assistant<'m>(message: &'m Message<'_>) -> Option<Entry<'m>> {
    let content = join(shown_texts(message));
    let tool_calls: Vec<_> = calls(message)
        .map(|call| ToolCall {
            id: portable_id(&call.id),
            r#type: "function",
            function: Called { name: portable_name(&call.name), arguments: arguments_text(&call.arguments) },
        })
        .collect();
    (content.is_some() || !tool_calls.is_empty()).then(|| Entry::Assistant {
        content,
        reasoning_content: join(plain_thinking(message)),
        tool_calls,
    })
}
