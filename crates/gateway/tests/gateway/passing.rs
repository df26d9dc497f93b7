//! What passes, passes as it is.

use std::io::Write as _;

use lookback_gateway::Mode;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::{
    conversation::Conversation,
    provider::{Answers, Provider},
    started::start,
};

const ODD: &str = "{ \"model\" : \"example-model\",\n  \"max_tokens\": 1e3, \"unknown\": [1.0, 2.50],\t\"messages\":[ {\"role\":\"user\", \"content\":\"h\\u00e9 \\/ \\ud83d\\ude00\"} ] , \"messages_not\":null }";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_reaches_the_provider_byte_for_byte() {
    let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
    let gateway = start(home.path(), &provider, Mode::Observe).await;
    let response =
        gateway.post("/v1/messages?beta=true").header("anthropic-beta", "a,b").body(ODD).send().await.unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["x-request-id"], "r1");
    let got = provider.last();
    assert_eq!(got.body, ODD.as_bytes());
    assert_eq!(got.path, "/v1/messages?beta=true");
    assert_eq!(got.headers["anthropic-beta"], "a,b");
    assert_eq!(got.headers["host"].to_str().unwrap(), provider.url.strip_prefix("http://").unwrap());
    // What nobody here can read is the provider's business.
    for odd in ["", "not json", "{\"messages\":", "[1,2]", "{\"messages\":\"a text\"}"] {
        gateway.post("/v1/messages").body(odd).send().await.unwrap();
        assert_eq!(provider.last().body, odd.as_bytes());
    }
    gateway.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn packed_bodies_pass_as_they_are_and_bombs_do_not() {
    let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
    let gateway = start(home.path(), &provider, Mode::Observe).await;
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(ODD.as_bytes()).unwrap();
    for (coding, packed) in [("gzip", gzip.finish().unwrap()), ("zstd", zstd::encode_all(ODD.as_bytes(), 3).unwrap())] {
        let request = gateway.post("/v1/messages").header("content-encoding", coding).body(packed.clone());
        assert_eq!(request.send().await.unwrap().status(), 200);
        assert_eq!(provider.last().body, packed);
        assert_eq!(provider.last().headers["content-encoding"], coding);
    }
    let bomb = zstd::encode_all(std::io::Read::take(std::io::repeat(b' '), 1 << 30), 1).unwrap();
    let request = gateway.post("/v1/messages").header("content-encoding", "zstd").body(bomb);
    assert_eq!(request.send().await.unwrap().status(), 413);
    // On doubt it is the provider who says what is wrong.
    for coding in ["gzip", "br", "zstd", "deflate"] {
        let request = gateway.post("/v1/messages").header("content-encoding", coding).body(vec![0xff; 400]);
        assert_eq!(request.send().await.unwrap().status(), 200, "{coding}");
        assert_eq!(provider.last().body, vec![0xff; 400]);
    }
    let twice = gateway.post("/v1/messages").header("content-encoding", "gzip").header("content-encoding", "zstd");
    assert_eq!(twice.body(ODD).send().await.unwrap().status(), 200);
    assert_eq!(provider.last().body, ODD.as_bytes());
    assert_eq!(gateway.figure("unrecorded_total").await, 5);
    gateway.stop().await;
}

/// Where blocks stand, what is passed on raw may no longer fit.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_unpacked_goes_past_no_block() {
    let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
    let gateway = start(home.path(), &provider, Mode::Fold).await;
    let broken = || gateway.post("/v1/messages").header("content-encoding", "gzip").body("no gzip").send();
    assert_eq!(broken().await.unwrap().status(), 200, "nothing is folded yet");
    Conversation::new("read everything").steps(&gateway, 16).await;
    gateway.wait_for_folds(1).await;
    assert_eq!(broken().await.unwrap().status(), 400);
    gateway.stop().await;
}

/// Clients' own libraries take the dots out; somebody else's words in a path do not.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_path_that_would_be_another_one_goes_nowhere() {
    let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
    let gateway = start(home.path(), &provider, Mode::Observe).await;
    for (path, answer) in [("/v1/../admin", "400"), ("/u/x/%2e%2e/y", "400"), ("/v1/a%2Fb//c..d", "200")] {
        let mut stream = tokio::net::TcpStream::connect(gateway.running.address()).await.unwrap();
        let head = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut said = String::new();
        stream.read_to_string(&mut said).await.unwrap();
        assert!(said.starts_with(&format!("HTTP/1.1 {answer}")), "{path}: {said}");
    }
    assert_eq!(provider.got().len(), 1);
    assert_eq!(provider.last().path, "/v1/a%2Fb//c..d");
    gateway.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn prefixes_and_headers_of_ours_stay_here() {
    let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
    let gateway = start(home.path(), &provider, Mode::Observe).await;
    let body = Conversation::new("hi").body().to_string();
    let request = gateway.post("/s/shop/v1/messages").header("x-lookback-mode", "fold").body(body.clone());
    assert_eq!(request.send().await.unwrap().status(), 200);
    let got = provider.last();
    assert_eq!(got.path, "/v1/messages");
    assert!(got.headers.keys().all(|name| !name.as_str().starts_with("x-lookback")));
    let wrong = gateway.post("/v1/messages").header("x-lookback-mode", "fald").body(body.clone()).send().await.unwrap();
    assert_eq!(wrong.status(), 400);
    assert!(wrong.text().await.unwrap().contains("observe, fold or off"));
    let nobody = gateway.post("/u/nobody/v1/messages").body(body).send().await.unwrap();
    assert_eq!(nobody.status(), 404);
    assert_eq!(gateway.get("/healthz").send().await.unwrap().status(), 200);
    assert_eq!(gateway.get("/v1/models").send().await.unwrap().status(), 200);
    gateway.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_said_to_the_gateway_alone_stays_here() {
    let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
    let gateway = start(home.path(), &provider, Mode::Observe).await;
    for name in ["websocket", "h2c, WebSocket"] {
        let upgrade = gateway.get("/v1/responses").header("connection", "upgrade").header("upgrade", name);
        assert_eq!(upgrade.send().await.unwrap().status(), 426);
    }
    let request = gateway.get("/v1/models").header("connection", "Upgrade, HTTP2-Settings").header("upgrade", "h2c");
    let request = request.header("connection", "x-hop").header("http2-settings", "AAMAAABk");
    let request = request.header("x-hop", "1").header("x-kept", "2");
    assert_eq!(request.send().await.unwrap().status(), 200);
    let got = provider.last().headers;
    assert_eq!(got["x-kept"], "2");
    for name in ["upgrade", "http2-settings", "x-hop", "connection"] {
        assert!(!got.contains_key(name), "{name} is of one connection");
    }
    gateway.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_is_not_held_back() {
    let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
    let gateway = start(home.path(), &provider, Mode::Observe).await;
    provider.answers(Answers::Slowly);
    let body = json!({"model": "m", "stream": true, "messages": [{"role": "user", "content": "hi"}]});
    let mut response = gateway.post("/v1/messages").body(body.to_string()).send().await.unwrap();
    let first = response.chunk().await.unwrap().expect("a chunk");
    assert!(String::from_utf8_lossy(&first).contains("\"piece\":0"));
    assert!(!String::from_utf8_lossy(&first).contains("\"piece\":4"), "the first piece came before the last was made");
    while response.chunk().await.unwrap().is_some() {}
    gateway.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_of_20_mb_passes() {
    let (home, provider) = (tempfile::tempdir().unwrap(), Provider::start().await);
    let gateway = start(home.path(), &provider, Mode::Observe).await;
    let body = Conversation::new(&"long ".repeat(4 << 20)).body().to_string();
    assert!(body.len() > 20 << 20);
    assert_eq!(gateway.post("/v1/messages").body(body.clone()).send().await.unwrap().status(), 200);
    assert_eq!(provider.last().body, body.as_bytes());
    let huge = vec![b' '; 70 << 20];
    let refused = gateway.post("/v1/messages").body(huge).send().await;
    assert!(refused.is_err() || refused.is_ok_and(|refused| refused.status() == 413));
    gateway.stop().await;
}
