//! Which API a request is for. Only the end of a path counts: people put what they like before it.

use std::sync::{Arc, PoisonError};

use axum::{
    body::{Body, Bytes},
    extract::{Request, State},
    http::{HeaderMap, Method, Response, request::Parts},
};
use lookback_wire::Provider;
use tokio::task::spawn_blocking;

use super::{
    Shared,
    answer::Answer,
    asked::Read,
    door::{self, TurnedAway},
    models,
    sending::respond,
};
use crate::{count_o200k, parse_prompt, refusal::render_error};

pub(super) async fn handle(State(shared): State<Arc<Shared>>, request: Request) -> Response<Body> {
    let (head, body) = request.into_parts();
    let path = head.uri.path().trim_end_matches('/').to_owned();
    let api = spoken_api(&path, &head.headers);
    let chunks = shared.chunks;
    let answer = match let_in(&head, body).await {
        // A large body is read beside all others, never in their way.
        Ok(body) => spawn_blocking(move || route(&shared, &head.method, &path, api, body)).await.unwrap_or_else(|_| {
            Answer::json(500, render_error(api, "api_error", None, "reading the request failed: please report this"))
        }),
        Err(reason) => turned_away(api, &reason),
    };
    respond(answer, chunks).await
}

fn turned_away(api: Provider, reason: &TurnedAway) -> Answer {
    let (status, kind) = reason.status();
    Answer::json(status, render_error(api, kind, None, &reason.to_string()))
}

async fn let_in(head: &Parts, body: Body) -> Result<Bytes, TurnedAway> {
    door::check(&head.uri, &head.headers)?;
    door::read_body(&head.headers, body).await
}

fn route(shared: &Shared, method: &Method, path: &str, api: Provider, body: Bytes) -> Answer {
    if let Err(reason) = door::check_values(&body) {
        return turned_away(api, &reason);
    }
    let is_post = method == Method::POST;
    let house = || shared.house.lock().unwrap_or_else(PoisonError::into_inner);
    if is_post && path.ends_with("/messages/count_tokens") {
        return count(&body);
    }
    let speaks = ["/messages", "/chat/completions", "/responses"].iter().any(|end| path.ends_with(end));
    if is_post && speaks {
        let read = Read::new(api, body);
        let (answer, logged) = house().answer(read, (shared.clock)());
        shared.remember(logged);
        return answer;
    }
    if method == Method::GET && path.ends_with("/models") {
        return Answer::json(200, models::render_models(&house().models()));
    }
    let message = format!("{method} {path} is not here: POST /v1/messages, /v1/chat/completions or /v1/responses");
    Answer::json(404, render_error(api, "not_found_error", None, &message))
}

fn count(body: &[u8]) -> Answer {
    match parse_prompt(Provider::Anthropic, body, &count_o200k) {
        Ok(prompt) => Answer::json(200, format!("{{\"input_tokens\":{}}}", prompt.tokens()).into_bytes()),
        Err(error) => {
            let body = render_error(Provider::Anthropic, "invalid_request_error", None, &error.to_string());
            Answer::json(400, body)
        }
    }
}

/// By the path; else by the header that every client of one API sends.
fn spoken_api(path: &str, headers: &HeaderMap) -> Provider {
    if path.ends_with("/responses") {
        Provider::Responses
    } else if path.ends_with("/chat/completions") {
        Provider::Chat
    } else if path.contains("/messages") || headers.contains_key("anthropic-version") {
        Provider::Anthropic
    } else {
        Provider::Chat
    }
}
