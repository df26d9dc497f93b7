//! Content blocks of Anthropic Messages. Does not know streams: those put blocks together and have them read here.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::{ParseError, Said, excerpt, part_of};
use crate::{
    Call, CallResult, Message, Native, Part, Picture, Provider, Role, Seal, Thinking,
    members::{Members, is_void, parse_text},
};

pub(super) fn parse_message(raw: &RawValue) -> Result<Vec<Message<'_>>, ParseError> {
    let members = Members::parse(raw.get()).ok_or_else(|| ParseError::NotAnObject { excerpt: excerpt(raw.get()) })?;
    let role = members.text("role");
    let parts = members.get("content").and_then(parse_content);
    Ok(match (role.as_deref(), parts) {
        (Some("assistant"), Some(parts)) => vec![Message { role: Role::Assistant, parts }],
        (Some("user"), Some(parts)) => split_results(parts),
        // A system message in the conversation, or a role that nobody knows yet.
        _ => {
            let native = Native { provider: Provider::Anthropic, raw: raw.get().into(), plain: None };
            vec![Message { role: Role::User, parts: vec![Part::Native(native)] }]
        }
    })
}

fn parse_content(content: &RawValue) -> Option<Vec<Part<'_>>> {
    if let Some(text) = parse_text(content) {
        return Some(vec![Part::Text(text)]);
    }
    let blocks: Vec<&RawValue> = serde_json::from_str(content.get()).ok()?;
    Some(blocks.into_iter().map(parse_block).collect())
}

/// Results travel in user messages; here they have messages of their own.
fn split_results(parts: Vec<Part<'_>>) -> Vec<Message<'_>> {
    let mut messages: Vec<Message<'_>> = Vec::new();
    for part in parts {
        let role = if matches!(part.understood(), Some(Part::Result(_))) { Role::Tool } else { Role::User };
        match messages.last_mut() {
            Some(message) if message.role == role => message.parts.push(part),
            _ => messages.push(Message { role, parts: vec![part] }),
        }
    }
    messages
}

pub(crate) fn parse_block(raw: &RawValue) -> Part<'_> {
    part_of(Provider::Anthropic, raw.get().into(), understand(raw))
}

fn understand(raw: &RawValue) -> Option<(Part<'_>, Said)> {
    let block = Members::parse(raw.get())?;
    let only = |known: &[&str]| Said::by(&block, known);
    let kind = block.text("type")?;
    Some(match kind.as_ref() {
        "text" => {
            let uncited = Said::all_if(block.get("citations").is_none_or(is_void));
            (Part::Text(block.text("text")?), uncited.and(only(&["type", "text", "citations"])))
        }
        "thinking" => {
            let seal = match block.text("signature") {
                Some(signature) if !signature.is_empty() => Seal::Signature(signature.into_owned()),
                _ => Seal::None,
            };
            let thinking = Thinking { text: block.text("thinking")?, seal: Cow::Owned(seal) };
            (Part::Thinking(thinking), only(&["type", "thinking", "signature"]))
        }
        "redacted_thinking" => {
            let seal = Seal::Redacted(block.text("data")?.into_owned());
            (Part::Thinking(Thinking { text: "".into(), seal: Cow::Owned(seal) }), only(&["type", "data"]))
        }
        "tool_use" => {
            let input = block.get("input")?.get();
            let call = Call { id: block.text("id")?, name: block.text("name")?, arguments: input.into() };
            (Part::Call(call), Said::all_if(input.starts_with('{')).and(only(&["type", "id", "name", "input"])))
        }
        "tool_result" => understand_result(&block)?,
        "image" => {
            let source = block.object("source").filter(|source| source.text("type").as_deref() == Some("base64"))?;
            let picture = Picture { media_type: source.text("media_type")?, base64: source.text("data")? };
            // Kept in its own bytes: nobody need decide whether ours would be the same.
            (Part::Picture(picture), Said::Part)
        }
        _ => return None,
    })
}

fn understand_result<'a>(block: &Members<'a>) -> Option<(Part<'a>, Said)> {
    let mut pictures = Vec::new();
    let (text, form) = match block.get("content").filter(|content| content.get() != "null") {
        None => (Cow::Borrowed(""), Said::All),
        Some(content) => match parse_content(content)?.as_slice() {
            [Part::Text(text)] => (text.clone(), Said::All),
            parts => {
                pictures.extend(parts.iter().filter_map(|part| match part.understood() {
                    Some(Part::Picture(picture)) => Some(picture.clone()),
                    _ => None,
                }));
                (join_texts(parts).into(), Said::Part)
            }
        },
    };
    let is_error = block.get("is_error").is_some_and(|value| value.get() == "true");
    let result = CallResult { id: block.text("tool_use_id")?, text, pictures, is_error };
    Some((Part::Result(result), form.and(Said::by(block, &["type", "tool_use_id", "content", "is_error"]))))
}

fn join_texts(parts: &[Part<'_>]) -> String {
    let texts = parts.iter().filter_map(|part| match part.understood() {
        Some(Part::Text(text)) => Some(text.as_ref()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}
