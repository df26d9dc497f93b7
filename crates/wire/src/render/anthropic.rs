//! Anthropic Messages: blocks inside user and assistant messages; results travel in user messages.
//! Does not know where cache marks go, and never looks past the one message.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use super::{
    Head,
    identifier::{portable_id, portable_name},
    json::{parse_object, render_json, render_list, render_tools, schema},
    native::{Own, Shown, shown},
    parts::texts,
};
use crate::{Call, CallResult, Message, Part, Picture, Provider, Role, Seal, Thinking, is_blank};

// A blank text block is refused, and so is an error without content. Leaving them out would lose a message that was
// said, or a result that a call needs.
const EMPTY_MESSAGE: &str = "(empty message)";
const EMPTY_RESULT: &str = "(empty result)";

#[derive(Serialize)]
struct Tool<'a> {
    name: Cow<'a, str>,
    description: &'a str,
    input_schema: Cow<'a, RawValue>,
}

#[derive(Serialize)]
struct Entry<'a> {
    role: &'static str,
    content: Vec<Content<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Content<'a> {
    Block(Block<'a>),
    Own(&'a RawValue),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Block<'a> {
    Text {
        text: &'a str,
    },
    Thinking {
        thinking: &'a str,
        signature: &'a str,
    },
    RedactedThinking {
        data: &'a str,
    },
    ToolUse {
        id: Cow<'a, str>,
        name: Cow<'a, str>,
        input: Cow<'a, RawValue>,
    },
    Image {
        source: Source<'a>,
    },
    ToolResult {
        tool_use_id: Cow<'a, str>,
        content: Observed<'a>,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
    },
}

/// The content of a result: a text, or a list where there is more to see.
#[derive(Serialize)]
#[serde(untagged)]
enum Observed<'a> {
    Text(&'a str),
    Blocks(Vec<Block<'a>>),
}

#[derive(Serialize)]
struct Source<'a> {
    r#type: &'static str,
    media_type: &'a str,
    data: &'a str,
}

pub(super) fn render_head(head: &Head<'_>) -> Vec<u8> {
    let tools = render_tools(head, |tool| Tool {
        name: portable_name(&tool.name),
        description: &tool.description,
        input_schema: schema(&tool.parameters),
    });
    let system: Vec<_> =
        [head.system, head.rules].into_iter().filter(|text| !is_blank(text)).map(|text| Block::Text { text }).collect();
    [tools, render_list("system", &system), "\"messages\":[".to_owned()].concat().into_bytes()
}

pub(super) fn render_message(message: &Message<'_>) -> Vec<u8> {
    let parts = shown(Provider::Anthropic, message);
    let is_message = |part: &Shown<'_, '_>| matches!(part, Shown::Own(Own::Message(_)));
    let entries = parts.chunk_by(|part, next| !is_message(part) && !is_message(next)).filter_map(|parts| match parts {
        [Shown::Own(Own::Message(raw))] => Some(raw.get().to_owned()),
        parts => render_entry(message.role, parts),
    });
    let mut entries: Vec<String> = entries.collect();
    let only = if entries.len() == 1 { entries.pop() } else { None };
    only.unwrap_or_else(|| entries.join(",")).into_bytes()
}

fn render_entry(role: Role, parts: &[Shown<'_, '_>]) -> Option<String> {
    let mut content: Vec<_> = parts.iter().filter_map(content).collect();
    if role == Role::User && content.is_empty() && texts(parts).next().is_some() {
        content.push(Content::Block(Block::Text { text: EMPTY_MESSAGE }));
    }
    let role = if role == Role::Assistant { "assistant" } else { "user" };
    (!content.is_empty()).then(|| render_json(&Entry { role, content }))
}

fn content<'m>(part: &Shown<'m, '_>) -> Option<Content<'m>> {
    match part {
        Shown::Plain(part) => block(part).map(Content::Block),
        Shown::Own(Own::Object { raw, .. }) => Some(Content::Own(raw)),
        Shown::Own(_) => None,
    }
}

fn block<'m>(part: &'m Part<'_>) -> Option<Block<'m>> {
    match part {
        Part::Text(text) => (!is_blank(text)).then_some(Block::Text { text }),
        Part::Thinking(thinking) => thinking_block(thinking),
        Part::Call(call) => {
            Some(Block::ToolUse { id: portable_id(&call.id), name: portable_name(&call.name), input: input(call) })
        }
        Part::Result(result) => Some(result_block(result)),
        Part::Picture(picture) => Some(image(picture)),
        Part::Native(_) => None,
    }
}

fn thinking_block<'m>(thinking: &'m Thinking<'_>) -> Option<Block<'m>> {
    match thinking.seal.as_ref() {
        Seal::Signature(signature) if !signature.is_empty() => {
            Some(Block::Thinking { thinking: &thinking.text, signature })
        }
        Seal::Redacted(data) if !data.is_empty() => Some(Block::RedactedThinking { data }),
        _ => None,
    }
}

/// The arguments as the model wrote them when they are an object, since only objects are accepted; else as the text
/// they are, in an object of ours.
fn input<'m>(call: &'m Call<'_>) -> Cow<'m, RawValue> {
    #[derive(Serialize)]
    struct Unparsed<'a> {
        arguments: &'a str,
    }
    if let Some(object) = parse_object(if is_blank(&call.arguments) { "{}" } else { &call.arguments }) {
        return Cow::Borrowed(object);
    }
    Cow::Owned(to_raw_value(&Unparsed { arguments: &call.arguments }).expect("a text always serialises"))
}

fn result_block<'m>(result: &'m CallResult<'_>) -> Block<'m> {
    let text = if is_blank(&result.text) { EMPTY_RESULT } else { &result.text };
    let pictures = result.pictures.iter().map(image);
    Block::ToolResult {
        tool_use_id: portable_id(&result.id),
        content: match result.pictures[..] {
            [] => Observed::Text(text),
            _ => Observed::Blocks(pictures.chain([Block::Text { text }]).collect()),
        },
        is_error: result.is_error,
    }
}

fn image<'m>(picture: &'m Picture<'_>) -> Block<'m> {
    Block::Image { source: Source { r#type: "base64", media_type: &picture.media_type, data: &picture.base64 } }
}
