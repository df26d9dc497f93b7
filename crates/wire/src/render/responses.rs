//! OpenAI Responses: a flat list of items, several of them for one message.
//! Does not know stored responses: everything travels in the input.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;

use super::{
    Head,
    identifier::{portable_id, portable_name},
    json::{arguments_text, render_items, render_json, render_tools, schema},
    native::{Own, Shown, shown},
    parts::{instructions, pictures, texts},
};
use crate::{CallResult, Message, Part, Picture, Provider, Role, Seal, Thinking, is_blank};

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
        output: Observed<'a>,
    },
}

/// What stands in the list: an item of ours, or one in the provider's own bytes.
#[derive(Serialize)]
#[serde(untagged)]
enum Listed<'a> {
    Item(Item<'a>),
    Own(OwnItem<'a>),
}

#[derive(Serialize)]
#[serde(transparent)]
struct OwnItem<'a> {
    #[serde(skip)]
    kind: Cow<'a, str>,
    raw: &'a RawValue,
}

impl Listed<'_> {
    fn is_reasoning(&self) -> bool {
        match self {
            Self::Item(item) => matches!(item, Item::Reasoning { .. }),
            Self::Own(own) => own.kind == "reasoning",
        }
    }
}

#[derive(Serialize)]
#[serde(untagged)]
enum Piece<'a> {
    Text { r#type: &'static str, text: &'a str },
    Image { r#type: &'static str, image_url: String },
}

/// What a call gave: a text, or a list where there is more to see.
#[derive(Serialize)]
#[serde(untagged)]
enum Observed<'a> {
    Text(&'a str),
    Pieces(Vec<Piece<'a>>),
}

fn image<'a>(picture: &Picture<'_>) -> Piece<'a> {
    Piece::Image { r#type: "input_image", image_url: picture.url() }
}

pub(super) fn render_head(head: &Head<'_>) -> Vec<u8> {
    let mut out = render_tools(head, |tool| Tool {
        r#type: "function",
        name: portable_name(&tool.name),
        description: &tool.description,
        parameters: schema(&tool.parameters),
        strict: false,
    });
    out += "\"input\":[";
    // Not in `instructions`: only an item of the input can have a cache mark behind it.
    if let Some(text) = instructions(head) {
        let content = vec![Piece::Text { r#type: "input_text", text: &text }];
        out += &format!("{},", render_json(&Item::Message { role: "system", content }));
    }
    out.into_bytes()
}

pub(super) fn render_message(message: &Message<'_>) -> Vec<u8> {
    let parts = shown(Provider::Responses, message);
    let mut items = Vec::new();
    match message.role {
        // Texts that stand together are one message.
        Role::User => items.extend(parts.chunk_by(|part, next| is_plain(part) && is_plain(next)).filter_map(user_item)),
        Role::Assistant | Role::Tool => items.extend(parts.iter().filter_map(item)),
    }
    // A reasoning item stays or goes together with the item that follows it.
    while items.last().is_some_and(Listed::is_reasoning) {
        items.pop();
    }
    render_items(&items)
}

fn is_plain(part: &Shown<'_, '_>) -> bool {
    matches!(part, Shown::Plain(_))
}

fn user_item<'m>(parts: &[Shown<'m, '_>]) -> Option<Listed<'m>> {
    if let [Shown::Own(own)] = parts {
        return own_item(own);
    }
    let texts = texts(parts).map(|text| Piece::Text { r#type: "input_text", text });
    let content: Vec<_> = pictures(parts).map(image).chain(texts).collect();
    (!content.is_empty()).then_some(Listed::Item(Item::Message { role: "user", content }))
}

fn own_item<'m>(own: &Own<'m>) -> Option<Listed<'m>> {
    match own {
        Own::Object { kind, raw } => Some(Listed::Own(OwnItem { kind: kind.clone(), raw })),
        Own::Message(_) | Own::Member { .. } => None,
    }
}

fn item<'m>(part: &Shown<'m, '_>) -> Option<Listed<'m>> {
    let part = match part {
        Shown::Own(own) => return own_item(own),
        Shown::Plain(part) => part,
    };
    Some(Listed::Item(match part {
        Part::Text(text) if is_blank(text) => return None,
        Part::Text(text) => {
            Item::Message { role: "assistant", content: vec![Piece::Text { r#type: "output_text", text }] }
        }
        Part::Thinking(thinking) => reasoning(thinking)?,
        Part::Call(call) => Item::FunctionCall {
            call_id: portable_id(&call.id),
            name: portable_name(&call.name),
            arguments: arguments_text(&call.arguments),
        },
        Part::Result(result) => Item::FunctionCallOutput { call_id: portable_id(&result.id), output: observed(result) },
        Part::Picture(_) | Part::Native(_) => return None,
    }))
}

fn observed<'m>(result: &'m CallResult<'_>) -> Observed<'m> {
    let text = Piece::Text { r#type: "input_text", text: &result.text };
    match result.pictures[..] {
        [] => Observed::Text(&result.text),
        _ => Observed::Pieces(result.pictures.iter().map(image).chain([text]).collect()),
    }
}

fn reasoning<'m>(thinking: &'m Thinking<'_>) -> Option<Item<'m>> {
    match thinking.seal.as_ref() {
        Seal::Encrypted { id, content } if !content.is_empty() => Some(Item::Reasoning {
            id: id.as_deref(),
            summary: Vec::from_iter(
                (!thinking.text.is_empty()).then_some(Piece::Text { r#type: "summary_text", text: &thinking.text }),
            ),
            encrypted_content: content,
        }),
        _ => None,
    }
}
