//! Chat Completions: the system in messages of its own, one message for each result, thinking beside the text.

use lookback_wire::Provider;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{
    Block, Content, Counter, Issued, Mark, Piece, Prompt, Segment, Speaker, Unreadable,
    count::{count_content, message},
    json::{self, CacheOptions, body_text, pieces},
    react::{parse_react, react_text},
    tools::parse_tools,
};

#[derive(Deserialize)]
struct Body<'a> {
    #[serde(default)]
    model: String,
    #[serde(default)]
    max_tokens: Option<u64>,
    #[serde(default)]
    max_completion_tokens: Option<u64>,
    #[serde(default)]
    prompt_cache_options: Option<CacheOptions>,
    #[serde(borrow, default)]
    tools: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    messages: Vec<Entry<'a>>,
}

#[derive(Deserialize)]
struct Entry<'a> {
    role: String,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
    /// Called `reasoning` by some servers.
    #[serde(default, alias = "reasoning")]
    reasoning_content: Option<String>,
    #[serde(default)]
    tool_calls: Option<Vec<Call>>,
    #[serde(default)]
    tool_call_id: Option<String>,
}

#[derive(Deserialize)]
struct Call {
    #[serde(default)]
    id: String,
    function: Function,
}

#[derive(Deserialize)]
struct Function {
    #[serde(default)]
    name: String,
    #[serde(default)]
    arguments: String,
}

pub(super) fn parse(bytes: &[u8], count: &Counter) -> Result<Prompt, Unreadable> {
    let body: Body<'_> = json::parse(body_text(bytes)?)?;
    let mut segments = Vec::from_iter(parse_tools(&body.tools, count)?);
    let mut in_conversation = false;
    for (at, entry) in body.messages.into_iter().enumerate() {
        let shown = pieces(entry.content)?;
        let (speaker, contents) = match entry.role.as_str() {
            "system" | "developer" => (Speaker::System, plain(shown)),
            "assistant" => (Speaker::Assistant, answer(entry.reasoning_content, shown, entry.tool_calls)),
            "tool" => (Speaker::Tool, vec![result(entry.tool_call_id.unwrap_or_default(), shown)]),
            _ => (Speaker::User, plain(shown)),
        };
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
        match segments.last_mut() {
            Some(last) if speaker == Speaker::Tool && last.speaker == Speaker::Tool => last.blocks.extend(blocks),
            _ => segments.push(message(speaker, blocks.collect())),
        }
    }
    let one_text = react_text(bytes).and_then(|text| parse_react(&text, count));
    let api = if one_text.is_some() { Provider::React } else { Provider::Chat };
    if let Some(conversation) = one_text {
        segments.truncate(segments.len() - 1);
        segments.extend(conversation);
    }
    Ok(Prompt {
        api,
        model: body.model,
        output_limit: body.max_completion_tokens.or(body.max_tokens),
        breakpoints: CacheOptions::mode(body.prompt_cache_options),
        segments,
    })
}

type Marked = (Content, Option<Mark>);

fn plain(shown: Vec<(Piece, Option<Mark>)>) -> Vec<Marked> {
    shown.into_iter().map(|(piece, mark)| (Content::Piece(piece), mark)).collect()
}

fn answer(reasoning: Option<String>, shown: Vec<(Piece, Option<Mark>)>, calls: Option<Vec<Call>>) -> Vec<Marked> {
    let thinking = reasoning.filter(|text| !text.is_empty());
    let thinking = thinking.map(|text| (Content::Thinking { text, issued: Issued::Plain }, None));
    let said = shown.into_iter().filter(|(piece, _)| *piece != Piece::Text(String::new()));
    let calls = calls.unwrap_or_default().into_iter().map(|Call { id, function }| {
        let meaning = function.arguments.clone();
        (Content::Call { id, name: function.name, arguments: function.arguments, meaning }, None)
    });
    thinking.into_iter().chain(plain(said.collect())).chain(calls).collect()
}

fn result(id: String, shown: Vec<(Piece, Option<Mark>)>) -> Marked {
    let mark = shown.iter().find_map(|(_, mark)| *mark);
    (Content::Result { id, pieces: shown.into_iter().map(|(piece, _)| piece).collect(), is_error: false }, mark)
}
