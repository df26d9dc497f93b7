//! Servers that never end: each meets its bound, and what came before is kept.

use std::time::Duration;

use lookback_models::{Bound, Client, Endpoint, ErrorKind, Request, Timeouts};
use lookback_wire::Provider;

use crate::{
    HELLO, Told, ask, asked, endpoint, reply_text,
    server::{Move, Server, last, piece, stream_head},
    tell, text_event,
};

/// Far beyond every bound: who reads on is found out by the clock of the test.
const FOR_EVER: usize = 1 << 40;
const MIB: usize = 1 << 20;

fn chunk(bytes: &[u8]) -> Vec<u8> {
    match piece(bytes) {
        Move::Send(chunk) => chunk,
        _ => unreachable!("a piece is sent"),
    }
}

/// A stream that begins so and then says the same again and again.
fn endless(beginning: &str, again: &str) -> Vec<Move> {
    let beginning = if beginning.is_empty() { Vec::new() } else { vec![piece(beginning.as_bytes())] };
    let times = (64 << 10) / again.len() + 1;
    let flood = Move::Flood(chunk(again.repeat(times).as_bytes()), FOR_EVER);
    [vec![stream_head()], beginning, vec![flood]].concat()
}

async fn asked_of(api: Provider, play: Vec<Move>) -> (Told, Server) {
    let server = Server::start([play]).await;
    let client = Client::new(Endpoint { api, ..endpoint(&server) }).unwrap();
    let told = tell(client.send(Request { api, body: b"{}".to_vec() })).await;
    tokio::time::timeout(Duration::from_secs(30), server.hung_up()).await.expect("nobody listens any more");
    (told, server)
}

fn check(told: &Told, server: &Server, bound: Bound, says: &str) {
    let error = told.error.clone().unwrap();
    assert_eq!(error.kind, ErrorKind::Beyond(bound), "{error}");
    assert!(error.message.starts_with(says), "{error}");
    assert!(error.message.contains("\nwhat came is kept"), "it says what to do: {error}");
    assert_eq!(server.seen().len(), 1, "whoever does not end once will not end another time");
}

#[tokio::test]
async fn content_without_end() {
    let anthropic = "event: content_block_start\n\
        data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"Half\"}}\n\n";
    for (api, beginning, again) in [
        (Provider::Chat, text_event("Half"), text_event(&"word ".repeat(100))),
        (Provider::React, text_event("Half"), text_event(&"word ".repeat(100))),
        (
            Provider::Anthropic,
            anthropic.to_owned(),
            "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"on and on\"}}\n\n"
                .to_owned(),
        ),
        (
            Provider::Responses,
            "data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"delta\":\"Half\"}\n\n".to_owned(),
            "data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"delta\":\"on and on\"}\n\n".to_owned(),
        ),
    ] {
        let (told, server) = asked_of(api, endless(&beginning, &again)).await;
        check(&told, &server, Bound::AnswerBytes, "127.0.0.1 sent 64 MiB and did not end its answer");
        assert!(reply_text(&told.reply).starts_with("Half"), "{api}: what came is kept");
        assert!(server.written() < 80 * MIB, "{api}: {} bytes were read", server.written());
    }
}

#[tokio::test]
async fn a_whole_body_without_end() {
    let head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n".to_vec();
    let play = vec![Move::Send(head), piece(b"{\"choices\":["), Move::Flood(chunk(&[b' '; 64 << 10]), FOR_EVER)];
    let (told, server) = asked_of(Provider::Chat, play).await;
    check(&told, &server, Bound::AnswerBytes, "127.0.0.1 sent 16 MiB and did not end its answer");
    assert!(server.written() < 32 * MIB, "{} bytes were read", server.written());
}

#[tokio::test]
async fn one_event_without_end() {
    for beginning in ["data: ", "event: ", ": ", ""] {
        let flood = Move::Flood(chunk(&[b'x'; 64 << 10]), FOR_EVER);
        let play =
            vec![stream_head(), piece(text_event("Half").as_bytes()), piece(format!("{beginning}x").as_bytes()), flood];
        let (told, server) = asked_of(Provider::Chat, play).await;
        check(&told, &server, Bound::EventBytes, "127.0.0.1 sent an event of more than 16 MiB");
        assert_eq!(reply_text(&told.reply), "Half");
        assert!(server.written() < 32 * MIB, "{} bytes were read", server.written());
    }
}

#[tokio::test]
async fn values_without_end() {
    let many = format!("[{}0]", "0,".repeat(60_000));
    let event = |body: &str| piece(format!("data: {body}\n\n").as_bytes());
    let unknown = format!("{{\"choices\":[{{\"index\":0,\"delta\":{{\"foo\":{many}}}}}]}}");
    let output = format!(
        "{{\"type\":\"response.completed\",\"response\":{{\"output\":{0}}}}}",
        many.repeat(2).replace("][", ",")
    );
    let head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n".to_vec();
    let body = format!("{{\"status\":\"completed\",\"output\":{}}}", many.repeat(2).replace("][", ","));
    for (api, play, says) in [
        (Provider::Responses, vec![stream_head(), event(&output)], "100000"),
        (Provider::Responses, vec![Move::Send(head), piece(body.as_bytes()), last()], "100000"),
        (Provider::Chat, [vec![stream_head()], vec![event(&unknown); 110]].concat(), "6000000"),
    ] {
        let server = Server::start([play]).await;
        let client = Client::new(Endpoint { api, ..endpoint(&server) }).unwrap();
        let told = tell(client.send(Request { api, body: b"{}".to_vec() })).await;
        check(&told, &server, Bound::Values, &format!("127.0.0.1 sent more than {says} JSON values"));
    }
}

#[tokio::test]
async fn lines_that_say_nothing_without_end() {
    let empty = text_event("");
    for (api, again) in [
        (Provider::Anthropic, "event: ping\ndata: {\"type\":\"ping\"}\n\n"),
        (Provider::Chat, ": PROCESSING\n\n"),
        (Provider::Chat, ":\n"),
        (Provider::Chat, "\n"),
        (Provider::Chat, "id: 7\n"),
        (Provider::Chat, "event: ping\n"),
        (Provider::Chat, "datax: y\n"),
        (Provider::Chat, "data:\n\n"),
        (Provider::Chat, "data: {}\n\n"),
        (Provider::React, empty.as_str()),
        (
            Provider::Responses,
            "data: {\"type\":\"response.in_progress\",\"response\":{\"status\":\"in_progress\"}}\n\n",
        ),
    ] {
        let (told, server) = asked_of(api, endless("", again)).await;
        check(&told, &server, Bound::EmptyLines, "127.0.0.1 sent 200000 lines in a row without anything of an answer");
        assert!(server.written() < 64 * MIB, "{again:?}: {} bytes were read", server.written());
    }
}

/// Pieces in the form of an answer that add nothing to it.
#[tokio::test]
async fn pieces_of_nothing_without_end() {
    let chat = |delta: &str| format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{delta}}}]}}\n\n");
    let data = |json: &str| format!("data: {json}\n\n");
    let block = |kind: &str| {
        data(&format!(
            r#"{{"type":"content_block_start","index":0,"content_block":{{"type":"{kind}","id":"c","name":"Write"}}}}"#
        ))
    };
    let grown = |delta: &str| data(&format!(r#"{{"type":"content_block_delta","index":0,"delta":{delta}}}"#));
    let call = r#"{"tool_calls":[{"index":0,"id":"c","function":{"name":"Write","arguments":""}}]}"#;
    let item = r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","call_id":"c","name":"Write"}}"#;
    let done = r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"message","content":[]}}"#;
    let (chat_api, anthropic, responses) = (Provider::Chat, Provider::Anthropic, Provider::Responses);
    for (api, beginning, again) in [
        (chat_api, chat(call), chat(r#"{"tool_calls":[{"index":0,"function":{"arguments":""}}]}"#)),
        (chat_api, chat(call), chat(call)),
        (chat_api, String::new(), chat(r#"{"content":[{"type":"text","text":""}]}"#)),
        (chat_api, String::new(), chat(r#"{"foo":"bar"}"#)),
        (anthropic, block("tool_use"), grown(r#"{"type":"input_json_delta","partial_json":""}"#)),
        (anthropic, block("thinking"), grown(r#"{"type":"signature_delta","signature":""}"#)),
        (anthropic, block("text"), grown(r#"{"type":"text_delta","text":""}"#)),
        (anthropic, block("text"), grown(r#"{"foo":"bar"}"#)),
        (
            responses,
            data(item),
            data(r#"{"type":"response.function_call_arguments.delta","output_index":0,"delta":""}"#),
        ),
        (responses, String::new(), data(r#"{"type":"response.output_text.delta","output_index":0,"delta":""}"#)),
        (responses, String::new(), data(r#"{"type":"response.unknown.delta","delta":{"foo":"bar"}}"#)),
        (responses, data(done), data(done)),
    ] {
        let (told, server) = asked_of(api, endless(&beginning, &again)).await;
        check(&told, &server, Bound::EmptyLines, "127.0.0.1 sent 200000 lines in a row without anything of an answer");
        assert!(server.written() < 64 * MIB, "{again:?}: {} bytes were read", server.written());
    }
}

#[tokio::test]
async fn arguments_of_a_call_are_content() {
    // A file of 300,000 lines that is written by one call, a line in each event.
    let begin = "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":{\"name\":\"Write\",\"arguments\":\"\"}}]}}]}\n\n";
    let more = "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"x\"}}]}}]}\n\n";
    let end = HELLO.replace("Hel", "");
    let flood = Move::Flood(chunk(more.repeat(1_000).as_bytes()), 300);
    let play = vec![stream_head(), piece(begin.as_bytes()), flood, piece(end.as_bytes()), crate::server::last()];
    let server = Server::start([play]).await;
    assert_eq!(asked(&server).await.error, None);
}

/// Each piece comes in time, and the answer never does.
#[tokio::test]
async fn slow_pieces_without_end() {
    let whole = Duration::from_millis(1_500);
    for (beginning, kept) in [(text_event("Half"), "Half"), (String::new(), "")] {
        let drops = std::iter::repeat_n([piece(b": ping\n\n"), Move::Wait(Duration::from_millis(50))], 1_000).flatten();
        let play = [stream_head(), piece(format!("{beginning}:\n").as_bytes())].into_iter().chain(drops).collect();
        let server = Server::start([play]).await;
        let timeouts = Timeouts { whole, ..Timeouts::default() };
        let told = tell(ask(&Client::new(Endpoint { timeouts, ..endpoint(&server) }).unwrap())).await;
        check(&told, &server, Bound::WholeTime, "127.0.0.1 did not end its answer within 1.5 s");
        assert_eq!(reply_text(&told.reply), kept);
    }
}

#[tokio::test]
async fn tries_and_their_pauses_are_counted_and_the_readers_own_are_not() {
    let busy = || crate::server::json("503 Busy", &["retry-after: 1"], "{}");
    let server = Server::start([busy(), busy(), busy()]).await;
    let timeouts = Timeouts { whole: Duration::from_millis(1_500), ..Timeouts::default() };
    let client = Client::new(Endpoint { timeouts, ..endpoint(&server) }).unwrap();
    let told = tell(ask(&client)).await;
    assert_eq!(told.error.unwrap().kind, ErrorKind::Beyond(Bound::WholeTime));

    let server = Server::start([crate::server::streamed(HELLO, 40)]).await;
    let client = Client::new(Endpoint { timeouts, ..endpoint(&server) }).unwrap();
    let mut answering = ask(&client);
    while answering.next().await.unwrap().is_some() {
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    assert_eq!(reply_text(&answering.into_reply()), "Hello, wörld");
}

/// The answer is whole: what follows is not waited for, however lively it is.
#[tokio::test]
async fn noise_behind_a_whole_answer() {
    for again in [": ping\n\n".to_owned(), text_event("more")] {
        let drops = [piece(again.as_bytes()), Move::Wait(Duration::from_millis(50))];
        let drops = std::iter::repeat_n(drops, 1_000).flatten();
        let play = [stream_head(), piece(HELLO.as_bytes())].into_iter().chain(drops).collect();
        let server = Server::start([play]).await;
        let told = tokio::time::timeout(Duration::from_secs(20), asked(&server)).await.expect("it ends");
        assert_eq!(told.error, None);

        let server = Server::start([endless(HELLO, &again)]).await;
        let told = tokio::time::timeout(Duration::from_secs(60), asked(&server)).await.expect("it ends");
        assert_eq!(told.error, None);
    }
}

/// The answer has said why it ends, and nothing says that it does.
#[tokio::test]
async fn noise_behind_a_reason_to_end() {
    let stopped = HELLO.replace("data: [DONE]\n\n", "");
    assert!(stopped.contains("finish_reason") && stopped != HELLO);
    for again in [": ping\n\n".to_owned(), text_event("")] {
        let server = Server::start([endless(&stopped, &again)]).await;
        let told = tokio::time::timeout(Duration::from_secs(20), asked(&server)).await.expect("it ends");
        assert_eq!(told.error, None);
        assert_eq!(reply_text(&told.reply), "Hello, wörld");
        assert!(server.written() < 8 * MIB, "{again:?}: {} bytes were read", server.written());
    }
    let drops = [piece(b": ping\n\n"), Move::Wait(Duration::from_millis(50))];
    let drops = std::iter::repeat_n(drops, 1_000).flatten();
    let play = [stream_head(), piece(stopped.as_bytes())].into_iter().chain(drops).collect();
    let server = Server::start([play]).await;
    let told = tokio::time::timeout(Duration::from_secs(25), asked(&server)).await.expect("it ends");
    assert_eq!(told.error, None);
}

#[tokio::test]
async fn a_refusal_without_end_is_read_as_far_as_it_helps() {
    let head = b"HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain\r\ntransfer-encoding: chunked\r\n\r\n".to_vec();
    let play = vec![Move::Send(head), Move::Flood(chunk("no such thing ".repeat(100).as_bytes()), FOR_EVER)];
    let (told, server) = asked_of(Provider::Chat, play).await;
    assert_eq!(told.error.unwrap().kind, ErrorKind::BadRequest);
    assert!(server.written() < 16 * MIB, "{} bytes were read", server.written());
}
