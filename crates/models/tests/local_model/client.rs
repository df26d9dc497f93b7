//! The client against the real server: what the protocol tests saw in raw bytes, as Lookback reads it.

use lookback_models::{Answering, Client, Endpoint, ErrorKind, ModelError, Progress, Request};
use lookback_wire::{Delta, Provider, Reply, ReplyContent, ReplyStop, TokenUsage};
use serde_json::{Value, json};

use crate::server::{Server, server};

#[tokio::test]
async fn a_streamed_answer_comes_piece_by_piece_with_its_usage() {
    let Some(alone) = server() else { return };
    let body = chat("Name three colours and say which one you like best.", 12);
    let (_, first) = whole(send(alone.server, &body)).await.unwrap();
    let (pieces, again) = whole(send(alone.server, &body)).await.unwrap();

    let ReplyContent::Text(text) = &again.parts[0].content else { panic!("{again:?}") };
    assert!(pieces.len() > 1, "{pieces:?}");
    assert_eq!(pieces.concat(), *text);
    assert_eq!(again.stop, ReplyStop::Limit);
    let before = first.usage.unwrap();
    let tokens = before.uncached + before.cached;
    assert_eq!(again.usage, Some(TokenUsage { uncached: 1, cached: tokens - 1, output: 12, ..TokenUsage::default() }));
}

#[tokio::test]
async fn a_prompt_that_is_too_long_is_told_apart_from_other_refusals() {
    let Some(alone) = server() else { return };
    let context = alone.server.context().await;
    let too_long = whole(send(alone.server, &chat(&"word ".repeat(context as usize), 1))).await.unwrap_err();
    let ErrorKind::PromptTooLong { sent: Some(sent), limit: Some(limit) } = too_long.kind else {
        panic!("{too_long:?}")
    };
    assert!(sent >= context && limit == context, "{too_long:?}");
    assert_eq!(too_long.status, Some(400));
    let wrong = whole(send(alone.server, &json!({"stream": true}))).await.unwrap_err();
    assert_eq!((wrong.kind, wrong.status), (ErrorKind::BadRequest, Some(400)), "{wrong}");
}

fn chat(text: &str, max_tokens: u32) -> Value {
    json!({
        "messages": [{"role": "user", "content": text}],
        "max_tokens": max_tokens,
        // llama.cpp's own: the answer goes on to the limit, whatever it says.
        "ignore_eos": true,
        "stream": true,
        "stream_options": {"include_usage": true}
    })
}

fn send(server: &Server, body: &Value) -> Answering {
    let client = Client::new(Endpoint::new(Provider::Chat, &server.url)).unwrap();
    client.send(Request { api: Provider::Chat, body: body.to_string().into_bytes() })
}

async fn whole(mut answering: Answering) -> Result<(Vec<String>, Reply), ModelError> {
    let mut pieces = Vec::new();
    while let Some(progress) = answering.next().await? {
        match progress {
            Progress::Delta(Delta::Text(text)) => pieces.push(text),
            other => panic!("{other:?}"),
        }
    }
    Ok((pieces, answering.into_reply()))
}
