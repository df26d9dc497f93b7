//! Items of OpenAI Responses. Their ids and states are no part of what they say: the whole input is always sent, and
//! nothing is looked up at the server. Does not know streams: those have finished items read here.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::{ParseError, Said, excerpt, part_of};
use crate::{
    Call, CallResult, Message, Part, Picture, Provider, Role, Seal, Thinking,
    members::{Members, is_void, parse_text},
};

pub(super) fn parse_items<'a>(elements: &[&'a RawValue]) -> Result<Vec<Message<'a>>, ParseError> {
    let mut messages: Vec<Message<'a>> = Vec::new();
    for raw in elements {
        let item = Members::parse(raw.get()).ok_or_else(|| ParseError::NotAnObject { excerpt: excerpt(raw.get()) })?;
        let (role, parts) = (role_of(&item), parse_item(raw));
        match messages.last_mut() {
            // The items of an answer, or the results of a step, are one message.
            Some(last) if last.role == role && role != Role::User => last.parts.extend(parts),
            _ => messages.push(Message { role, parts }),
        }
    }
    Ok(messages)
}

fn role_of(item: &Members<'_>) -> Role {
    match item.text("type").as_deref().unwrap_or("message") {
        "message" if item.text("role").as_deref() != Some("assistant") => Role::User,
        "additional_tools" | "compaction_trigger" => Role::User,
        kind if kind.ends_with("_output") => Role::Tool,
        _ => Role::Assistant,
    }
}

/// The parts of an item: several only for a message of several texts.
pub(crate) fn parse_item(raw: &RawValue) -> Vec<Part<'_>> {
    let whole = |plain| vec![part_of(Provider::Responses, raw.get().into(), plain)];
    let Some(item) = Members::parse(raw.get()) else { return whole(None) };
    match item.text("type").as_deref().unwrap_or("message") {
        "message" => match (item.text("role").as_deref(), understand_message(&item)) {
            (Some("user"), Some((texts, Said::All))) => texts.into_iter().map(Part::Text).collect(),
            (Some("user"), Some((texts, Said::Part))) if texts.is_empty() => whole(None),
            (Some("user"), Some((texts, said))) => whole(Some((Part::Text(texts.join("\n\n").into()), said))),
            (Some("assistant"), Some((texts, said))) => {
                // Several texts in one message would be several messages of ours.
                let said = if texts.len() > 1 { Said::Part } else { said };
                whole(Some((Part::Text(texts.concat().into()), said)))
            }
            _ => whole(None),
        },
        "reasoning" => whole(understand_reasoning(&item)),
        "function_call" => whole(understand_call(&item)),
        "function_call_output" => whole(understand_result(&item)),
        "custom_tool_call" => whole(understand_custom_call(&item)),
        "custom_tool_call_output" => whole(understand_result(&item).map(|(result, _)| (result, Said::Part))),
        _ => whole(None),
    }
}

fn understand_message<'a>(item: &Members<'a>) -> Option<(Vec<Cow<'a, str>>, Said)> {
    let content = item.get("content")?;
    let known = Said::by(item, &["type", "id", "status", "role", "content"]);
    if let Some(text) = parse_text(content) {
        return Some((vec![text], known));
    }
    let (texts, said) = parse_texts(content)?;
    Some((texts, known.and(said)))
}

/// The texts of a list, and whether they are all that it says.
fn parse_texts(content: &RawValue) -> Option<(Vec<Cow<'_, str>>, Said)> {
    let pieces: Vec<Members<'_>> = serde_json::from_str(content.get()).ok()?;
    let mut said = Said::All;
    let texts = pieces.iter().filter_map(|piece| {
        let is_text =
            matches!(piece.text("type").as_deref(), Some("input_text" | "output_text" | "summary_text" | "text"));
        let text = if is_text { piece.text("text") } else { None };
        let is_silent = |name| piece.get(name).is_none_or(is_void);
        said = said
            .and(Said::all_if(text.is_some() && is_silent("annotations") && is_silent("logprobs")))
            .and(Said::by(piece, &["type", "text", "annotations", "logprobs"]));
        text
    });
    let texts = texts.collect();
    Some((texts, said))
}

fn understand_reasoning<'a>(item: &Members<'a>) -> Option<(Part<'a>, Said)> {
    let (summary, form) = item.get("summary").and_then(parse_texts).unwrap_or((Vec::new(), Said::All));
    let thought = item.get("content").filter(|content| !is_void(content));
    let text = if summary.is_empty() { thought.map(reasoning_text).unwrap_or_default() } else { summary.join("\n\n") };
    let seal = match item.text("encrypted_content") {
        Some(content) if !content.is_empty() => {
            Seal::Encrypted { id: item.text("id").map(Cow::into_owned), content: content.into_owned() }
        }
        _ => Seal::None,
    };
    let is_one = summary.len() <= 1 && summary.first().is_none_or(|text| !text.is_empty()) && thought.is_none();
    let known = Said::by(item, &["type", "id", "status", "summary", "encrypted_content", "content"]);
    let thinking = Thinking { text: text.into(), seal: Cow::Owned(seal) };
    Some((Part::Thinking(thinking), form.and(Said::all_if(is_one)).and(known)))
}

/// What open models thought, which their servers do not seal.
fn reasoning_text(content: &RawValue) -> String {
    let pieces: Vec<Members<'_>> = serde_json::from_str(content.get()).unwrap_or_default();
    Vec::from_iter(pieces.iter().filter_map(|piece| piece.text("text"))).join("\n\n")
}

fn understand_call<'a>(item: &Members<'a>) -> Option<(Part<'a>, Said)> {
    let arguments = item.text("arguments")?;
    let known = Said::by(item, &["type", "id", "status", "call_id", "name", "arguments"]);
    Some((Part::Call(Call { id: call_id(item)?, name: item.text("name")?, arguments }), known))
}

fn understand_custom_call<'a>(item: &Members<'a>) -> Option<(Part<'a>, Said)> {
    let arguments = item.text("input")?;
    Some((Part::Call(Call { id: call_id(item)?, name: item.text("name")?, arguments }), Said::Part))
}

fn call_id<'a>(item: &Members<'a>) -> Option<Cow<'a, str>> {
    item.text("call_id").or_else(|| item.text("id"))
}

fn understand_result<'a>(item: &Members<'a>) -> Option<(Part<'a>, Said)> {
    let output = item.get("output")?;
    let (text, form) = match parse_text(output) {
        Some(text) => (text, Said::All),
        None => match parse_texts(output)? {
            (texts, Said::All) if texts.len() == 1 => (texts[0].clone(), Said::All),
            (texts, _) => (texts.join("\n").into(), Said::Part),
        },
    };
    let known = Said::by(item, &["type", "id", "status", "call_id", "output"]);
    let result = CallResult { id: item.text("call_id")?, text, pictures: parse_pictures(output), is_error: false };
    Some((Part::Result(result), form.and(known)))
}

/// Those of a list that carry their own bytes.
fn parse_pictures(output: &RawValue) -> Vec<Picture<'_>> {
    let pieces: Vec<Members<'_>> = serde_json::from_str(output.get()).unwrap_or_default();
    let shown = pieces.iter().filter(|piece| piece.text("type").as_deref() == Some("input_image"));
    shown.filter_map(|piece| Picture::parse_url(&piece.text("image_url")?)).collect()
}
