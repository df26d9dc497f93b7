//! Responses: a flat list of items; what a model made in one answer stands in several of them.

use lookback_wire::{Provider, Seal};
use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use super::{
    Content, Counter, Piece, Prompt, Speaker, Unreadable,
    count::{add_turn, blocks},
    identity::bare,
    json::{self, Body, Marked, items, pieces, plain, result, text},
    tools::parse_tools,
};

/// The parts of an item that may be a text or a list.
#[derive(Deserialize)]
struct Raw<'a> {
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    summary: Option<&'a RawValue>,
    output: Option<&'a RawValue>,
}

pub(super) fn parse(body: &[u8], count: &Counter) -> Result<Prompt, Unreadable> {
    let mut body = Body::parse(body)?;
    let mut segments = Vec::from_iter(parse_tools(&body.tools, count)?);
    if let Some(text) = body.instructions.take().filter(|text| !text.is_empty()) {
        let said = vec![(Content::Piece(Piece::Text(text)), None)];
        add_turn(&mut segments, Speaker::System, blocks(said, 0, count), false);
    }
    for (at, raw) in items(body.input)?.into_iter().enumerate() {
        let (speaker, contents) = parse_item(raw)?;
        let blocks = blocks(contents, at, count);
        add_turn(&mut segments, speaker, blocks, matches!(speaker, Speaker::Assistant | Speaker::Tool));
    }
    Ok(body.prompt(Provider::Responses, segments))
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
            let given = |field| value.get(field).and_then(Value::as_str).map(str::to_owned);
            let sealed = |content| Seal::Encrypted { id: given("id"), content };
            let seal = given("encrypted_content").map_or(Seal::None, sealed);
            let text = summary.collect::<Vec<_>>().join("\n\n");
            (Speaker::Assistant, vec![(Content::Thinking { text, seal }, None)])
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
