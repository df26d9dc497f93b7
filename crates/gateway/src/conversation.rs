//! What the messages of a request say, turn by turn: a function of the body alone, so that it can be asked again at any
//! time and gives the same turns.

use std::ops::Range;

use lookback_engine::{
    NewPart,
    trace::{CamePart, NamedPart, Origin},
};
use lookback_replay::import::live::whose_words;
use lookback_wire::{Body, CallResult, Message, Native, Part, Provider, Role};
use serde_json::Value;

/// One turn, and the messages that it stands in.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Spoken {
    pub(crate) messages: Range<usize>,
    pub(crate) said: Said,
}

/// What a turn says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Said {
    User { parts: Vec<CamePart>, origin: Origin },
    Answer(Vec<NewPart>),
    Results(Vec<Given>),
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Given {
    pub(crate) id: String,
    pub(crate) text: String,
    /// The whole of it where it is more than a text, as Responses has it.
    pub(crate) output: Option<Value>,
    /// A picture, or something else that no text stands for.
    pub(crate) more: Option<NamedPart>,
    pub(crate) failed: bool,
}

/// The turns from a message on. An answer, and the results of a step, may be several messages.
pub(crate) fn turns_from(body: &Body, first: usize) -> Vec<Spoken> {
    let mut turns: Vec<Spoken> = Vec::new();
    for at in first..body.messages().len() {
        let messages = body.message(at).and_then(Result::ok).unwrap_or_default();
        for message in messages {
            match message.role {
                Role::Assistant => answer(&mut turns, at, message),
                Role::Tool => results(&mut turns, body.provider(), at, message),
                Role::User => user(&mut turns, body.provider(), at, message),
            }
        }
    }
    turns
}

fn answer(turns: &mut Vec<Spoken>, at: usize, message: Message<'_>) {
    let parts = message.parts.into_iter().filter_map(new_part);
    match turns.last_mut() {
        Some(Spoken { messages, said: Said::Answer(said) }) => {
            said.extend(parts);
            messages.end = at + 1;
        }
        _ => turns.push(Spoken { messages: at..at + 1, said: Said::Answer(parts.collect()) }),
    }
}

fn results(turns: &mut Vec<Spoken>, provider: Provider, at: usize, message: Message<'_>) {
    for part in message.parts {
        let raw = match &part {
            Part::Native(native) => Some(native.raw.to_string()),
            _ => None,
        };
        let Some(Part::Result(CallResult { id, text, is_error, .. })) = part.understood() else {
            let named = raw.map_or_else(Vec::new, |raw| vec![CamePart::Named(named(provider, raw))]);
            turns.push(Spoken { messages: at..at + 1, said: Said::User { parts: named, origin: Origin::Machine } });
            continue;
        };
        let whole = raw.as_deref().and_then(|raw| serde_json::from_str::<Value>(raw).ok());
        let output = whole.as_ref().and_then(|whole| whole.get("output").cloned());
        let more = whole.as_ref().filter(|whole| has_more_than_texts(whole)).and(raw).map(|raw| named(provider, raw));
        let given = Given { id: id.to_string(), text: text.to_string(), output, more, failed: *is_error };
        match turns.last_mut() {
            Some(Spoken { messages, said: Said::Results(said) }) => {
                said.push(given);
                messages.end = at + 1;
            }
            _ => turns.push(Spoken { messages: at..at + 1, said: Said::Results(vec![given]) }),
        }
    }
}

fn user(turns: &mut Vec<Spoken>, provider: Provider, at: usize, message: Message<'_>) {
    let parts: Vec<CamePart> = message
        .parts
        .into_iter()
        .flat_map(|part| {
            let text = match part.understood() {
                Some(Part::Text(text)) => Some(CamePart::Text(text.to_string())),
                _ => None,
            };
            let whole = match part {
                Part::Native(Native { raw, .. }) if text.is_none() || has_more_than_texts(&members(&raw)) => {
                    Some(CamePart::Named(named(provider, raw.into_owned())))
                }
                _ => None,
            };
            // Words that a picture came with are a person's all the same.
            text.into_iter().chain(whole)
        })
        .collect();
    let texts: Vec<&str> = parts
        .iter()
        .filter_map(|part| if let CamePart::Text(text) = part { Some(text.as_str()) } else { None })
        .collect();
    let text = texts.join("\n");
    let mut say = |parts, origin| turns.push(Spoken { messages: at..at + 1, said: Said::User { parts, origin } });
    if texts.len() < parts.len() {
        let origin = whose_words(&text).first().map_or(Origin::Machine, |(_, origin)| *origin);
        let origin = if text.trim().is_empty() { Origin::Machine } else { origin };
        return say(parts, origin);
    }
    for (words, origin) in whose_words(&text) {
        say(vec![CamePart::Text(words)], origin);
    }
}

/// Whose name a part has: its `type`, or its role where it is a whole message.
fn named(provider: Provider, raw: String) -> NamedPart {
    NamedPart { provider, name: name_of(&raw), raw }
}

pub(crate) fn name_of(raw: &str) -> String {
    let value = members(raw);
    ["type", "role"].into_iter().find_map(|key| value[key].as_str()).unwrap_or("unknown").to_owned()
}

/// Chat has members of a message as parts, without braces around them.
fn members(raw: &str) -> Value {
    let whole = serde_json::from_str(raw).or_else(|_| serde_json::from_str(&format!("{{{raw}}}")));
    whole.unwrap_or_default()
}

/// A picture, a file, or what nobody here knows stands among the texts of a message or a result.
fn has_more_than_texts(whole: &Value) -> bool {
    let mut pieces = ["content", "output"].into_iter().filter_map(|name| whole[name].as_array()).flatten();
    pieces.any(|piece| !matches!(piece["type"].as_str(), Some("text" | "input_text" | "output_text")))
}

/// A part of an answer as the recorder takes it.
pub(crate) fn new_part(part: Part<'_>) -> Option<NewPart> {
    Some(match part {
        Part::Text(text) => NewPart::Text(text.into_owned()),
        Part::Thinking(thinking) => {
            NewPart::Thinking { text: thinking.text.into_owned(), seal: thinking.seal.into_owned() }
        }
        Part::Call(call) => NewPart::Call {
            id: call.id.into_owned(),
            name: call.name.into_owned(),
            arguments: call.arguments.into_owned(),
        },
        Part::Native(Native { provider, raw, plain }) => NewPart::Native {
            provider,
            raw: raw.into_owned(),
            plain: plain.and_then(|plain| new_part(*plain)).map(Box::new),
        },
        Part::Result(_) | Part::Picture(_) => return None,
    })
}

/// The calls of an answer: id, name, arguments.
pub(crate) fn calls_of(parts: &[NewPart]) -> impl Iterator<Item = (&str, &str, &str)> {
    parts.iter().filter_map(|part| match plain(part) {
        NewPart::Call { id, name, arguments } => Some((id.as_str(), name.as_str(), arguments.as_str())),
        _ => None,
    })
}

/// What was understood of a part.
pub(crate) fn plain(part: &NewPart) -> &NewPart {
    match part {
        NewPart::Native { plain: Some(plain), .. } => plain,
        part => part,
    }
}
