//! From bytes back to messages: one rendered piece, or what another client wrote, as far as it can be understood.
//!
//! The reverse of [`render_message`](crate::render_message): what we render is read back into messages that render to the
//! same bytes. Of others' messages nothing is lost either: what says more than we understand becomes
//! [`Part::Native`]. Cache marks are no part of a message, and are passed over. Does not know whole
//! bodies, nor where in one a message stands.

pub(crate) mod anthropic;
pub(crate) mod chat;
pub(crate) mod react;
pub(crate) mod responses;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use serde_json::value::RawValue;

use crate::{Message, Native, Part, Provider, members::Members};

/// Anthropic's, which many compatible servers take in chat bodies too, and OpenAI's. They say nothing to a model.
pub(crate) const CACHE_MARKS: [&str; 2] = ["cache_control", "prompt_cache_breakpoint"];

/// A piece of a prompt that holds no message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the text of each says what it is")]
pub enum ParseError {
    #[error("the message is not UTF-8 text")]
    NotText,
    #[error("the message is not JSON: {reason}")]
    NotJson { reason: String },
    #[error("a message is an object, this is not: {excerpt}")]
    NotAnObject { excerpt: String },
    #[error("the text does not begin with [user], [assistant] or [tool]: {excerpt}")]
    NoEntry { excerpt: String },
}

/// The messages that stand in one piece of a message list: elements with commas between them, or entries of a `react`
/// prompt. One element may hold several of our messages (results and a user's words), several elements one of ours (the
/// items of an answer).
pub fn parse_message(provider: Provider, piece: &[u8]) -> Result<Vec<Message<'_>>, ParseError> {
    let text = std::str::from_utf8(piece).map_err(|_| ParseError::NotText)?;
    match provider {
        Provider::React => react::parse_entries(text),
        Provider::Anthropic => parse_elements(text)?.into_iter().map(anthropic::parse_message).try_fold(
            Vec::new(),
            |mut messages, parsed| {
                messages.extend(parsed?);
                Ok(messages)
            },
        ),
        Provider::Chat => chat::parse_messages(&parse_elements(text)?),
        Provider::Responses => responses::parse_items(&parse_elements(text)?),
    }
}

fn parse_elements(text: &str) -> Result<Vec<&RawValue>, ParseError> {
    let mut elements = Vec::new();
    let mut rest = text.trim_ascii();
    while !rest.is_empty() {
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<&RawValue>();
        match values.next() {
            Some(Ok(value)) => elements.push(value),
            Some(Err(error)) => return Err(ParseError::NotJson { reason: error.to_string() }),
            None => break,
        }
        rest = rest[values.byte_offset()..].trim_ascii_start();
        rest = match rest.strip_prefix(',') {
            Some(more) if !more.trim_ascii().is_empty() => more.trim_ascii_start(),
            None if rest.is_empty() => rest,
            _ => return Err(ParseError::NotJson { reason: "elements are not set apart by single commas".to_owned() }),
        };
    }
    Ok(elements)
}

/// The beginning of what could not be read, for a person.
pub(crate) fn excerpt(text: &str) -> String {
    let mut shown: String = text.chars().take(80).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

/// Whether a plain part says all that the bytes said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Said {
    All,
    Part,
}

impl Said {
    pub(crate) fn all_if(is_all: bool) -> Self {
        if is_all { Self::All } else { Self::Part }
    }

    /// Whether an object says no more than these members.
    fn by(members: &Members<'_>, known: &[&str]) -> Self {
        let is_known = |name| known.contains(&name) || CACHE_MARKS.contains(&name);
        Self::all_if(members.iter().all(|(name, value)| is_known(name) || value.get() == "null"))
    }

    fn and(self, other: Self) -> Self {
        if self == Self::All { other } else { self }
    }
}

/// What was understood of some bytes, as a part that loses none of them.
pub(crate) fn part_of<'a>(provider: Provider, raw: Cow<'a, str>, understood: Option<(Part<'a>, Said)>) -> Part<'a> {
    match understood {
        Some((part, Said::All)) => part,
        Some((part, Said::Part)) => Part::Native(Native { provider, raw, plain: Some(Box::new(part)) }),
        None => Part::Native(Native { provider, raw, plain: None }),
    }
}
