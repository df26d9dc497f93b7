//! Chat Completions: the system in messages of its own, one message for each result, thinking beside the text.

use lookback_wire::{Provider, Seal};

use super::{
    Content, Counter, Mark, Piece, Prompt, Speaker, Unreadable,
    count::{add_turn, blocks},
    json::{Body, Call, Marked, pieces, plain, result},
    react::{parse_react, react_text},
    tools::parse_tools,
};

pub(super) fn parse(bytes: &[u8], count: &Counter) -> Result<Prompt, Unreadable> {
    let mut body = Body::parse(bytes)?;
    let mut segments = Vec::from_iter(parse_tools(&body.tools, count)?);
    for (at, entry) in std::mem::take(&mut body.messages).into_iter().enumerate() {
        let shown = pieces(entry.content)?;
        let (speaker, contents) = match entry.role.as_str() {
            "system" | "developer" => (Speaker::System, plain(shown)),
            "assistant" => (Speaker::Assistant, answer(entry.reasoning_content, shown, entry.tool_calls)),
            "tool" => (Speaker::Tool, vec![result(entry.tool_call_id.unwrap_or_default(), shown, false)]),
            _ => (Speaker::User, plain(shown)),
        };
        add_turn(&mut segments, speaker, blocks(contents, at, count), speaker == Speaker::Tool);
    }
    let one_text = react_text(bytes).and_then(|text| parse_react(&text, count));
    let api = if one_text.is_some() { Provider::React } else { Provider::Chat };
    if let Some(conversation) = one_text {
        segments.truncate(segments.len() - 1);
        segments.extend(conversation);
    }
    Ok(body.prompt(api, segments))
}

fn answer(reasoning: Option<String>, shown: Vec<(Piece, Option<Mark>)>, calls: Option<Vec<Call>>) -> Vec<Marked> {
    let thinking = reasoning.filter(|text| !text.is_empty());
    let thinking = thinking.map(|text| (Content::Thinking { text, seal: Seal::Plain }, None));
    let said = shown.into_iter().filter(|(piece, _)| *piece != Piece::Text(String::new()));
    let calls = calls.unwrap_or_default().into_iter().map(|Call { id, function }| {
        let meaning = function.arguments.clone();
        (Content::Call { id, name: function.name, arguments: function.arguments, meaning }, None)
    });
    thinking.into_iter().chain(plain(said.collect())).chain(calls).collect()
}
