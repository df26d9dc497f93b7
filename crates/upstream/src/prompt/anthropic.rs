//! Anthropic Messages: blocks inside messages, results inside the user's.

use lookback_wire::{Provider, Seal};
use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};

use super::{
    Block, Content, Counter, Piece, Prompt, Speaker, Unreadable,
    count::{add_turn, blocks, message},
    identity::{bare, canonical},
    json::{self, Body, items, mark, piece, pieces, plain, result, text},
    tools::parse_tools,
};

/// The parts of a block whose own text counts.
#[derive(Deserialize)]
struct Raw<'a> {
    #[serde(borrow)]
    input: Option<&'a RawValue>,
    content: Option<&'a RawValue>,
}

pub(super) fn parse(body: &[u8], count: &Counter) -> Result<Prompt, Unreadable> {
    let mut body = Body::parse(body)?;
    let mut segments = Vec::from_iter(parse_tools(&body.tools, count)?);
    add_turn(&mut segments, Speaker::System, blocks(plain(pieces(body.system)?), 0, count), false);
    for (at, entry) in body.messages.iter().enumerate() {
        let blocks = items(entry.content)?.into_iter().enumerate();
        let blocks = blocks.map(|(place, raw)| parse_block(raw, (at, place), count)).collect::<Result<Vec<_>, _>>()?;
        let speaker = match entry.role.as_str() {
            "assistant" => Speaker::Assistant,
            "system" => Speaker::System,
            _ if blocks.iter().any(|block| matches!(block.content, Content::Result { .. })) => Speaker::Tool,
            _ => Speaker::User,
        };
        segments.push(message(speaker, blocks));
    }
    if let (Some(control), Some(segment)) = (body.cache_control.take(), segments.last_mut())
        && let Some(last) = segment.blocks.last_mut()
    {
        last.mark = last.mark.or_else(|| mark(&json!({ "cache_control": control })));
    }
    Ok(body.prompt(Provider::Anthropic, segments))
}

fn parse_block(raw: &RawValue, at: (usize, usize), count: &Counter) -> Result<Block, Unreadable> {
    let value: Value = json::parse(raw.get())?;
    let mut mark = mark(&value);
    let content = match text(&value, "type") {
        "thinking" => Content::Thinking {
            text: text(&value, "thinking").to_owned(),
            seal: Seal::Signature(text(&value, "signature").to_owned()),
        },
        "redacted_thinking" => {
            Content::Thinking { text: String::new(), seal: Seal::Redacted(text(&value, "data").to_owned()) }
        }
        "tool_use" => {
            let input = json::parse::<Raw<'_>>(raw.get())?.input.map_or("{}", RawValue::get);
            Content::Call {
                id: text(&value, "id").to_owned(),
                name: text(&value, "name").to_owned(),
                arguments: input.to_owned(),
                meaning: value.get("input").map_or_else(|| "{}".to_owned(), canonical),
            }
        }
        "tool_result" => {
            let shown = pieces(json::parse::<Raw<'_>>(raw.get())?.content)?;
            let is_error = value.get("is_error") == Some(&Value::Bool(true));
            let (result, inside) = result(text(&value, "tool_use_id").to_owned(), shown, is_error);
            mark = mark.or(inside);
            result
        }
        "text" | "image" => Content::Piece(piece(value).0),
        _ if value.is_string() => Content::Piece(piece(value).0),
        _ => Content::Piece(Piece::Other(bare(value))),
    };
    Ok(Block::new(content, mark, at, count))
}
