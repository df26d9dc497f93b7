//! Chat Completions: the system in messages of its own, one message for each result, thinking beside the text.

use lookback_wire::Provider;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{
    Block, Content, Counter, Issued, Mark, Piece, Prompt, Speaker, Unreadable,
    count::add_turn,
    json::{self, CacheOptions, Marked, body_text, pieces, plain, result},
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
    for (at, entry) in body.messages.into_iter().enumerate() {
        let shown = pieces(entry.content)?;
        let (speaker, contents) = match entry.role.as_str() {
            "system" | "developer" => (Speaker::System, plain(shown)),
            "assistant" => (Speaker::Assistant, answer(entry.reasoning_content, shown, entry.tool_calls)),
            "tool" => (Speaker::Tool, vec![result(entry.tool_call_id.unwrap_or_default(), shown, false)]),
            _ => (Speaker::User, plain(shown)),
        };
        let contents = contents.into_iter().enumerate();
        let blocks = contents.map(|(place, (content, mark))| Block::new(content, mark, (at, place), count)).collect();
        add_turn(&mut segments, speaker, blocks, speaker == Speaker::Tool);
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
