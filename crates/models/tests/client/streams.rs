//! Good answers, in every API and in pieces of every size, and what is sent to get them.

use lookback_models::{Client, Endpoint, Key, KeyHeader, Request};
use lookback_wire::{Provider, ReplyStop};

use crate::{
    HELLO, KEY, ask, asked, endpoint, reply_text,
    server::{Server, json, streamed},
    tell,
};

#[tokio::test]
async fn a_stream_arrives_whole_however_it_is_cut() {
    for size in [1, 2, 3, 7, 64, 10_000] {
        let server = Server::start([streamed(HELLO, size)]).await;
        let told = asked(&server).await;
        assert_eq!(told.error, None);
        assert_eq!(told.text, "Hello, wörld");
        assert_eq!(reply_text(&told.reply), "Hello, wörld");
        assert_eq!(told.reply.stop, ReplyStop::End);
    }
}

#[tokio::test]
async fn a_whole_body_in_place_of_a_stream_is_read_as_well() {
    let body = r#"{"id":"c1","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}]}"#;
    let server = Server::start([json("200 OK", &[], body)]).await;
    let told = asked(&server).await;
    assert_eq!((told.error, told.text.as_str()), (None, "Hello"));
    assert_eq!(reply_text(&told.reply), "Hello");
}

#[tokio::test]
async fn connections_are_used_again() {
    let server = Server::start([streamed(HELLO, 50), streamed(HELLO, 50)]).await;
    let client = Client::new(endpoint(&server)).unwrap();
    for _ in 0..2 {
        assert_eq!(tell(ask(&client)).await.error, None);
    }
    let connections: Vec<usize> = server.seen().iter().map(|seen| seen.connection).collect();
    assert_eq!(connections, [0, 0]);
}

const ANTHROPIC: &str = "\
event: message_start\n\
data: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"model\":\"claude\",\"usage\":{\"input_tokens\":3,\"output_tokens\":1}}}\n\n\
event: content_block_start\n\
data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n\
event: ping\n\
data: {\"type\":\"ping\"}\n\n\
event: content_block_delta\n\
data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Hello\"}}\n\n\
event: content_block_stop\n\
data: {\"type\":\"content_block_stop\",\"index\":0}\n\n\
event: message_delta\n\
data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":2}}\n\n\
event: message_stop\n\
data: {\"type\":\"message_stop\"}\n\n";

const RESPONSES: &str = "\
data: {\"type\":\"response.created\",\"response\":{\"id\":\"resp_1\",\"status\":\"in_progress\"}}\n\n\
data: {\"type\":\"response.output_item.added\",\"output_index\":0,\"item\":{\"type\":\"message\",\"id\":\"m1\",\"role\":\"assistant\",\"content\":[]}}\n\n\
data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"content_index\":0,\"delta\":\"Hello\"}\n\n\
data: {\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{\"type\":\"message\",\"id\":\"m1\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"Hello\",\"annotations\":[]}]}}\n\n\
data: {\"type\":\"response.completed\",\"response\":{\"id\":\"resp_1\",\"status\":\"completed\",\"output\":[]}}\n\n";

#[tokio::test]
async fn each_api_gets_its_path_its_key_and_its_headers() {
    for (api, key_header, events, first_line, header) in [
        (Provider::Anthropic, KeyHeader::ApiKey, ANTHROPIC, "POST /v1/messages HTTP/1.1", format!("x-api-key: {KEY}")),
        (
            Provider::Anthropic,
            KeyHeader::Bearer,
            ANTHROPIC,
            "POST /v1/messages HTTP/1.1",
            format!("authorization: Bearer {KEY}"),
        ),
        (
            Provider::Responses,
            KeyHeader::Bearer,
            RESPONSES,
            "POST /v1/responses HTTP/1.1",
            format!("authorization: Bearer {KEY}"),
        ),
        (
            Provider::React,
            KeyHeader::Bearer,
            HELLO,
            "POST /v1/chat/completions HTTP/1.1",
            format!("authorization: Bearer {KEY}"),
        ),
    ] {
        let server = Server::start([streamed(events, 11)]).await;
        let client = Client::new(Endpoint {
            api,
            key_header,
            headers: vec![("X-Title".to_owned(), "tests".to_owned())],
            ..endpoint(&server)
        })
        .unwrap();
        let told = tell(client.send(Request { api, body: b"{\"a\": 1 }".to_vec() })).await;
        assert_eq!(told.error, None, "{api}");
        assert!(reply_text(&told.reply).starts_with("Hello"), "{api}: {:?}", told.reply);

        let seen = server.seen().remove(0);
        let lines: Vec<&str> = seen.head.lines().collect();
        assert_eq!(lines[0], first_line);
        assert!(lines.contains(&header.as_str()), "{}", seen.head);
        assert!(lines.contains(&"x-title: tests"), "{}", seen.head);
        assert_eq!(lines.contains(&"anthropic-version: 2023-06-01"), api == Provider::Anthropic, "{}", seen.head);
        assert!(!seen.head.contains("accept-encoding"), "{}", seen.head);
        assert_eq!(seen.body, b"{\"a\": 1 }");
    }
}

#[tokio::test]
async fn a_server_without_keys_gets_none() {
    let server = Server::start([streamed(HELLO, 50)]).await;
    let told = tell(ask(&Client::new(Endpoint { key: None, ..endpoint(&server) }).unwrap())).await;
    assert_eq!(told.error, None);
    assert!(!server.seen()[0].head.contains("authorization"), "{}", server.seen()[0].head);
}

#[tokio::test]
async fn a_request_for_another_api_is_not_sent() {
    let server = Server::start([]).await;
    let client = Client::new(endpoint(&server)).unwrap();
    let told = tell(client.send(Request { api: Provider::Anthropic, body: b"{}".to_vec() })).await;
    assert!(told.error.unwrap().message.contains("written for anthropic"));
    assert!(server.seen().is_empty());
}

#[tokio::test]
async fn a_missing_key_says_so_before_anything_is_sent() {
    let server = Server::start([]).await;
    let key = Some(Key::from_variable("LOOKBACK_TEST_NO_SUCH_KEY"));
    let told = tell(ask(&Client::new(Endpoint { key, ..endpoint(&server) }).unwrap())).await;
    insta::assert_snapshot!(told.error.unwrap(), @r"
    LOOKBACK_TEST_NO_SUCH_KEY is not set; set it, or choose another source for the key in the configuration
    check it with `lookback doctor`
    ");
    assert!(server.seen().is_empty());
}
