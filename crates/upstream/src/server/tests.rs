//! Over real HTTP: what clients of each API get, and what they get when things go wrong.

mod door;
mod faults;
mod spoken;

use std::sync::Arc;

use lookback_engine::card::Cards;
use lookback_models::script::Script;
use lookback_wire::Provider;
use serde_json::{Value, json};

use super::{Chunks, Running, Upstream, UpstreamOptions};

const APIS: [Provider; 3] = [Provider::Anthropic, Provider::Chat, Provider::Responses];

fn cards() -> Cards {
    let mut cards = Cards::default();
    for file in [
        include_str!("../../../../prices/anthropic.toml"),
        include_str!("../../../../prices/openai.toml"),
        include_str!("../../../../prices/deepseek.toml"),
        include_str!("../../../../prices/local.toml"),
    ] {
        cards.add(Cards::parse(file).expect("cards"));
    }
    cards
}

async fn start(script: &str, chunks: Chunks) -> Running {
    let script = Script::parse(script).expect("a script");
    let options = UpstreamOptions {
        chunks,
        clock: Arc::new(|| 1_763_200_000_000),
        ..UpstreamOptions::new("fix.toml", script, cards())
    };
    Upstream::start(options).await.expect("it listens")
}

fn client() -> reqwest::Client {
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().no_proxy().tls_certs_only([]).build().expect("a client")
}

fn path(api: Provider) -> &'static str {
    match api {
        Provider::Anthropic => "/v1/messages",
        Provider::Responses => "/v1/responses",
        Provider::Chat | Provider::React => "/v1/chat/completions",
    }
}

fn model(api: Provider) -> &'static str {
    match api {
        Provider::Anthropic => "claude-sonnet-4-6",
        Provider::Responses => "gpt-5.6",
        Provider::Chat | Provider::React => "deepseek-chat",
    }
}

/// The first request of a conversation.
fn asked(api: Provider, stream: bool) -> Value {
    let list = if api == Provider::Responses { "input" } else { "messages" };
    let mut body = json!({ "model": model(api), "stream": stream, list: [{ "role": "user", "content": "fix it" }] });
    match api {
        Provider::Anthropic => body["max_tokens"] = json!(1_000),
        Provider::Responses => body["include"] = json!(["reasoning.encrypted_content"]),
        Provider::Chat | Provider::React => body["stream_options"] = json!({ "include_usage": true }),
    }
    body
}

async fn post(running: &Running, path: &str, body: &Value) -> reqwest::Response {
    let request = client().post(format!("{}{path}", running.url())).body(body.to_string());
    request.send().await.expect("an answer")
}

async fn post_json(running: &Running, path: &str, body: &Value) -> (u16, Value) {
    let response = post(running, path, body).await;
    let status = response.status().as_u16();
    let body = response.bytes().await.expect("a body");
    (status, serde_json::from_slice(&body).expect("JSON"))
}
