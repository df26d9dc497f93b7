//! Faults of a script as the provider's own errors: statuses, shapes and words that clients tell apart.

use lookback_engine::card::Card;
use lookback_models::script::Fault;
use lookback_wire::Provider;

use super::Answer;
use crate::refusal::{RefusalKind, Refused, render_error};

/// The answer to a fault that a request meets whatever it says; none for those that break a reply.
pub(super) fn before_the_body(fault: Fault, api: Provider, card: &Card) -> Option<Answer> {
    match fault {
        Fault::Status { status, retry_after } => {
            let (kind, message) = words(api, status);
            let code = (status == 429 && api != Provider::Anthropic).then_some("rate_limit_exceeded");
            let body = render_error(api, kind, code, &message);
            Some(Answer { retry_after, ..Answer::json(status, body) })
        }
        Fault::Overflow => Some(refusal(api, Refused::too_long(api, card, u64::from(card.window) + 1))),
        Fault::RefuseThinking => Some(refusal(api, refused_thinking(api))),
        Fault::Cut { .. } | Fault::Stall { .. } | Fault::WrongJson => None,
    }
}

/// Breaks the last piece, so that it is not JSON any more.
pub(super) fn break_json(answer: &mut Answer) {
    // In a stream the second event: something was understood, then nothing.
    let event = if answer.body.len() > 1 { &mut answer.body[1].0 } else { &mut answer.body[0].0 };
    if let Some(at) = event.iter().rposition(|byte| *byte == b'}') {
        event.remove(at);
    }
}

fn refusal(api: Provider, refused: Refused) -> Answer {
    Answer::json(refused.status, refused.render_error(api))
}

fn words(api: Provider, status: u16) -> (&'static str, String) {
    let (anthropic, openai, message) = match status {
        401 => ("authentication_error", "invalid_request_error", "Incorrect API key provided"),
        403 => ("permission_error", "invalid_request_error", "You are not allowed to use this model"),
        404 => ("not_found_error", "invalid_request_error", "The model does not exist"),
        413 => ("request_too_large", "invalid_request_error", "Request exceeds the maximum size"),
        429 => ("rate_limit_error", "requests", "Rate limit reached, please slow down"),
        500 => ("api_error", "server_error", "Internal server error"),
        529 => ("overloaded_error", "server_error", "Overloaded"),
        503 => ("overloaded_error", "server_error", "The engine is currently overloaded, please try again later"),
        501.. => ("api_error", "server_error", "The server had an error while processing your request"),
        _ => ("invalid_request_error", "invalid_request_error", "The request is invalid"),
    };
    (if api == Provider::Anthropic { anthropic } else { openai }, format!("{message} (as the script says: {status})"))
}

fn refused_thinking(api: Provider) -> Refused {
    let (kind, message) = match api {
        Provider::Anthropic => {
            (RefusalKind::InvalidThinking, "messages.1.content.0: Invalid `signature` in `thinking` block")
        }
        Provider::Responses => (
            RefusalKind::InvalidThinking,
            "The encrypted content could not be verified. Reason: Encrypted content could not be decrypted or parsed.",
        ),
        Provider::Chat | Provider::React => (
            RefusalKind::MissingThinking,
            "The `reasoning_content` in the thinking mode must be passed back to the API.",
        ),
    };
    Refused { status: 400, kind, message: message.to_owned() }
}
