//! OpenAI Chat Completions and everything compatible with it: one message per result, one text per message.
//! Sealed thinking has no place here.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;

use super::{
    Head,
    identifier::{portable_id, portable_name},
    json::{arguments_text, quote, render_json, render_tools, schema},
    native::{Own, Shown, shown},
    parts::{instructions, join, pictures, plain_thinking, results, shown_texts, texts},
};
use crate::{Call, Message, Part, Picture, Provider, Role, is_blank};

/// The members that we write ourselves; one in the provider's own bytes is not written again.
const WRITTEN: [&str; 4] = ["role", "content", "reasoning_content", "tool_calls"];

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
        content: Content<'a>,
    },
    Assistant {
        content: Option<Content<'a>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        reasoning_content: Option<String>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<Listed<'a>>,
    },
    Tool {
        tool_call_id: Cow<'a, str>,
        content: &'a str,
    },
}

#[derive(Serialize)]
#[serde(untagged)]
enum Content<'a> {
    Text(String),
    Pieces(Vec<Piece<'a>>),
    Own(&'a RawValue),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Piece<'a> {
    Text { text: Cow<'a, str> },
    ImageUrl { image_url: Address },
}

#[derive(Serialize)]
struct Address {
    url: String,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Listed<'a> {
    Call(ToolCall<'a>),
    Own(&'a RawValue),
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
    let mut out = render_tools(head, |tool| Tool {
        r#type: "function",
        function: Function {
            name: portable_name(&tool.name),
            description: &tool.description,
            parameters: schema(&tool.parameters),
        },
    });
    out += "\"messages\":[";
    if let Some(content) = instructions(head) {
        out += &format!("{},", render_json(&Entry::System { content }));
    }
    out.into_bytes()
}

pub(super) fn render_message(message: &Message<'_>) -> Vec<u8> {
    let parts = shown(Provider::Chat, message);
    let stands_alone = |part: &Shown<'_, '_>| message.role == Role::Tool || matches!(part, Shown::Own(Own::Message(_)));
    let entries = parts.chunk_by(|part, next| !stands_alone(part) && !stands_alone(next)).filter_map(|parts| {
        Some(match (message.role, parts) {
            (_, [Shown::Own(Own::Message(raw))]) => raw.get().to_owned(),
            (Role::User, parts) => with_members(render_json(&Entry::User { content: said(parts)? }), parts),
            (Role::Assistant, parts) => with_members(render_json(&assistant(parts)?), parts),
            (Role::Tool, parts) => render_json(&result(parts)?),
        })
    });
    let entries = entries.chain(seen(&parts).map(|seen| render_json(&seen)));
    entries.collect::<Vec<_>>().join(",").into_bytes()
}

fn said<'m>(parts: &[Shown<'m, '_>]) -> Option<Content<'m>> {
    let pictures: Vec<_> = pictures(parts).map(image).collect();
    match content(parts, join(texts(parts))) {
        Some(Content::Own(own)) => Some(Content::Own(own)),
        Some(Content::Text(text)) if !pictures.is_empty() && !is_blank(&text) => {
            Some(Content::Pieces(pictures.into_iter().chain([Piece::Text { text: text.into() }]).collect()))
        }
        _ if !pictures.is_empty() => Some(Content::Pieces(pictures)),
        content => content,
    }
}

/// What results show beside their texts, behind all of them: a `tool` message takes texts alone.
fn seen<'m>(parts: &[Shown<'m, '_>]) -> Option<Entry<'m>> {
    let with = results(parts).filter(|result| !result.pictures.is_empty());
    let pieces = with.flat_map(|result| {
        let text = format!("(seen by the call {})", portable_id(&result.id)).into();
        result.pictures.iter().map(image).chain([Piece::Text { text }])
    });
    let pieces: Vec<_> = pieces.collect();
    (!pieces.is_empty()).then_some(Entry::User { content: Content::Pieces(pieces) })
}

fn image<'m>(picture: &Picture<'_>) -> Piece<'m> {
    Piece::ImageUrl { image_url: Address { url: picture.url() } }
}

/// None for thinking alone: a message needs a text or a call.
fn assistant<'m>(parts: &[Shown<'m, '_>]) -> Option<Entry<'m>> {
    let content = content(parts, join(shown_texts(parts)));
    let tool_calls: Vec<_> = parts.iter().filter_map(listed).collect();
    (content.is_some() || !tool_calls.is_empty()).then(|| Entry::Assistant {
        content,
        reasoning_content: join(plain_thinking(parts)),
        tool_calls,
    })
}

/// Content in the provider's own bytes says the texts, too.
fn content<'m>(parts: &[Shown<'m, '_>], text: Option<String>) -> Option<Content<'m>> {
    let own = members(parts).find(|(name, _)| *name == "content").map(|(_, value)| Content::Own(value));
    own.or_else(|| text.map(Content::Text))
}

fn listed<'m>(part: &Shown<'m, '_>) -> Option<Listed<'m>> {
    match part {
        Shown::Plain(Part::Call(call)) => Some(Listed::Call(tool_call(call))),
        Shown::Own(Own::Object { raw, .. }) => Some(Listed::Own(raw)),
        _ => None,
    }
}

fn tool_call<'m>(call: &'m Call<'_>) -> ToolCall<'m> {
    ToolCall {
        id: portable_id(&call.id),
        r#type: "function",
        function: Called { name: portable_name(&call.name), arguments: arguments_text(&call.arguments) },
    }
}

fn result<'m>(parts: &[Shown<'m, '_>]) -> Option<Entry<'m>> {
    let [Shown::Plain(Part::Result(result))] = parts else { return None };
    Some(Entry::Tool { tool_call_id: portable_id(&result.id), content: &result.text })
}

fn members<'p, 'm>(parts: &'p [Shown<'m, '_>]) -> impl Iterator<Item = (&'p str, &'m RawValue)> {
    parts.iter().filter_map(|part| match part {
        Shown::Own(Own::Member { name, value }) => Some((name.as_str(), *value)),
        _ => None,
    })
}

/// The message with the members that it has besides ours, each once.
fn with_members(mut entry: String, parts: &[Shown<'_, '_>]) -> String {
    let mut written = WRITTEN.to_vec();
    for (name, value) in members(parts) {
        if !written.contains(&name) {
            written.push(name);
            entry.pop();
            entry += &format!(",{}:{}}}", quote(name), value.get());
        }
    }
    entry
}
