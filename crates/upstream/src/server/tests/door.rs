//! Whoever should not be here, and whoever brings too much or stays too long.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::{Instant, timeout},
};

use super::*;

const SCRIPT: &str = "[[step]]\ntext = \"Done.\"\nrepeat = 100\n";
const SOON: Duration = Duration::from_secs(30);

/// Everything until the server closes.
async fn said(stream: &mut TcpStream) -> String {
    let mut said = Vec::new();
    // A reset instead of an end is an end, too.
    let _ = timeout(SOON, stream.read_to_end(&mut said)).await.expect("it ends");
    String::from_utf8_lossy(&said).into_owned()
}

async fn exchange(running: &Running, head: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(running.address()).await.expect("a connection");
    let request = format!("{head}content-length: {}\r\nconnection: close\r\n\r\n{body}", body.len());
    stream.write_all(request.as_bytes()).await.expect("sent");
    said(&mut stream).await
}

#[tokio::test]
async fn a_foreign_host_and_any_origin_are_turned_away() {
    let running = start(SCRIPT, Chunks::Whole).await;
    let body = asked(Provider::Anthropic, false).to_string();
    let port = running.address().port();
    let of_this = ["127.0.0.1", "localhost", "LOCALHOST", "[::1]", "127.0.0.2"];
    for host in of_this.into_iter().flat_map(|host| [host.to_owned(), format!("{host}:{port}")]) {
        let answer = exchange(&running, &format!("POST /v1/messages HTTP/1.1\r\nhost: {host}\r\n"), &body).await;
        assert!(answer.starts_with("HTTP/1.1 200"), "{host}: {answer}");
    }
    let taken = running.log().len();
    for head in [
        format!("POST /v1/messages HTTP/1.1\r\nhost: rebound.example:{port}\r\n"),
        "POST /v1/messages HTTP/1.1\r\nhost: 10.0.0.7\r\n".to_owned(),
        "POST /v1/messages HTTP/1.1\r\nhost: localhost.example\r\n".to_owned(),
        "POST /v1/messages HTTP/1.1\r\nhost: \u{fc}\r\n".to_owned(),
        "POST /v1/messages HTTP/1.1\r\nhost: localhost\r\nhost: rebound.example\r\n".to_owned(),
        "POST http://rebound.example/v1/messages HTTP/1.1\r\nhost: localhost\r\n".to_owned(),
        "GET /v1/models HTTP/1.1\r\nhost: rebound.example\r\n".to_owned(),
        "POST /v1/messages HTTP/1.1\r\nhost: rebound.example@127.0.0.1\r\n".to_owned(),
        "POST /v1/messages HTTP/1.1\r\nhost: localhost:99999\r\n".to_owned(),
        "POST /v1/messages HTTP/1.1\r\nhost: localhost:http\r\n".to_owned(),
        "POST /v1/messages HTTP/1.1\r\nhost: localhost:\r\n".to_owned(),
        "POST /v1/messages HTTP/1.1\r\nhost: [127.0.0.1]\r\n".to_owned(),
        "POST /v1/messages HTTP/1.1\r\nhost: localhost.\r\n".to_owned(),
        "POST /v1/messages HTTP/1.1\r\nhost:\r\n".to_owned(),
    ] {
        let answer = exchange(&running, &head, &body).await;
        assert!(answer.starts_with("HTTP/1.1 403") || answer.starts_with("HTTP/1.1 400"), "{head}: {answer}");
        assert!(answer.starts_with("HTTP/1.1 400") || answer.contains("send it to 127.0.0.1"), "{head}: {answer}");
    }
    for version in ["1.1", "1.0"] {
        let answer = exchange(&running, &format!("POST /v1/messages HTTP/{version}\r\n"), &body).await;
        assert!(answer.contains(" 400 ") && answer.contains("names no host"), "{answer}");
    }
    for origin in ["https://site.example", "null", "http://localhost:3000", ""] {
        for line in ["POST /v1/messages", "GET /v1/models", "OPTIONS /v1/messages"] {
            let head = format!("{line} HTTP/1.1\r\nhost: localhost\r\norigin: {origin}\r\n");
            let answer = exchange(&running, &head, &body).await;
            assert!(answer.starts_with("HTTP/1.1 403") && answer.contains("comes from a web page"), "{head}: {answer}");
            assert!(!answer.contains("access-control"), "{answer}");
        }
    }
    assert_eq!(running.log().len(), taken, "none of these was answered or billed");
}

/// As large as is let in, and more than any window holds.
fn large(api: Provider) -> Value {
    let mut body = asked(api, false);
    body["messages"] = json!([{ "role": "user", "content": "a word ".repeat(4_000_000) }]);
    body
}

#[tokio::test]
async fn refused_bodies_are_not_kept() {
    let watched = Arc::new(std::sync::Mutex::new(Vec::new()));
    let seen = Arc::clone(&watched);
    let options = UpstreamOptions {
        watcher: Some(Box::new(move |logged| seen.lock().expect("a list").push(logged.body.len()))),
        ..UpstreamOptions::new("fix.toml", Script::parse(SCRIPT).expect("a script"), cards())
    };
    let running = Upstream::start(options).await.expect("it listens");
    let mut wrong = asked(Provider::Anthropic, false);
    wrong["messages"] = json!("x".repeat(1 << 20));
    for body in [large(Provider::Anthropic), wrong, asked(Provider::Anthropic, false)] {
        post(&running, "/v1/messages", &body).await;
    }
    let log = running.log();
    let kept: Vec<(u16, bool)> = log.iter().map(|logged| (logged.status, logged.body.is_empty())).collect();
    assert_eq!(kept, [(400, true), (400, true), (200, false)]);
    let is_brief = |refusal: &Option<String>| refusal.as_ref().is_some_and(|text| text.len() < 10_000);
    assert!(is_brief(&log[0].refusal) && is_brief(&log[1].refusal), "why is remembered, and no more");
    assert!(watched.lock().expect("a list").iter().all(|length| *length > 0), "the watcher saw them whole");
}

#[tokio::test]
async fn what_is_larger_than_any_request_is_not_read() {
    let running = start(SCRIPT, Chunks::Whole).await;
    let mut stream = TcpStream::connect(running.address()).await.expect("a connection");
    let head = "POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-length: 300000000\r\n\r\n";
    stream.write_all(head.as_bytes()).await.expect("sent");
    let answer = said(&mut stream).await;
    assert!(answer.starts_with("HTTP/1.1 413") && answer.contains("request_too_large"), "{answer}");
    // Without a length, as soon as it is too much.
    let mut stream = TcpStream::connect(running.address()).await.expect("a connection");
    let head = "POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n";
    stream.write_all(head.as_bytes()).await.expect("sent");
    let chunk = [format!("{:x}\r\n", 1 << 20).into_bytes(), vec![b' '; 1 << 20], b"\r\n".to_vec()].concat();
    let mut taken = 0;
    while taken < 300 && timeout(SOON, stream.write_all(&chunk)).await.expect("it ends").is_ok() {
        taken += 1;
    }
    assert!(taken < 64, "{taken} MiB were taken");
}

#[tokio::test]
async fn a_body_of_too_many_values_is_not_made_into_a_tree() {
    let running = start(SCRIPT, Chunks::Whole).await;
    let block = json!({ "type": "text", "text": "a, [b" });
    for (blocks, expected) in [(30_000, 200), (40_000, 413)] {
        let mut body = asked(Provider::Anthropic, false);
        body["messages"] = json!([{ "role": "user", "content": vec![&block; blocks] }]);
        let (status, said) = post_json(&running, "/v1/messages", &body).await;
        assert_eq!(status, expected, "{said}");
        assert!(status == 200 || said.to_string().contains("more than 100000 JSON values"), "{said}");
        let (counted, _) = post_json(&running, "/v1/messages/count_tokens", &body).await;
        assert_eq!(counted, expected);
    }
}

/// One thread serves them all: whatever it does for one of them, the others wait for.
#[tokio::test]
async fn a_large_body_delays_nobody_else() {
    let running = Arc::new(start(SCRIPT, Chunks::Whole).await);
    let begun = Instant::now();
    let slow = Arc::clone(&running);
    let slow = tokio::spawn(async move {
        post(&slow, "/v1/messages", &large(Provider::Anthropic)).await;
        begun.elapsed()
    });
    // Others come all the while; the longest of them is what counts.
    let mut longest = Duration::ZERO;
    while !slow.is_finished() {
        let asked_at = Instant::now();
        let (status, _) = post_json(&running, "/v1/messages", &asked(Provider::Anthropic, false)).await;
        assert_eq!(status, 200);
        longest = longest.max(asked_at.elapsed());
    }
    let whole = slow.await.expect("an answer");
    assert!(longest < whole / 2, "somebody else waited {longest:?} of {whole:?}");
}

#[tokio::test]
async fn connections_that_say_nothing_are_ended() {
    let idle = Duration::from_millis(300);
    let script = Script::parse(SCRIPT).expect("a script");
    let options = UpstreamOptions { idle, ..UpstreamOptions::new("fix.toml", script, cards()) };
    let running = Upstream::start(options).await.expect("it listens");
    let body = asked(Provider::Anthropic, false).to_string();
    let whole =
        format!("POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    for sent in ["", "POST /v1/mess", "POST /v1/messages HTTP/1.1\r\nhost: local", &whole] {
        let mut stream = TcpStream::connect(running.address()).await.expect("a connection");
        stream.write_all(sent.as_bytes()).await.expect("sent");
        let answer = said(&mut stream).await;
        assert_eq!(answer.starts_with("HTTP/1.1 200"), sent == whole, "{sent}: {answer}");
    }
}

#[tokio::test]
async fn a_slow_answer_is_no_idle_connection() {
    let script = Script::parse("[[step]]\ntext = \"Done.\"\nfirst_byte_ms = 900\n").expect("a script");
    let idle = Duration::from_millis(300);
    let options = UpstreamOptions { idle, ..UpstreamOptions::new("fix.toml", script, cards()) };
    let running = Upstream::start(options).await.expect("it listens");
    let (status, _) = post_json(&running, "/v1/messages", &asked(Provider::Anthropic, false)).await;
    assert_eq!(status, 200);
}
