//! OpenAI Responses: a flat list of items, several of them for one message.
//! Does not know stored responses: everything travels in the input.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;

use super::{
    Head,
    identifier::{portable_id, portable_name},
    json::{arguments_text, quote, render_items, render_json, schema},
    parts::{instructions, results, texts},
};
use crate::{Message, Part, Role, Seal, Thinking, is_blank};

#[derive(Serialize)]
struct Tool<'a> {
    r#type: &'static str,
    name: Cow<'a, str>,
    description: &'a str,
    parameters: Cow<'a, RawValue>,
    /// Strict is the default here, and it refuses schemas with optional arguments.
    strict: bool,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Item<'a> {
    Message {
        role: &'static str,
        content: Vec<Piece<'a>>,
    },
    Reasoning {
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<&'a str>,
        summary: Vec<Piece<'a>>,
        encrypted_content: &'a str,
    },
    FunctionCall {
        call_id: Cow<'a, str>,
        name: Cow<'a, str>,
        arguments: &'a str,
    },
    FunctionCallOutput {
        call_id: Cow<'a, str>,
        output: &'a str,
    },
}

#[derive(Serialize)]
struct Piece<'a> {
    r#type: &'static str,
    text: &'a str,
}

pub(super) fn render_head(head: &Head<'_>) -> Vec<u8> {
    let tools: Vec<_> = head
        .tools
        .iter()
        .map(|tool| Tool {
            r#type: "function",
            name: portable_name(&tool.name),
            description: &tool.description,
            parameters: schema(&tool.parameters),
            strict: false,
        })
        .collect();
    let mut out = String::new();
    if !tools.is_empty() {
        out += &format!("\"tools\":{},", render_json(&tools));
    }
    if let Some(text) = instructions(head) {
        out += &format!("\"instructions\":{},", quote(&text));
    }
    out += "\"input\":[";
    out.into_bytes()
}

pub(super) fn render_message(message: &Message<'_>) -> Vec<u8> {
    match message.role {
        Role::User => {
            let content: Vec<_> = texts(message).map(|text| Piece { r#type: "input_text", text }).collect();
            if content.is_empty() { Vec::new() } else { render_items(&[Item::Message { role: "user", content }]) }
        }
        Role::Assistant => render_items(&assistant_items(message)),
        Role::Tool => render_items(&Vec::from_iter(
            results(message)
                .map(|result| Item::FunctionCallOutput { call_id: portable_id(&result.id), output: &result.text }),
        )),
    }
}

fn assistant_items<'m>(message: &'m Message<'_>) -> Vec<Item<'m>> {
    let mut items: Vec<_> = message.parts.iter().filter_map(assistant_item).collect();
    // A reasoning item stays or goes together with the item that follows it.
    while matches!(items.last(), Some(Item::Reasoning { .. })) {
        items.pop();
    }
    items
}

fn assistant_item<'m>(part: &'m Part<'_>) -> Option<Item<'m>> {
    match part {
        Part::Text(text) => (!is_blank(text))
            .then(|| Item::Message { role: "assistant", content: vec![Piece { r#type: "output_text", text }] }),
        Part::Thinking(thinking) => reasoning(thinking),
        Part::Call(call) => Some(Item::FunctionCall {
            call_id: portable_id(&call.id),
            name: portable_name(&call.name),
            arguments: arguments_text(&call.arguments),
        }),
        Part::Result(_) => None,
    }
}

fn reasoning<'m>(thinking: &'m Thinking<'_>) -> Option<Item<'m>> {
    match thinking.seal.as_ref() {
        Seal::Encrypted { id, content } if !content.is_empty() => Some(Item::Reasoning {
            id: id.as_deref(),
            summary: Vec::from_iter(
                (!thinking.text.is_empty()).then_some(Piece { r#type: "summary_text", text: &thinking.text }),
            ),
            encrypted_content: content,
        }),
        _ => None,
    }
}
