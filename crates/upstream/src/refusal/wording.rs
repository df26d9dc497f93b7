//! Broken rules of the conversation's shape, as each API words them.

use lookback_wire::{Provider, Rule, Violation, check_body};
use serde_json::Value;

use super::Refused;
use crate::prompt::react_text;

/// The first rule that a body breaks.
pub(crate) fn check_shape(api: Provider, body: &[u8]) -> Result<(), Refused> {
    if api == Provider::Responses && needs_state(body) {
        return Err(Refused::invalid(
            "Previous response not found: this server keeps no responses, send the whole input (store: false)",
        ));
    }
    let violations = match api {
        // A lone text is a whole conversation, too.
        Provider::Responses if input_is_text(body) => return Ok(()),
        Provider::Chat | Provider::React => check_body(Provider::Chat, body).and_then(|()| match react_text(body) {
            Some(text) => check_body(Provider::React, text.as_bytes()),
            None => Ok(()),
        }),
        api => check_body(api, body),
    };
    // Whether a system message may stand where it does is the card's to say.
    let broken = violations.err().into_iter().flatten().find(|broken| broken.rule != Rule::SystemInConversation);
    broken.map_or(Ok(()), |broken| Err(Refused::invalid(word(api, &broken))))
}

/// A system message that the model's card does not allow, `at` this place of the conversation.
pub(super) fn misplaced_system(api: Provider, at: usize) -> Refused {
    Refused::invalid(word(api, &Violation { at, rule: Rule::SystemInConversation }))
}

/// Whether the history is said to be with the server.
fn needs_state(body: &[u8]) -> bool {
    let is_named = |body: &Value, name| body.get(name).is_some_and(|value| !value.is_null());
    serde_json::from_slice::<Value>(body)
        .is_ok_and(|body| is_named(&body, "previous_response_id") || is_named(&body, "conversation"))
}

fn input_is_text(body: &[u8]) -> bool {
    serde_json::from_slice::<Value>(body).is_ok_and(|body| body.get("input").is_some_and(Value::is_string))
}

fn word(api: Provider, violation: &Violation) -> String {
    match api {
        Provider::Anthropic => anthropic(violation),
        Provider::Chat | Provider::React => chat(violation),
        Provider::Responses => responses(violation),
    }
}

fn anthropic(Violation { at, rule }: &Violation) -> String {
    match rule {
        Rule::NotJson { reason } => format!("The request body is not valid JSON: {reason}"),
        Rule::NoMessages => "messages: at least one message is required".to_owned(),
        Rule::FirstNotUser => "messages: first message must use the \"user\" role".to_owned(),
        Rule::LastNotUser => "This model does not support assistant message prefill. The conversation must end with a \
                              user message."
            .to_owned(),
        Rule::UnknownRole { role } => {
            format!("messages.{at}.role: Input should be 'user' or 'assistant', but found '{role}'")
        }
        // As of 2026-05: anthropics/claude-code#61412.
        Rule::SystemInConversation => "role 'system' is not supported on this model".to_owned(),
        Rule::Misplaced { kind } => format!("messages.{at}: `{kind}` blocks are not allowed in messages of this role"),
        Rule::EmptyText => format!("messages.{at}: text content blocks must contain non-whitespace text"),
        Rule::EmptyContent => format!("messages.{at}: all messages must have non-empty content"),
        Rule::CallWithoutResult { id } => format!(
            "messages.{at}: `tool_use` ids were found without `tool_result` blocks immediately after: {id}. Each \
             `tool_use` block must have a corresponding `tool_result` block in the next message."
        ),
        Rule::ResultWithoutCall { id } => format!(
            "messages.{at}.content.0: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each `tool_result` \
             block must have a corresponding `tool_use` block in the previous message."
        ),
        Rule::DuplicateCall { .. } => format!("messages.{at}: `tool_use` ids must be unique"),
        Rule::DuplicateResult { id } => {
            format!(
                "messages.{at}: each tool_use must have a single result. Found multiple `tool_result` blocks with id: {id}"
            )
        }
        Rule::UnsignedThinking => format!("messages.{at}.content.0.thinking.signature: Field required"),
        Rule::TooManyCacheMarks { count } => {
            format!("A maximum of 4 blocks with cache_control may be provided. Found {count}.")
        }
        rule => format!("messages.{at}: {rule}"),
    }
}

fn chat(Violation { at, rule }: &Violation) -> String {
    match rule {
        Rule::NotJson { reason } => {
            format!("We could not parse the JSON body of your request: {reason}")
        }
        Rule::NoMessages => "Invalid 'messages': empty array. Expected an array with minimum length 1.".to_owned(),
        Rule::SystemInConversation => "System message must be at the beginning.".to_owned(),
        Rule::CallWithoutResult { id } => format!(
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each \
             'tool_call_id'. The following tool_call_ids did not have response messages: {id}"
        ),
        Rule::ResultWithoutCall { .. } => {
            "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
                .to_owned()
        }
        rule => format!("Invalid 'messages[{at}]': {rule}"),
    }
}

fn responses(Violation { at, rule }: &Violation) -> String {
    match rule {
        Rule::NotJson { reason } => {
            format!("We could not parse the JSON body of your request: {reason}")
        }
        Rule::NoMessages => "Invalid 'input': empty array. Expected an array with minimum length 1.".to_owned(),
        Rule::CallWithoutResult { id } => format!("No tool output found for function call {id}."),
        Rule::ResultWithoutCall { id } => format!("No tool call found for function call output with call_id {id}."),
        Rule::ReasoningAlone => {
            format!("Item 'input[{at}]' of type 'reasoning' was provided without its required following item.")
        }
        Rule::UnsignedThinking => format!(
            "Item 'input[{at}]' not found. Items are not persisted when `store` is set to false. Try again with `store` \
             set to true, or remove this item from your input."
        ),
        rule => format!("Invalid 'input[{at}]': {rule}"),
    }
}
