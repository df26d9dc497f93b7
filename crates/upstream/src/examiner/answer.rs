//! An answer as the next prompt will hold it.

use lookback_wire::{Provider, Reply, ReplyContent, Seal, is_blank};
use serde_json::Value;

use crate::prompt::{Block, Content, Counter, Piece, Segment, Speaker, canonical, parse_step};

pub(super) fn answer_segment(api: Provider, reply: &Reply) -> Segment {
    let contents = match api {
        Provider::React => in_react(contents_of(api, reply)),
        Provider::Chat => in_chat(contents_of(api, reply)),
        Provider::Anthropic | Provider::Responses => contents_of(api, reply),
    };
    let blocks = contents.into_iter().map(|content| Block { content, tokens: 0, mark: None, at: (0, 0) });
    Segment { speaker: Speaker::Assistant, blocks: blocks.collect() }
}

fn contents_of(api: Provider, reply: &Reply) -> Vec<Content> {
    let contents = reply.parts.iter().filter_map(|part| match &part.content {
        ReplyContent::Text(text) => (!is_blank(text)).then(|| Content::Piece(Piece::Text(text.clone()))),
        ReplyContent::Thinking { seal: Seal::None, .. } => None,
        ReplyContent::Thinking { text, seal } => Some(Content::Thinking { text: text.clone(), seal: seal.clone() }),
        ReplyContent::Call { id, name, arguments } => Some(Content::Call {
            id: id.clone(),
            name: name.clone(),
            arguments: arguments.clone(),
            meaning: meaning(api, arguments),
        }),
        ReplyContent::UnfinishedCall { .. } | ReplyContent::Unknown => None,
    });
    contents.collect()
}

pub(super) fn answer_tokens(reply: &Reply, count: &Counter) -> u64 {
    let parts = reply.parts.iter().map(|part| match &part.content {
        ReplyContent::Text(text) | ReplyContent::Thinking { text, .. } => count(text.as_bytes()),
        ReplyContent::Call { name, arguments, .. } | ReplyContent::UnfinishedCall { name, arguments, .. } => {
            count(format!("{name}{arguments}").as_bytes())
        }
        ReplyContent::Unknown => part.native.as_ref().map_or(0, |native| count(native.as_bytes())),
    });
    parts.map(u64::from).sum()
}

/// Only Anthropic reads arguments as a value.
fn meaning(api: Provider, arguments: &str) -> String {
    match serde_json::from_str::<Value>(arguments) {
        Ok(value) if api == Provider::Anthropic => canonical(&value),
        _ => arguments.to_owned(),
    }
}

/// A chat message has one thinking, one text and then its calls, however they came.
fn in_chat(contents: Vec<Content>) -> Vec<Content> {
    let (mut thinking, mut said, mut calls) = (String::new(), String::new(), Vec::new());
    for content in contents {
        match content {
            Content::Thinking { text, .. } => thinking += &text,
            Content::Piece(Piece::Text(text)) => said += &text,
            other => calls.push(other),
        }
    }
    let thinking = (!thinking.is_empty()).then_some(Content::Thinking { text: thinking, seal: Seal::Plain });
    let said = (!said.is_empty()).then_some(Content::Piece(Piece::Text(said)));
    thinking.into_iter().chain(said).chain(calls).collect()
}

/// The answer to a one-text prompt: one text as the model wrote it, or what was understood of it.
fn in_react(contents: Vec<Content>) -> Vec<Content> {
    let (mut thought, mut calls) = (Vec::new(), Vec::new());
    for content in contents {
        match content {
            Content::Thinking { text, .. } | Content::Piece(Piece::Text(text)) => thought.push(text),
            other => calls.push(other),
        }
    }
    if calls.is_empty() {
        return thought.iter().flat_map(|text| parse_step(text)).collect();
    }
    let thought = (!thought.is_empty()).then(|| Content::Piece(Piece::Text(thought.join("\n\n"))));
    thought.into_iter().chain(calls).collect()
}
