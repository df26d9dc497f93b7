//! What a request body shows of the script: which steps were played, what is asked now. Only reads; which step comes next
//! is decided elsewhere.

mod react;

use lookback_wire::{Part, Provider, Role, parse_message};
use serde_json::Value;

use super::{
    Section,
    position::{Shape, Sighting, markers, position_of_call, without_marker},
};

pub use react::is_react_prompt;

/// How every block and summary begins (docs/design/model.md, "The voice of a record").
const BLOCK: &str = "<lookback-block";

/// What a result says when its call did not run to its end, whole and in its short form.
const INTERRUPTED: [&str; 2] = ["interrupted: this call ", r#"{"status":"interrupted""#];

/// A request's body, as far as a script is played by it.
#[derive(Debug, Default)]
pub struct Conversation {
    pub(super) seen: Vec<Sighting>,
    pub(super) has_block: bool,
    /// What the model was asked to write about the conversation instead of going on with it.
    pub(super) side: Option<Side>,
}

#[derive(Debug)]
pub(super) struct Side {
    pub(super) section: Section,
    /// The turns that a compaction is asked to replace.
    pub(super) turns: Option<(u32, u32)>,
}

impl Conversation {
    /// Takes time in proportion to the body, and needs no player.
    pub fn parse(api: Provider, body: &[u8]) -> Result<Self, serde_json::Error> {
        let body: Value = serde_json::from_slice(body)?;
        let said = match (api, &body["input"]) {
            (Provider::React, _) => react::read(&body),
            (Provider::Responses, Value::String(text)) => vec![Said::User(text.clone())],
            (Provider::Responses, items) => list(items).iter().flat_map(|item| read(api, item)).collect(),
            (Provider::Anthropic | Provider::Chat, _) => {
                list(&body["messages"]).iter().flat_map(|message| read(api, message)).collect()
            }
        };
        Ok(gather(&said))
    }
}

/// What one element of a list of messages or items says; one that cannot be understood says nothing.
fn read(api: Provider, element: &Value) -> Vec<Said> {
    let element = element.to_string();
    let mut said = Vec::new();
    for message in parse_message(api, element.as_bytes()).unwrap_or_default() {
        for part in message.parts.iter().filter_map(Part::understood) {
            said.push(match (part, message.role) {
                (Part::Text(text), Role::Assistant) => Said::Assistant(text.to_string()),
                (Part::Text(text), _) => Said::User(text.to_string()),
                (Part::Call(call), _) => Said::Call(call.id.to_string()),
                (Part::Result(result), _) => {
                    Said::Result { id: result.id.to_string(), interrupted: is_interrupted(&result.text) }
                }
                (Part::Thinking(_) | Part::Picture(_) | Part::Native(_), _) => continue,
            });
        }
    }
    said
}

/// One thing of a conversation, as every API has it.
#[derive(Debug, PartialEq, Eq)]
enum Said {
    User(String),
    Assistant(String),
    Call(String),
    Result {
        id: String,
        interrupted: bool,
    },
    /// A reply in the `react` layout: its text, how many calls it has, how they ended.
    React {
        text: String,
        calls: usize,
        interrupted: bool,
    },
}

fn gather(said: &[Said]) -> Conversation {
    let mut conversation = Conversation::default();
    let interrupted: Vec<&str> = said
        .iter()
        .filter_map(|said| match said {
            Said::Result { id, interrupted: true } => Some(id.as_str()),
            _ => None,
        })
        .collect();
    let seen = &mut conversation.seen;
    for said in said {
        match said {
            Said::User(text) if text.trim_start().starts_with(BLOCK) => {
                conversation.has_block = true;
                seen.extend(markers(text).map(|step| Sighting { step, attempt: 1, shape: Shape::Folded }));
            }
            Said::User(_) | Said::Result { .. } => {}
            Said::Assistant(text) => {
                // Only at its very end: anywhere else a reply may quote one.
                let marked = without_marker(text.trim_end()).1;
                seen.extend(marked.map(|step| Sighting { step, attempt: 1, shape: Shape::Said }));
            }
            Said::Call(id) => {
                let shape = if interrupted.contains(&id.as_str()) { Shape::Interrupted } else { Shape::Called };
                seen.extend(position_of_call(id).map(|(step, attempt)| Sighting { step, attempt, shape }));
            }
            Said::React { text, calls, interrupted } => {
                let shape = match (calls, interrupted) {
                    (0, _) => Shape::Said,
                    (_, true) => Shape::Interrupted,
                    (_, false) => Shape::Called,
                };
                // Attempts carry no ids here; a later one stands behind the earlier one and replaces it.
                if let Some(step) = markers(text).last() {
                    seen.retain(|sighting| sighting.step != step);
                    seen.push(Sighting { step, attempt: 1, shape });
                }
            }
        }
    }
    conversation.side = side(said);
    conversation
}

/// A call that compacts names its kind in the first line of its last user message; a second try at it, in the one before.
fn side(said: &[Said]) -> Option<Side> {
    let users = said.iter().rev().filter_map(|said| match said {
        Said::User(text) => Some(text),
        _ => None,
    });
    users.take(2).find_map(|text| {
        let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
        let kind = first.strip_prefix("[Meta ")?.rsplit_once("/ ")?.1;
        let section = Section::ALL.into_iter().find(|section| kind.starts_with(section.instruction()))?;
        let mut turns = rest.split("turn#").skip(1).map(leading_number);
        let turns = turns.next().flatten().zip(turns.next().flatten());
        Some(Side { section, turns })
    })
}

fn leading_number(text: &str) -> Option<u32> {
    text.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

fn is_interrupted(result: &str) -> bool {
    INTERRUPTED.iter().any(|beginning| result.starts_with(beginning))
}

/// A text, or the texts of a list of parts.
fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n"),
        _ => String::new(),
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
