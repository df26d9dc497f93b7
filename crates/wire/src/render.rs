//! Writing a prompt: a head, the messages, and the body around them, in each provider's own form.
//!
//! Every message is written from its own parts alone, so the caller may keep what [`render_message`] gave and join it
//! again for the next request. Whether the result is a conversation that the provider accepts is not known here:
//! [`check_body`](crate::check_body) says so, from the finished bytes.

mod anthropic;
mod chat;
mod identifier;
mod json;
mod native;
mod parts;
mod react;
mod responses;
#[cfg(test)]
mod tests;
mod whole;

pub(crate) use json::quote;

use crate::{Message, Provider, ToolSpec};

/// What stands before the conversation, from the most to the least stable.
#[derive(Debug, Clone, Copy)]
pub struct Head<'a> {
    /// What the model may call.
    pub tools: &'a [ToolSpec],
    /// What the model is told before everything else.
    pub system: &'a str,
    /// The project's own rules, after the system text so that a change in them keeps the cache of what comes before.
    pub rules: &'a str,
}

/// Tools, system text and project rules in the provider's own order, up to and including the opening of the message
/// list.
pub fn render_head(provider: Provider, head: &Head<'_>) -> Vec<u8> {
    match provider {
        Provider::Anthropic => anthropic::render_head(head),
        Provider::Chat => chat::render_head(head),
        Provider::Responses => responses::render_head(head),
        Provider::React => react::render_head(head),
    }
}

/// One message, from its own parts alone. Empty when there is nothing of it to show to this provider.
pub fn render_message(provider: Provider, message: &Message<'_>) -> Vec<u8> {
    match provider {
        Provider::Anthropic => anthropic::render_message(message),
        Provider::Chat => chat::render_message(message),
        Provider::Responses => responses::render_message(message),
        Provider::React => react::render_message(message),
    }
}

/// Several messages that always stand together, as one piece for [`render_body`].
pub fn render_messages(provider: Provider, messages: &[Message<'_>]) -> Vec<u8> {
    let rendered = messages.iter().map(|message| render_message(provider, message));
    let rendered: Vec<Vec<u8>> = rendered.filter(|bytes| !bytes.is_empty()).collect();
    match provider {
        Provider::React => rendered.concat(),
        Provider::Anthropic | Provider::Chat | Provider::Responses => rendered.join(&b','),
    }
}

/// The whole request. `messages`: what [`render_message`] gave, in order; empty ones are skipped.
pub fn render_body<'a>(
    provider: Provider,
    model: &str,
    max_output: u32,
    head: &[u8],
    messages: impl IntoIterator<Item = &'a [u8]>,
) -> Vec<u8> {
    let limit = match provider {
        Provider::Anthropic => "\"max_tokens\"",
        Provider::Chat => "\"max_completion_tokens\"",
        // Nothing is left with the provider: the trace is ours, and sealed reasoning travels in the input.
        Provider::Responses => "\"store\":false,\"max_output_tokens\"",
        Provider::React => {
            let mut text = head.to_vec();
            messages.into_iter().for_each(|message| text.extend_from_slice(message));
            return text;
        }
    };
    let members = format!("\"model\":{},{limit}:{}", json::quote(model), max_output.max(1));
    render_body_with(&members, head, messages)
}

/// A body of any members, the head and the messages.
pub(crate) fn render_body_with<'a>(
    members: &str,
    head: &[u8],
    messages: impl IntoIterator<Item = &'a [u8]>,
) -> Vec<u8> {
    let mut body = format!("{{{members},").into_bytes();
    body.extend_from_slice(head);
    for message in messages.into_iter().filter(|message| !message.is_empty()) {
        body.extend_from_slice(message);
        body.push(b',');
    }
    // The last comma may also be the head's own: a head of Chat or Responses ends with its system message.
    if body.ends_with(b",") {
        body.pop();
    }
    body.extend_from_slice(b"]}");
    body
}
