//! The one-text prompt read back, and what a model writes in its manner: thoughts and actions.
//! Does not know ids: calls and results are told apart by their places.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::{ParseError, excerpt};
use crate::{Call, CallResult, Message, Part, Role, Seal, Thinking, is_blank};

const ENTRIES: [(&str, Role); 3] = [("[user]", Role::User), ("[assistant]", Role::Assistant), ("[tool]", Role::Tool)];
const THOUGHT: &str = "Thought:";
const ACTION: &str = "Action:";
const FINISH: &str = "Finish";

/// What a model wrote, taken apart.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Written {
    pub(crate) thought: Option<String>,
    /// Names and arguments, in order.
    pub(crate) actions: Vec<(String, String)>,
    pub(crate) answer: Option<String>,
    /// Whether the last action came to its end.
    pub(crate) end: End,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum End {
    #[default]
    Closed,
    Open,
}

pub(super) fn parse_entries(text: &str) -> Result<Vec<Message<'_>>, ParseError> {
    let mut messages: Vec<Message<'_>> = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let Some((marker, role)) = entry_at(rest) else {
            return Err(ParseError::NoEntry { excerpt: excerpt(rest) });
        };
        let body = &rest[marker.len()..];
        let end = next_line(body, |line| entry_at(line).is_some());
        rest = &body[end..];
        let body = &body[..end];
        let body = body.strip_suffix("\n\n").unwrap_or(body);
        let body = body.strip_prefix(' ').unwrap_or(body);
        let parts = match role {
            Role::User => vec![Part::Text(unguard(body, is_entry))],
            Role::Assistant => parse_assistant(body),
            Role::Tool => {
                let result = |count| CallResult {
                    id: action_id(count),
                    text: unguard(body, is_entry),
                    pictures: Vec::new(),
                    is_error: false,
                };
                match messages.last_mut() {
                    Some(last) if last.role == Role::Tool => {
                        let count = last.parts.len();
                        last.parts.push(Part::Result(result(count)));
                        continue;
                    }
                    _ => vec![Part::Result(result(0))],
                }
            }
        };
        messages.push(Message { role, parts });
    }
    Ok(messages)
}

/// The id of an action that stands at this place in its step.
fn action_id(place: usize) -> Cow<'static, str> {
    format!("action-{}", place + 1).into()
}

fn parse_assistant(body: &str) -> Vec<Part<'_>> {
    let Written { thought, actions, answer, .. } = parse_written(body);
    let mut parts = Vec::new();
    match (&answer, thought) {
        (Some(_), Some(thought)) => {
            parts.push(Part::Thinking(Thinking { text: thought.into(), seal: Cow::Owned(Seal::None) }));
        }
        // Beside actions, or alone, a thought is what was said.
        (None, Some(thought)) => parts.push(Part::Text(thought.into())),
        (_, None) => {}
    }
    parts.extend(answer.map(|answer| Part::Text(answer.into())));
    parts.extend(actions.into_iter().enumerate().map(|(place, (name, arguments))| {
        Part::Call(Call { id: action_id(place), name: name.into(), arguments: arguments.into() })
    }));
    parts
}

/// Takes a model's text apart. What it writes after a marker of the conversation is a conversation that did not happen,
/// and is cut off.
pub(crate) fn parse_written(text: &str) -> Written {
    let text = text.strip_prefix("[assistant]").map_or(text, |rest| rest.strip_prefix(' ').unwrap_or(rest));
    let text = &text[..next_line(text, |line| entry_at(line).is_some())];
    let mut written = Written::default();
    let mut thoughts: Vec<&str> = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let step = if rest.starts_with(ACTION) { parse_action(rest) } else { None };
        let Some(action) = step else {
            let line = rest.strip_prefix(THOUGHT).map_or(rest, |thought| thought.strip_prefix(' ').unwrap_or(thought));
            let end = next_line(line, |line| line.starts_with(ACTION) || line.starts_with(THOUGHT));
            let said = &line[..end];
            // The line break before an action belongs to neither.
            thoughts.push(if end < line.len() { said.strip_suffix('\n').unwrap_or(said) } else { said });
            rest = &line[end..];
            continue;
        };
        rest = action.rest;
        written.end = action.end;
        if action.name != FINISH {
            written.actions.push((action.name.to_owned(), action.arguments.to_owned()));
        } else if written.actions.is_empty() {
            written.answer = Some(unguard(action.arguments, is_step).into_owned());
            break;
        }
        // An answer behind actions was given before their results: it does not count.
    }
    thoughts.retain(|thought| !is_blank(thought));
    written.thought = (!thoughts.is_empty()).then(|| unguard(&thoughts.join("\n"), is_step).into_owned());
    written
}

struct Action<'a> {
    name: &'a str,
    arguments: &'a str,
    rest: &'a str,
    end: End,
}

fn parse_action(text: &str) -> Option<Action<'_>> {
    let (name, inside) = text[ACTION.len()..].split_once('[')?;
    let name = name.trim();
    if name.is_empty() || name.contains(['\n', '\r', ']']) {
        return None;
    }
    if name == FINISH {
        // The answer may have many lines; one that begins a step of its own is escaped.
        let end = next_line(inside, |line| line.starts_with(ACTION) || line.starts_with(THOUGHT));
        let (answer, rest) = inside.split_at(end);
        return Some(match answer.rfind(']') {
            Some(close) => Action { name, arguments: &answer[..close], rest, end: End::Closed },
            None => Action { name, arguments: answer, rest, end: End::Open },
        });
    }
    let (arguments, rest, end) = parse_arguments(inside);
    Some(Action { name, arguments, rest: &rest[next_line(rest, |_| true)..], end })
}

/// JSON up to its closing bracket, on as many lines as it takes; anything else up to the last bracket of its line.
fn parse_arguments(inside: &str) -> (&str, &str, End) {
    let mut values = serde_json::Deserializer::from_str(inside).into_iter::<&RawValue>();
    if let Some(Ok(_)) = values.next() {
        let offset = values.byte_offset();
        let behind = inside[offset..].trim_ascii_start();
        if let Some(rest) = behind.strip_prefix(']') {
            return (&inside[..inside.len() - behind.len()], rest, End::Closed);
        }
    }
    let line = &inside[..inside.find(['\n', '\r']).unwrap_or(inside.len())];
    match line.rfind(']') {
        Some(close) => (&line[..close], &inside[close + 1..], End::Closed),
        None => (line, &inside[line.len()..], End::Open),
    }
}

/// Where the next line begins that is what is looked for, not counting the one we are in; the end if there is none.
fn next_line(text: &str, is_wanted: impl Fn(&str) -> bool) -> usize {
    let breaks = text.match_indices(['\n', '\r']).map(|(at, _)| at + 1);
    breaks.into_iter().find(|&at| is_wanted(&text[at..])).unwrap_or(text.len())
}

fn entry_at(line: &str) -> Option<(&'static str, Role)> {
    ENTRIES.into_iter().find(|(marker, _)| line.starts_with(marker))
}

fn is_entry(line: &str) -> bool {
    entry_at(line).is_some()
}

fn is_step(line: &str) -> bool {
    is_entry(line) || line.starts_with(THOUGHT) || line.starts_with(ACTION)
}

/// Takes one backslash away from every line that is quoted by one.
fn unguard(content: &str, is_marker: impl Fn(&str) -> bool) -> Cow<'_, str> {
    let is_guarded = |line: &str| line.starts_with('\\') && is_marker(line.trim_start_matches('\\'));
    let lines = || content.split_inclusive(['\n', '\r']);
    if !lines().any(is_guarded) {
        return Cow::Borrowed(content);
    }
    Cow::Owned(lines().map(|line| if is_guarded(line) { &line[1..] } else { line }).collect())
}
