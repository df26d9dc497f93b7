//! Responses: a flat list of items; what a model made in one answer stands in several of them.

use lookback_wire::Provider;
use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use super::{
    Block, Content, Counter, Issued, Mark, Piece, Prompt, Segment, Speaker, Unreadable,
    count::{count_content, message},
    identity::bare,
    json::{self, CacheOptions, body_text, items, pieces, text},
    tools::parse_tools,
};

#[derive(Deserialize)]
struct Body<'a> {
    #[serde(default)]
    model: String,
    #[serde(default)]
    max_output_tokens: Option<u64>,
    #[serde(default)]
    prompt_cache_options: Option<CacheOptions>,
    #[serde(borrow, default)]
    tools: Vec<&'a RawValue>,
    #[serde(default)]
    instructions: Option<String>,
    #[serde(borrow, default)]
    input: Option<&'a RawValue>,
}

/// The parts of an item that may be a text or a list.
#[derive(Deserialize)]
struct Raw<'a> {
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    summary: Option<&'a RawValue>,
    #[serde(borrow, default)]
    output: Option<&'a RawValue>,
}

pub(super) fn parse(body: &[u8], count: &Counter) -> Result<Prompt, Unreadable> {
    let body: Body<'_> = json::parse(body_text(body)?)?;
    let mut segments = Vec::from_iter(parse_tools(&body.tools, count)?);
    if let Some(text) = body.instructions.filter(|text| !text.is_empty()) {
        let content = Content::Piece(Piece::Text(text));
        let block = Block { tokens: count_content(&content, count), content, mark: None, at: (0, 0) };
        segments.push(Segment { speaker: Speaker::System, blocks: vec![block] });
    }
    let mut in_conversation = false;
    for (at, raw) in items(body.input)?.into_iter().enumerate() {
        let (speaker, contents) = parse_item(raw)?;
        let blocks = contents.into_iter().enumerate().map(|(place, (content, mark))| Block {
            tokens: count_content(&content, count),
            content,
            mark,
            at: (at, place),
        });
        if speaker == Speaker::System && !in_conversation {
            segments.extend(blocks.map(|block| Segment { speaker, blocks: vec![block] }));
            continue;
        }
        in_conversation = true;
        let goes_on = matches!(speaker, Speaker::Assistant | Speaker::Tool);
        match segments.last_mut() {
            Some(last) if goes_on && last.speaker == speaker => last.blocks.extend(blocks),
            _ => segments.push(message(speaker, blocks.collect())),
        }
    }
    Ok(Prompt {
        api: Provider::Responses,
        model: body.model,
        output_limit: body.max_output_tokens,
        breakpoints: CacheOptions::mode(body.prompt_cache_options),
        segments,
    })
}

type Item = (Speaker, Vec<(Content, Option<Mark>)>);

fn parse_item(raw: &RawValue) -> Result<Item, Unreadable> {
    let value: Value = json::parse(raw.get())?;
    if let Value::String(text) = value {
        return Ok((Speaker::User, vec![(Content::Piece(Piece::Text(text)), None)]));
    }
    let parts: Raw<'_> = json::parse(raw.get())?;
    let owned = |field| text(&value, field).to_owned();
    Ok(match text(&value, "type") {
        "" | "message" => {
            let speaker = match text(&value, "role") {
                "assistant" => Speaker::Assistant,
                "system" | "developer" => Speaker::System,
                _ => Speaker::User,
            };
            let shown = pieces(parts.content)?.into_iter();
            (speaker, shown.map(|(piece, mark)| (Content::Piece(piece), mark)).collect())
        }
        "reasoning" => {
            let summary = pieces(parts.summary)?.into_iter().filter_map(|(piece, _)| match piece {
                Piece::Text(text) => Some(text),
                Piece::Image(_) | Piece::Other(_) => None,
            });
            let id = value.get("id").and_then(Value::as_str).map(str::to_owned);
            let content = value.get("encrypted_content").and_then(Value::as_str).map(str::to_owned);
            let text = summary.collect::<Vec<_>>().join("\n\n");
            (Speaker::Assistant, vec![(Content::Thinking { text, issued: Issued::Encrypted { id, content } }, None)])
        }
        "function_call" => {
            let (name, arguments) = (owned("name"), owned("arguments"));
            let call = Content::Call { id: owned("call_id"), name, meaning: arguments.clone(), arguments };
            (Speaker::Assistant, vec![(call, None)])
        }
        "function_call_output" => {
            let shown = pieces(parts.output)?;
            let mark = shown.iter().find_map(|(_, mark)| *mark);
            let pieces = shown.into_iter().map(|(piece, _)| piece).collect();
            (Speaker::Tool, vec![(Content::Result { id: owned("call_id"), pieces, is_error: false }, mark)])
        }
        kind if kind.ends_with("_output") => (Speaker::Tool, vec![(Content::Unknown(bare(value)), None)]),
        _ => (Speaker::Assistant, vec![(Content::Unknown(bare(value)), None)]),
    })
}
