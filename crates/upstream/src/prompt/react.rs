//! The one-text prompt, which travels in a Chat body of one user message. A model that reads it sees one text, and a cache
//! the tokens of one: here it is taken apart at its entries, so that it counts and matches as the conversation it holds.
//! The protocol's own words (markers, how to answer) count for nothing, as the punctuation of a JSON body does.

use lookback_wire::{Call, Message, Part, Provider, Role, Thinking, parse_message};

use super::{
    Block, Content, Counter, Piece, Segment, Speaker,
    count::add_turn,
    json::{Body, Entry, pieces},
};

const CONVERSATION: &str = "# Conversation\n\n";
const HOW_TO_ANSWER: &str = "# How to answer\n\n";
const TOOLS: &str = "# Tools\n\n";
const RULES: &str = "\n# Project rules\n\n";

const ENTRIES: [&str; 3] = ["[user]", "[assistant]", "[tool]"];

/// The text of a body that is a one-text prompt.
pub(crate) fn react_text(body: &[u8]) -> Option<String> {
    let body = Body::parse(body).ok()?;
    let [Entry { role, content, .. }] = body.messages.as_slice() else { return None };
    match pieces(*content).ok()?.as_slice() {
        [(Piece::Text(text), _)] if role == "user" && split_head(text).is_some() => Some(text.clone()),
        _ => None,
    }
}

/// None for any other text.
fn split_head(text: &str) -> Option<(&str, &str, &str)> {
    let (before, after) = text.split_once(HOW_TO_ANSWER)?;
    let at = after.find(&format!("\n{CONVERSATION}"))?;
    Some((before, &after[..at], &after[at + 1 + CONVERSATION.len()..]))
}

pub(super) fn parse_react(text: &str, count: &Counter) -> Option<Vec<Segment>> {
    let (before, after, conversation) = split_head(text)?;
    let (system, tools) = before.split_once(TOOLS).unwrap_or((before, ""));
    let rules = after.split_once(RULES).map_or("", |(_, rules)| rules.strip_suffix('\n').unwrap_or(rules));
    let head = [declarations(tools), unguarded(without_end(system)), unguarded(rules)];
    let head = head.into_iter().filter(|text| !text.is_empty());
    let blocks = head.map(|text| block(Content::Piece(Piece::Text(text)), count)).collect();
    let mut segments = Vec::new();
    add_turn(&mut segments, Speaker::System, blocks, false);
    for message in parse_message(Provider::React, conversation.as_bytes()).unwrap_or_default() {
        let speaker = match message.role {
            Role::User => Speaker::User,
            Role::Assistant => Speaker::Assistant,
            Role::Tool => Speaker::Tool,
        };
        let blocks = contents(message).into_iter().map(|content| block(content, count)).collect();
        add_turn(&mut segments, speaker, blocks, speaker == Speaker::Tool);
    }
    Some(segments)
}

/// What an assistant's entry says, without its marker.
pub(crate) fn parse_step(text: &str) -> Vec<Content> {
    let entry = format!("[assistant] {text}");
    parse_message(Provider::React, entry.as_bytes()).unwrap_or_default().into_iter().flat_map(contents).collect()
}

/// Thoughts and answers are texts alike: nothing here is sealed.
fn contents(message: Message<'_>) -> Vec<Content> {
    let text = |text: std::borrow::Cow<'_, str>| Piece::Text(text.into_owned());
    let contents = message.parts.into_iter().filter_map(|part| match part {
        Part::Text(said) | Part::Thinking(Thinking { text: said, .. }) => Some(Content::Piece(text(said))),
        Part::Call(Call { name, arguments, .. }) => {
            let (name, arguments) = (name.into_owned(), arguments.into_owned());
            Some(Content::Call { id: String::new(), name, meaning: arguments.clone(), arguments })
        }
        Part::Result(result) => {
            Some(Content::Result { id: String::new(), pieces: vec![text(result.text)], is_error: false })
        }
        Part::Picture(_) | Part::Native(_) => None,
    });
    contents.collect()
}

/// Tools as they are counted everywhere: name, description and parameters, a line break behind each.
fn declarations(tools: &str) -> String {
    let tools = without_end(tools);
    let Some(tools) = tools.strip_prefix("## ") else { return String::new() };
    let declared = tools.split("\n\n## ").map(|tool| match tool.rsplit_once("\nParameters: ") {
        Some((told, parameters)) => format!("{}\n{}\n", unguarded(told), parameters.trim_end_matches('\n')),
        None => tool.to_owned(),
    });
    declared.collect()
}

fn without_end(text: &str) -> &str {
    text.strip_suffix("\n\n").unwrap_or(text)
}

/// The content behind the backslashes that keep it from reading as an entry.
fn unguarded(text: &str) -> String {
    let lines = text.split_inclusive(['\n', '\r']).map(|line| {
        let is_marked = ENTRIES.iter().any(|marker| line.trim_start_matches('\\').starts_with(marker));
        if is_marked { line.strip_prefix('\\').unwrap_or(line) } else { line }
    });
    lines.collect()
}

fn block(content: Content, count: &Counter) -> Block {
    Block::new(content, None, (0, 0), count)
}
