//! The one-text prompt, which travels in a Chat body of one user message. A model that reads it sees one text, and a cache
//! the tokens of one: here it is taken apart at its entries, so that it counts and matches as the conversation it holds.
//! The protocol's own words (markers, how to answer) count for nothing, as the punctuation of a JSON body does.

use super::{
    Block, Content, Counter, Piece, Segment, Speaker,
    count::add_turn,
    json::{Body, Entry, pieces},
};

const CONVERSATION: &str = "# Conversation\n\n";
const HOW_TO_ANSWER: &str = "# How to answer\n\n";
const TOOLS: &str = "# Tools\n\n";
const RULES: &str = "\n# Project rules\n\n";

const ENTRIES: [(&str, Speaker); 3] =
    [("[user]", Speaker::User), ("[assistant]", Speaker::Assistant), ("[tool]", Speaker::Tool)];
const STEPS: [&str; 2] = ["Thought:", "Action:"];

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
    let head = [declarations(tools), unguarded(without_end(system), false), unguarded(rules, false)];
    let head = head.into_iter().filter(|text| !text.is_empty());
    let blocks = head.map(|text| block(Content::Piece(Piece::Text(text)), count)).collect();
    let mut segments = Vec::new();
    add_turn(&mut segments, Speaker::System, blocks, false);
    parse_conversation(conversation, count, &mut segments);
    Some(segments)
}

/// What an assistant's entry says, without its marker.
pub(crate) fn parse_step(text: &str) -> Vec<Content> {
    let at = match text.starts_with("Action:") {
        true => Some(0),
        false => text.find("\nAction:").map(|at| at + 1),
    };
    let (thought, actions) = text.split_at(at.unwrap_or(text.len()));
    let thought = thought.strip_prefix("Thought: ").unwrap_or(thought);
    let thought = if actions.is_empty() { thought } else { thought.strip_suffix('\n').unwrap_or(thought) };
    let thought = (!thought.is_empty()).then(|| Content::Piece(Piece::Text(unguarded(thought, true))));
    let actions = match actions.strip_prefix("Action: Finish[") {
        Some(answer) => {
            let answer = answer.trim_end_matches('\n');
            let answer = answer.strip_suffix(']').unwrap_or(answer);
            vec![Content::Piece(Piece::Text(unguarded(answer, true)))]
        }
        None => actions.lines().filter_map(parse_action).collect(),
    };
    thought.into_iter().chain(actions).collect()
}

fn parse_action(line: &str) -> Option<Content> {
    let (name, arguments) = line.strip_prefix("Action: ")?.strip_suffix(']')?.split_once('[')?;
    let arguments = arguments.to_owned();
    Some(Content::Call { id: String::new(), name: name.to_owned(), meaning: arguments.clone(), arguments })
}

fn parse_conversation(text: &str, count: &Counter, segments: &mut Vec<Segment>) {
    for (speaker, text) in entries(text) {
        let contents = match speaker {
            Speaker::Assistant => parse_step(text),
            Speaker::Tool => {
                let pieces = vec![Piece::Text(unguarded(text, false))];
                vec![Content::Result { id: String::new(), pieces, is_error: false }]
            }
            _ => vec![Content::Piece(Piece::Text(unguarded(text, false)))],
        };
        let blocks = contents.into_iter().map(|content| block(content, count)).collect();
        add_turn(segments, speaker, blocks, speaker == Speaker::Tool);
    }
}

/// Each entry's speaker and text, without its marker and the blank line behind it.
fn entries(text: &str) -> Vec<(Speaker, &str)> {
    let mut starts = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive(['\n', '\r']) {
        if let Some((marker, speaker)) = ENTRIES.iter().find(|(marker, _)| line.starts_with(marker)) {
            starts.push((at, at + marker.len(), *speaker));
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).map(|(start, _, _)| *start).chain([text.len()]).collect::<Vec<_>>();
    let entries = starts.iter().zip(ends).map(|((_, from, speaker), end)| {
        let said = &text[*from..end];
        (*speaker, without_end(said.strip_prefix(' ').unwrap_or(said)))
    });
    entries.collect()
}

/// Tools as they are counted everywhere: name, description and parameters, a line break behind each.
fn declarations(tools: &str) -> String {
    let tools = without_end(tools);
    let Some(tools) = tools.strip_prefix("## ") else { return String::new() };
    let declared = tools.split("\n\n## ").map(|tool| match tool.rsplit_once("\nParameters: ") {
        Some((told, parameters)) => format!("{}\n{}\n", unguarded(told, false), parameters.trim_end_matches('\n')),
        None => tool.to_owned(),
    });
    declared.collect()
}

fn without_end(text: &str) -> &str {
    text.strip_suffix("\n\n").unwrap_or(text)
}

/// The content behind the backslashes that keep it from reading as structure.
fn unguarded(text: &str, in_step: bool) -> String {
    let lines = text.split_inclusive(['\n', '\r']).map(|line| {
        let bare = line.trim_start_matches('\\');
        let is_marked = ENTRIES.iter().any(|(marker, _)| bare.starts_with(marker))
            || (in_step && STEPS.iter().any(|marker| bare.starts_with(marker)));
        if is_marked { line.strip_prefix('\\').unwrap_or(line) } else { line }
    });
    lines.collect()
}

fn block(content: Content, count: &Counter) -> Block {
    Block::new(content, None, (0, 0), count)
}
