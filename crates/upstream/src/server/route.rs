//! Which API a request is for. Only the end of a path counts: people put what they like before it.

use std::sync::{Arc, PoisonError};

use axum::{
    body::{Body, Bytes, to_bytes},
    extract::{Request, State},
    http::{HeaderMap, Method, Response},
};
use lookback_wire::Provider;

use super::{Shared, answer::Answer, models, sending::respond};
use crate::refusal::render_error;

/// More than any window holds.
const LONGEST_BODY: usize = 256 << 20;

pub(super) async fn handle(State(shared): State<Arc<Shared>>, request: Request) -> Response<Body> {
    let (head, body) = request.into_parts();
    let path = head.uri.path().trim_end_matches('/').to_owned();
    let api = spoken_api(&path, &head.headers);
    let answer = match to_bytes(body, LONGEST_BODY).await {
        Ok(body) => route(&shared, &head.method, &path, api, body),
        Err(error) => Answer::json(400, render_error(api, "invalid_request_error", None, &error.to_string())),
    };
    respond(answer, shared.chunks).await
}

fn route(shared: &Shared, method: &Method, path: &str, api: Provider, body: Bytes) -> Answer {
    let is_post = method == Method::POST;
    let mut house = shared.house.lock().unwrap_or_else(PoisonError::into_inner);
    if is_post && path.ends_with("/messages/count_tokens") {
        return house.count(&body);
    }
    let speaks = ["/messages", "/chat/completions", "/responses"].iter().any(|end| path.ends_with(end));
    if is_post && speaks {
        let (answer, logged) = house.answer(api, body, (shared.clock)());
        drop(house);
        shared.remember(logged);
        return answer;
    }
    if method == Method::GET && path.ends_with("/models") {
        return Answer::json(200, models::render_models(&house.models()));
    }
    let message = format!("{method} {path} is not here: POST /v1/messages, /v1/chat/completions or /v1/responses");
    Answer::json(404, render_error(api, "not_found_error", None, &message))
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
