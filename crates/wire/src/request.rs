//! A whole request: the prompt, and around it what a provider is told besides.
//!
//! Marks are put into the finished bytes of a message, so that a prompt with marks is the prompt without them plus the
//! marks. Which places get one, and what a server can do at all, is the caller's to know.

mod marks;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use crate::{
    Provider,
    render::{quote, render_body_with},
};

pub use marks::{MarkForm, MarkLifetime};

/// What a request says besides the conversation.
#[derive(Debug, Clone, Copy)]
pub struct RequestOptions<'a> {
    /// As the provider calls it.
    pub model: &'a str,
    /// How many tokens the answer may have; at least 1 is sent.
    pub max_output: u32,
    /// By what name Chat is told so.
    pub limit_field: LimitField,
    /// Whole or piece by piece.
    pub delivery: Delivery,
    /// Where the prompt is to be cached.
    pub marks: Marks<'a>,
    /// Stable for a session, so that its calls meet the same cache.
    pub cache_key: Option<&'a str>,
    /// A JSON schema that the answer's text is decoded by. Only for servers that leave the prompt alone when they do so.
    pub schema: Option<&'a str>,
    /// Members that the model's card adds to every request, as they stand in an object: `"a":1,"b":2`. May be empty.
    pub members: &'a str,
}

/// What Chat calls the output limit. Servers differ, and some refuse the other name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitField {
    /// `max_tokens`.
    MaxTokens,
    /// `max_completion_tokens`.
    MaxCompletionTokens,
}

/// How the answer is to come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// One body, when all is written.
    Whole,
    /// Events, as it is written.
    Stream,
    /// A stream whose end says what it cost, where that has to be asked for.
    StreamWithUsage,
}

/// Where the provider is asked to store the prompt.
#[derive(Debug, Clone, Copy, Default)]
pub struct Marks<'a> {
    /// None: no place gets a mark.
    pub form: Option<MarkForm>,
    /// The one that covers tools and system text.
    pub head: HeadMark,
    /// The places of messages that end with a mark, rising.
    pub messages: &'a [usize],
}

/// Whether what stands before the conversation is stored by itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum HeadMark {
    /// It is stored only together with what follows it.
    #[default]
    Without,
    /// It ends with a mark.
    Marked,
    /// With one that asks for an hour, whatever the others ask for.
    ForAnHour,
}

/// The body of a request. `messages`: what [`render_message`](crate::render_message) gave, one for each place, empty ones
/// included.
///
/// A `react` prompt is one text; it travels as the only user message of a Chat request.
pub fn render_request(provider: Provider, options: &RequestOptions<'_>, head: &[u8], messages: &[&[u8]]) -> Vec<u8> {
    if provider == Provider::React {
        let text = [head].into_iter().chain(messages.iter().copied()).flatten().copied().collect::<Vec<u8>>();
        let message = format!("{{\"role\":\"user\",\"content\":{}}}", quote(&String::from_utf8_lossy(&text)));
        let members = members(Provider::Chat, options, Some(REACT_STOPS));
        return render_body_with(&members, b"\"messages\":[", [message.as_bytes()]);
    }
    let marked_head = match (options.marks.form, options.marks.head) {
        (Some(form), HeadMark::Marked) => marks::mark_head(provider, form, head),
        (Some(form), HeadMark::ForAnHour) => marks::mark_head(provider, form.for_an_hour(), head),
        _ => Cow::Borrowed(head),
    };
    let marked: Vec<Cow<'_, [u8]>> = messages
        .iter()
        .enumerate()
        .map(|(place, message)| match options.marks.form {
            Some(form) if options.marks.messages.binary_search(&place).is_ok() => {
                marks::mark_message(provider, form, message)
            }
            _ => Cow::Borrowed(*message),
        })
        .collect();
    render_body_with(&members(provider, options, None), &marked_head, marked.iter().map(AsRef::as_ref))
}

/// A model without tool calling goes on to invent the result unless it is stopped there.
const REACT_STOPS: &str = r#""stop":["\n[tool]","\n[user]"]"#;

fn members(provider: Provider, options: &RequestOptions<'_>, more: Option<&str>) -> String {
    let limit = match (provider, options.limit_field) {
        (Provider::Responses, _) => "max_output_tokens",
        (Provider::Chat, LimitField::MaxCompletionTokens) => "max_completion_tokens",
        (Provider::Anthropic | Provider::Chat | Provider::React, _) => "max_tokens",
    };
    let mut members =
        vec![format!("\"model\":{}", quote(options.model)), format!("\"{limit}\":{}", options.max_output.max(1))];
    match options.delivery {
        Delivery::Whole => {}
        Delivery::Stream => members.push("\"stream\":true".into()),
        Delivery::StreamWithUsage if provider == Provider::Chat => {
            members.push("\"stream\":true,\"stream_options\":{\"include_usage\":true}".into());
        }
        Delivery::StreamWithUsage => members.push("\"stream\":true".into()),
    }
    if provider == Provider::Responses {
        // Nothing is left with the provider: the trace is ours. Sealed reasoning travels in the input; models that have
        // any are asked for it by their card's members.
        members.push("\"store\":false".into());
    }
    if let Some(key) = options.cache_key.filter(|_| provider != Provider::Anthropic) {
        members.push(format!("\"prompt_cache_key\":{}", quote(key)));
    }
    if let Some(schema) = options.schema {
        members.push(constraint(provider, schema));
    }
    members.extend([options.members, more.unwrap_or("")].into_iter().filter(|more| !more.is_empty()).map(Into::into));
    members.join(",")
}

/// How an API says by which schema the answer is decoded.
fn constraint(provider: Provider, schema: &str) -> String {
    match provider {
        Provider::Anthropic => {
            format!("\"output_config\":{{\"format\":{{\"type\":\"json_schema\",\"schema\":{schema}}}}}")
        }
        Provider::Responses => format!(
            "\"text\":{{\"format\":{{\"type\":\"json_schema\",\"name\":\"answer\",\"strict\":true,\"schema\":{schema}}}}}"
        ),
        Provider::Chat | Provider::React => format!(
            "\"response_format\":{{\"type\":\"json_schema\",\"json_schema\":{{\"name\":\"answer\",\"strict\":true,\"schema\":{schema}}}}}"
        ),
    }
}
