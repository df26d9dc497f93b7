//! Messages of Chat Completions. Does not know streams: those put a message together and have it read here.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::{ParseError, Said, excerpt, part_of};
use crate::{
    Call, CallResult, Message, Native, Part, Provider, Role, Seal, Thinking,
    members::{Members, is_void, parse_text},
    render::quote,
};

/// Where a message comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A request: every member goes on.
    Request,
    /// An answer: some members are for its reader alone, and would be refused in a request.
    Answer,
}

const FOR_THE_READER: [&str; 5] = ["refusal", "annotations", "audio", "function_call", "logprobs"];

pub(super) fn parse_messages<'a>(elements: &[&'a RawValue]) -> Result<Vec<Message<'a>>, ParseError> {
    let mut messages: Vec<Message<'a>> = Vec::new();
    for raw in elements {
        let message = parse_message(raw)?;
        match messages.last_mut() {
            // The results of a step are one message.
            Some(last) if last.role == Role::Tool && message.role == Role::Tool => last.parts.extend(message.parts),
            _ => messages.push(message),
        }
    }
    Ok(messages)
}

fn parse_message(raw: &RawValue) -> Result<Message<'_>, ParseError> {
    let members = Members::parse(raw.get()).ok_or_else(|| ParseError::NotAnObject { excerpt: excerpt(raw.get()) })?;
    let whole = |plain| part_of(Provider::Chat, raw.get().into(), plain);
    Ok(match members.text("role").as_deref() {
        Some("user") => Message { role: Role::User, parts: parse_user(&members) },
        Some("assistant") => Message { role: Role::Assistant, parts: parse_assistant(&members, Origin::Request) },
        Some("tool") => Message { role: Role::Tool, parts: vec![whole(understand_result(&members))] },
        _ => Message { role: Role::User, parts: vec![whole(None)] },
    })
}

fn parse_user<'a>(members: &Members<'a>) -> Vec<Part<'a>> {
    let others = members.iter().filter(|(name, value)| !matches!(*name, "role" | "content") && !is_void(value));
    let mut parts = members.get("content").map(parse_content).unwrap_or_default();
    parts.extend(others.map(|(name, value)| member(name, value, None)));
    parts
}

pub(crate) fn parse_assistant<'a>(members: &Members<'a>, origin: Origin) -> Vec<Part<'a>> {
    let mut parts = Vec::new();
    if let Some(text) = members.text("reasoning_content").filter(|text| !text.is_empty()) {
        parts.push(plain_thinking(text));
    }
    parts.extend(members.get("content").filter(|content| !is_void(content)).map(parse_content).unwrap_or_default());
    let calls = members.list("tool_calls");
    let has_calls = calls.is_some();
    parts.extend(calls.unwrap_or_default().into_iter().map(parse_call));
    for (name, value) in members.iter().filter(|(_, value)| !is_void(value)) {
        match name {
            "role" | "content" => {}
            "reasoning_content" if parse_text(value).is_some() => {}
            "tool_calls" if has_calls => {}
            _ if origin == Origin::Answer && FOR_THE_READER.contains(&name) => {}
            // Goes back under the name that its server knows.
            "reasoning" => parts.push(member(name, value, parse_text(value).map(plain_thinking))),
            _ => parts.push(member(name, value, None)),
        }
    }
    parts
}

fn plain_thinking(text: Cow<'_, str>) -> Part<'_> {
    Part::Thinking(Thinking { text, seal: Cow::Owned(Seal::Plain) })
}

fn member<'a>(name: &str, value: &RawValue, plain: Option<Part<'a>>) -> Part<'a> {
    let raw = format!("{}:{}", quote(name), value.get());
    Part::Native(Native { provider: Provider::Chat, raw: raw.into(), plain: plain.map(Box::new) })
}

/// A text, or texts in a list. A list of more than texts stays what it is, with its texts understood.
fn parse_content(content: &RawValue) -> Vec<Part<'_>> {
    if let Some(text) = parse_text(content) {
        return vec![Part::Text(text)];
    }
    let Some(texts) = parse_texts(content) else {
        return vec![member("content", content, None)];
    };
    if texts.iter().all(Option::is_some) {
        return texts.into_iter().flatten().map(Part::Text).collect();
    }
    let texts: Vec<_> = texts.into_iter().flatten().collect();
    vec![member("content", content, (!texts.is_empty()).then(|| Part::Text(texts.join("\n\n").into())))]
}

/// The texts of a list of content parts; none in the place of what is not text alone.
fn parse_texts<'a>(content: &'a RawValue) -> Option<Vec<Option<Cow<'a, str>>>> {
    let parts: Vec<Members<'a>> = serde_json::from_str(content.get()).ok()?;
    let text = |part: Members<'a>| {
        let is_text = part.text("type").as_deref() == Some("text");
        part.text("text").filter(|_| is_text && Said::by(&part, &["type", "text"]) == Said::All)
    };
    Some(parts.into_iter().map(text).collect())
}

pub(crate) fn parse_call(raw: &RawValue) -> Part<'_> {
    part_of(Provider::Chat, raw.get().into(), understand_call(raw))
}

fn understand_call(raw: &RawValue) -> Option<(Part<'_>, Said)> {
    let call = Members::parse(raw.get())?;
    let id = call.text("id")?;
    if let Some(custom) = call.object("custom") {
        let call = Call { id, name: custom.text("name")?, arguments: custom.text("input")? };
        return Some((Part::Call(call), Said::Part));
    }
    let function = call.object("function")?;
    let arguments = match function.get("arguments") {
        Some(value) => parse_text(value).unwrap_or_else(|| value.get().into()),
        None => "".into(),
    };
    let said = Said::all_if(call.text("type").is_none_or(|kind| kind == "function"))
        .and(Said::by(&call, &["id", "type", "function", "index"]))
        .and(Said::by(&function, &["name", "arguments"]));
    Some((Part::Call(Call { id, name: function.text("name")?, arguments }), said))
}

fn understand_result<'a>(members: &Members<'a>) -> Option<(Part<'a>, Said)> {
    let content = members.get("content")?;
    let (text, form) = match (parse_text(content), parse_texts(content)) {
        (Some(text), _) => (text, Said::All),
        (None, Some(texts)) => match texts.as_slice() {
            [Some(text)] => (text.clone(), Said::All),
            texts => (Vec::from_iter(texts.iter().flatten().map(AsRef::as_ref)).join("\n").into(), Said::Part),
        },
        (None, None) => return None,
    };
    let result = CallResult { id: members.text("tool_call_id")?, text, pictures: Vec::new(), is_error: false };
    Some((Part::Result(result), form.and(Said::by(members, &["role", "tool_call_id", "content"]))))
}
