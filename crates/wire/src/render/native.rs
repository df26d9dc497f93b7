//! Which parts go out in their provider's own bytes, and which are told in ours. Knows how such bytes are read, not where
//! each protocol puts them.

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use super::{
    identifier::{portable_id, portable_name},
    json::parse_object,
};
use crate::{Message, Native, Part, Provider, Role, Seal, is_blank, members::is_void};

/// A part of a message as one provider is shown it.
pub(super) enum Shown<'m, 'a> {
    Plain(&'m Part<'a>),
    Own(Own<'m>),
}

/// Bytes that go back to the API that they came from.
pub(super) enum Own<'m> {
    /// A whole message of the list: one that says more than its parts.
    Message(&'m RawValue),
    /// A content block, an item or a tool call.
    Object { kind: Cow<'m, str>, raw: &'m RawValue },
    /// A member of a message's object.
    Member { name: String, value: &'m RawValue },
}

/// The parts that belong to the message's role, each as the provider is shown it.
pub(super) fn shown<'m, 'a>(provider: Provider, message: &'m Message<'a>) -> Vec<Shown<'m, 'a>> {
    let parts = message.parts.iter().filter(|part| part.understood().is_none_or(|plain| fits(message.role, plain)));
    parts
        .filter_map(|part| match part {
            Part::Native(native) => own(provider, native).or_else(|| {
                let plain = native.plain.as_deref().filter(|plain| !matches!(plain, Part::Native(_)))?;
                Some(Shown::Plain(plain))
            }),
            part => Some(Shown::Plain(part)),
        })
        .collect()
}

fn fits(role: Role, part: &Part<'_>) -> bool {
    match part {
        Part::Text(_) => role != Role::Tool,
        Part::Thinking(_) | Part::Call(_) => role == Role::Assistant,
        Part::Result(_) => role == Role::Tool,
        Part::Picture(_) => role == Role::User,
        Part::Native(_) => false,
    }
}

/// None where the bytes cannot go to this provider. Bytes do not make acceptable what would be left out or renamed as a
/// plain part: a blank text, thinking without its seal, a call whose result will bear another id.
fn own<'m, 'a>(provider: Provider, native: &'m Native<'a>) -> Option<Shown<'m, 'a>> {
    let is_acceptable = match native.plain.as_deref() {
        None | Some(Part::Picture(_)) => true,
        Some(Part::Text(text)) => !is_blank(text),
        Some(Part::Thinking(thinking)) => is_sealed(provider, &thinking.seal),
        Some(Part::Call(call)) => portable_id(&call.id) == call.id && portable_name(&call.name) == call.name,
        Some(Part::Result(result)) => portable_id(&result.id) == result.id,
        Some(Part::Native(_)) => false,
    };
    if native.provider != provider || !is_acceptable {
        return None;
    }
    parse_own(provider, &native.raw).map(Shown::Own)
}

fn is_sealed(provider: Provider, seal: &Seal) -> bool {
    match (provider, seal) {
        (Provider::Anthropic, Seal::Signature(seal) | Seal::Redacted(seal)) => !seal.is_empty(),
        (Provider::Responses, Seal::Encrypted { content, .. }) => !content.is_empty(),
        (Provider::Chat, seal) => *seal == Seal::Plain,
        _ => false,
    }
}

fn parse_own(provider: Provider, raw: &str) -> Option<Own<'_>> {
    #[derive(Deserialize)]
    struct Kind<'a> {
        #[serde(borrow, default, rename = "type")]
        kind: Cow<'a, str>,
        #[serde(borrow, default)]
        role: Option<&'a RawValue>,
    }
    match provider {
        Provider::React => None,
        Provider::Chat if raw.trim_start().starts_with('"') => parse_member(raw),
        Provider::Anthropic | Provider::Chat | Provider::Responses => {
            let object = parse_object(raw)?;
            let Kind { kind, role } = serde_json::from_str(raw).ok()?;
            Some(match role {
                Some(_) if provider != Provider::Responses => Own::Message(object),
                _ => Own::Object { kind, raw: object },
            })
        }
    }
}

/// `"name":value`. One that says nothing is not worth its bytes.
fn parse_member(raw: &str) -> Option<Own<'_>> {
    let mut values = serde_json::Deserializer::from_str(raw).into_iter::<String>();
    let name = values.next()?.ok()?;
    let value = raw[values.byte_offset()..].trim_start().strip_prefix(':')?;
    // In full, for the reasons of `parse_object`.
    serde_json::from_str::<Value>(value).ok()?;
    let value: &RawValue = serde_json::from_str(value).ok()?;
    (!is_void(value)).then_some(Own::Member { name, value })
}
