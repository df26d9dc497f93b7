//! Responses: a flat list of items; what a model made in one answer stands in several of them.

use lookback_wire::Provider;
use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use super::{
    Block, Content, Counter, Issued, Piece, Prompt, Speaker, Unreadable,
    count::add_turn,
    identity::bare,
    json::{self, CacheOptions, Marked, body_text, items, pieces, plain, result, text},
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
        let block = Block::new(Content::Piece(Piece::Text(text)), None, (0, 0), count);
        add_turn(&mut segments, Speaker::System, vec![block], false);
    }
    for (at, raw) in items(body.input)?.into_iter().enumerate() {
        let (speaker, contents) = parse_item(raw)?;
        let contents = contents.into_iter().enumerate();
        let blocks = contents.map(|(place, (content, mark))| Block::new(content, mark, (at, place), count)).collect();
        add_turn(&mut segments, speaker, blocks, matches!(speaker, Speaker::Assistant | Speaker::Tool));
    }
    Ok(Prompt {
        api: Provider::Responses,
        model: body.model,
        output_limit: body.max_output_tokens,
        breakpoints: CacheOptions::mode(body.prompt_cache_options),
        segments,
    })
}

fn parse_item(raw: &RawValue) -> Result<(Speaker, Vec<Marked>), Unreadable> {
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
            (speaker, plain(pieces(parts.content)?))
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
        "function_call_output" => (Speaker::Tool, vec![result(owned("call_id"), pieces(parts.output)?, false)]),
        kind if kind.ends_with("_output") => (Speaker::Tool, vec![(Content::Unknown(bare(value)), None)]),
        _ => (Speaker::Assistant, vec![(Content::Unknown(bare(value)), None)]),
    })
}
