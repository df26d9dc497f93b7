//! The HTTP client against a real server, with every fault that servers and networks have.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod cuts;
mod endless;
mod flow;
mod http2;
mod refusals;
mod retries;
mod server;
mod streams;
mod timeouts;
mod tls;

use std::time::Duration;

use lookback_models::{Answering, Client, Endpoint, Key, ModelError, Progress, Request, Retries};
use lookback_wire::{Delta, Provider, Reply, ReplyContent};

use server::Server;

pub(crate) const KEY: &str = "sk-test-0123456789-abcdefghij-f3a";

pub(crate) const HELLO: &str = "\
data: {\"id\":\"c1\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"Hel\"}}]}\n\n\
data: {\"id\":\"c1\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"lo, wörld\"}}]}\n\n\
data: {\"id\":\"c1\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n\
data: [DONE]\n\n";

/// What a server sends before the model has said anything.
pub(crate) const PREAMBLE: &str =
    "data: {\"id\":\"c1\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\"}}]}\n\n";

pub(crate) fn text_event(text: &str) -> String {
    let event = serde_json::json!({"choices": [{"index": 0, "delta": {"content": text}}]});
    format!("data: {event}\n\n")
}

/// Retries without waiting worth mentioning.
pub(crate) fn endpoint(server: &Server) -> Endpoint {
    Endpoint {
        key: Some(Key::from_file(KEY, "config.toml")),
        retries: Retries { tries: 3, base: Duration::from_millis(2), ..Retries::default() },
        ..Endpoint::new(Provider::Chat, server.url())
    }
}

pub(crate) fn ask(client: &Client) -> Answering {
    client.send(request())
}

pub(crate) fn request() -> Request {
    Request { api: Provider::Chat, body: br#"{"model":"m","stream":true}"#.to_vec() }
}

/// How an answer went, told from its end.
pub(crate) struct Told {
    pub(crate) text: String,
    pub(crate) retries: Vec<(u32, Duration, String)>,
    pub(crate) error: Option<ModelError>,
    pub(crate) reply: Reply,
}

pub(crate) async fn tell(mut answering: Answering) -> Told {
    let (mut text, mut retries) = (String::new(), Vec::new());
    let error = loop {
        match answering.next().await {
            Ok(Some(Progress::Delta(Delta::Text(more)))) => text.push_str(&more),
            Ok(Some(Progress::Delta(_))) => {}
            Ok(Some(Progress::Retrying { attempt, wait, because })) => retries.push((attempt, wait, because)),
            Ok(None) => break None,
            Err(error) => {
                assert_eq!(answering.next().await, Ok(None), "after an error there is nothing more");
                break Some(error);
            }
        }
    };
    if let Some(error) = &error {
        assert!(!error.to_string().contains(KEY), "{error}");
    }
    for (_, _, because) in &retries {
        assert!(!because.contains(KEY), "{because}");
    }
    Told { text, retries, error, reply: answering.into_reply() }
}

/// Asks a server once and tells how it went.
pub(crate) async fn asked(server: &Server) -> Told {
    tell(ask(&Client::new(endpoint(server)).unwrap())).await
}

pub(crate) fn reply_text(reply: &Reply) -> String {
    let texts = reply.parts.iter().filter_map(|part| match &part.content {
        ReplyContent::Text(text) => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}
