//! Cache marks, put into bytes that were rendered without them.
//!
//! A mark never changes what a provider reads as the prompt: a text stays the same text, whether it stands as a string or
//! as the only block of a list. Places where a provider takes no mark (an assistant's words, thinking) stay without one.

use std::borrow::Cow;

use crate::Provider;

/// How a mark is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkForm {
    /// `cache_control`, with the usual lifetime or an hour (Anthropic; Qwen and OpenRouter in Chat).
    CacheControl(MarkLifetime),
    /// `prompt_cache_breakpoint` (OpenAI from gpt-5.6 on).
    Breakpoint,
}

/// How long a stored prefix is kept after it was last read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkLifetime {
    /// What the provider does unasked: five minutes at Anthropic.
    Usual,
    /// Dearer to write.
    OneHour,
}

impl MarkForm {
    /// Where it can be asked for.
    pub(super) fn for_an_hour(self) -> Self {
        match self {
            Self::CacheControl(_) => Self::CacheControl(MarkLifetime::OneHour),
            Self::Breakpoint => Self::Breakpoint,
        }
    }

    /// As a further member: with the comma before it.
    pub(crate) fn member(self) -> &'static [u8] {
        match self {
            Self::CacheControl(MarkLifetime::Usual) => br#","cache_control":{"type":"ephemeral"}"#,
            Self::CacheControl(MarkLifetime::OneHour) => br#","cache_control":{"type":"ephemeral","ttl":"1h"}"#,
            Self::Breakpoint => br#","prompt_cache_breakpoint":{"mode":"explicit"}"#,
        }
    }
}

/// Behind the system text and the project's rules; where there are none, behind the tools if they can hold it.
pub(super) fn mark_head(provider: Provider, form: MarkForm, head: &[u8]) -> Cow<'_, [u8]> {
    match provider {
        Provider::Anthropic if form != MarkForm::Breakpoint => insert_before(head, br#"}],"messages":["#, form),
        // The system text is the first message, and its comma belongs to the head.
        Provider::Chat | Provider::Responses => match head.strip_suffix(b",") {
            Some(message) => {
                let mut marked = mark_message(provider, form, message).into_owned();
                marked.push(b',');
                Cow::Owned(marked)
            }
            None => Cow::Borrowed(head),
        },
        // A breakpoint is OpenAI's word.
        Provider::Anthropic | Provider::React => Cow::Borrowed(head),
    }
}

/// At the end of a message.
pub(super) fn mark_message(provider: Provider, form: MarkForm, message: &[u8]) -> Cow<'_, [u8]> {
    match provider {
        Provider::Anthropic if form != MarkForm::Breakpoint && message.starts_with(br#"{"role":"user""#) => {
            insert_before(message, b"}]}", form)
        }
        // A list of pieces ends with a text, whoever reads it; calls end with an object in an object.
        Provider::Chat if message.ends_with(b"\"}]}") => match last_role(message) {
            Some(Speaker::Prompt) => insert_before(message, b"}]}", form),
            Some(Speaker::Assistant) | None => Cow::Borrowed(message),
        },
        Provider::Chat => text_into_list(message, br#""content":""#, br#""content":[{"type":"text","text":""#, form),
        Provider::Responses if message.ends_with(b"}]}") => match last_role(message) {
            Some(Speaker::Prompt) => insert_before(message, b"}]}", form),
            // The pieces of a result.
            None if message.starts_with(br#"{"type":"function_call_output""#) => insert_before(message, b"}]}", form),
            Some(Speaker::Assistant) | None => Cow::Borrowed(message),
        },
        Provider::Responses => {
            text_into_list(message, br#""output":""#, br#""output":[{"type":"input_text","text":""#, form)
        }
        Provider::Anthropic | Provider::React => Cow::Borrowed(message),
    }
}

enum Speaker {
    Prompt,
    Assistant,
}

/// Who speaks in the last item of a Responses piece that ends with a list of contents. Inside of strings quotes are
/// escaped, so what is found here is never quoted text.
fn last_role(message: &[u8]) -> Option<Speaker> {
    let at = |needle: &[u8]| find_last(message, needle);
    let prompt = at(br#""role":"user""#).max(at(br#""role":"system""#));
    match (prompt, at(br#""role":"assistant""#)) {
        (None, None) => None,
        (prompt, assistant) if prompt > assistant => Some(Speaker::Prompt),
        _ => Some(Speaker::Assistant),
    }
}

fn insert_before<'a>(bytes: &'a [u8], end: &[u8], form: MarkForm) -> Cow<'a, [u8]> {
    match bytes.strip_suffix(end) {
        Some(before) => Cow::Owned([before, form.member(), end].concat()),
        None => Cow::Borrowed(bytes),
    }
}

/// The text of the last message becomes a list of one block, which can hold the mark.
fn text_into_list<'a>(bytes: &'a [u8], string: &[u8], list: &[u8], form: MarkForm) -> Cow<'a, [u8]> {
    let is_assistant = find_last(bytes, br#""role":"assistant""#)
        > find_last(bytes, br#""role":"tool""#).max(find_last(bytes, br#""role":"user""#));
    match (find_last(bytes, string), bytes.strip_suffix(br#""}"#)) {
        (Some(at), Some(before)) if !is_assistant && at + string.len() <= before.len() => {
            Cow::Owned([&before[..at], list, &before[at + string.len()..], b"\"", form.member(), b"}]}"].concat())
        }
        _ => Cow::Borrowed(bytes),
    }
}

fn find_last(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    memchr::memmem::rfind(bytes, needle)
}
