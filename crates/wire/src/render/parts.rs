//! What of a message is worth showing, whatever the provider. Parts in their provider's own bytes are not looked at;
//! nothing here knows a protocol.

use super::native::Shown;
use crate::{Call, CallResult, Part, Picture, Seal, is_blank};

pub(super) fn texts<'m>(parts: &[Shown<'m, '_>]) -> impl Iterator<Item = &'m str> {
    plain(parts).filter_map(|part| match part {
        Part::Text(text) => Some(text.as_ref()),
        _ => None,
    })
}

/// The texts that say something.
pub(super) fn shown_texts<'m>(parts: &[Shown<'m, '_>]) -> impl Iterator<Item = &'m str> {
    texts(parts).filter(|text| !is_blank(text))
}

pub(super) fn calls<'m, 'a>(parts: &[Shown<'m, 'a>]) -> impl Iterator<Item = &'m Call<'a>> {
    plain(parts).filter_map(|part| match part {
        Part::Call(call) => Some(call),
        _ => None,
    })
}

pub(super) fn results<'m, 'a>(parts: &[Shown<'m, 'a>]) -> impl Iterator<Item = &'m CallResult<'a>> {
    plain(parts).filter_map(|part| match part {
        Part::Result(result) => Some(result),
        _ => None,
    })
}

pub(super) fn pictures<'m, 'a>(parts: &[Shown<'m, 'a>]) -> impl Iterator<Item = &'m Picture<'a>> {
    plain(parts).filter_map(|part| match part {
        Part::Picture(picture) => Some(picture),
        _ => None,
    })
}

/// Thinking that its server wants back in plain text.
pub(super) fn plain_thinking<'m>(parts: &[Shown<'m, '_>]) -> impl Iterator<Item = &'m str> {
    thinking(parts).filter(|(seal, _)| **seal == Seal::Plain).map(|(_, text)| text)
}

/// Thinking that any model may read.
pub(super) fn readable_thinking<'m>(parts: &[Shown<'m, '_>]) -> impl Iterator<Item = &'m str> {
    thinking(parts).filter(|(seal, _)| matches!(seal, Seal::Plain | Seal::None)).map(|(_, text)| text)
}

fn thinking<'m>(parts: &[Shown<'m, '_>]) -> impl Iterator<Item = (&'m Seal, &'m str)> {
    plain(parts).filter_map(|part| match part {
        Part::Thinking(thinking) if !is_blank(&thinking.text) => Some((&*thinking.seal, thinking.text.as_ref())),
        _ => None,
    })
}

fn plain<'m, 'a>(parts: &[Shown<'m, 'a>]) -> impl Iterator<Item = &'m Part<'a>> {
    parts.iter().filter_map(|part| match part {
        Shown::Plain(part) => Some(*part),
        Shown::Own(_) => None,
    })
}

/// Texts as one, set apart by blank lines; none when there are none.
pub(super) fn join<'m>(texts: impl Iterator<Item = &'m str>) -> Option<String> {
    let texts: Vec<_> = texts.collect();
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}

/// System text and project rules for the protocols that have one place for both.
pub(super) fn instructions(head: &super::Head<'_>) -> Option<String> {
    join([head.system, head.rules].into_iter().filter(|text| !is_blank(text)))
}
