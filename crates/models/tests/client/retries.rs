//! What is sent again, how often, and what is not.

use std::time::Duration;

use lookback_models::{Client, Endpoint, ErrorKind};
use tokio::net::TcpListener;

use crate::{
    HELLO, PREAMBLE, ask, asked, endpoint,
    server::{Move, Server, json, piece, stream_head, streamed, whole},
    tell,
};

const OVERLOADED: &str = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;

#[tokio::test]
async fn what_may_pass_is_sent_again_and_said() {
    let stream_error = "data: {\"error\":{\"code\":502,\"message\":\"Provider returned error\"}}\n\n";
    for (play, because) in [
        (json("429 Too Many Requests", &["retry-after-ms: 3"], "{}"), "the provider says it was asked too much (429)"),
        (json("529 Overloaded", &[], OVERLOADED), "the provider is overloaded (529): Overloaded"),
        (whole("500 Internal Server Error", &[], ""), "the provider failed (500)"),
        (
            whole("502 Bad Gateway", &["content-type: text/html"], "<html><title>Bad</title>"),
            "the provider failed (502): Bad",
        ),
        (json("408 Request Timeout", &[], "{}"), "the provider took too long by its own measure (408)"),
        // Cut before the model said anything: in the middle of an event, at the end of one, before the head.
        (vec![stream_head(), piece(PREAMBLE.as_bytes()), piece(b"data: {\"cho"), Move::Close], "the answer broke off"),
        (streamed(PREAMBLE, 20), "the answer broke off: the server closed the connection"),
        (vec![Move::Close], "the connection to 127.0.0.1 broke before an answer came"),
        (streamed(stream_error, 20), "the provider failed (502): Provider returned error"),
    ] {
        let server = Server::start([play.clone(), play, streamed(HELLO, 30)]).await;
        let told = asked(&server).await;
        assert_eq!((told.error, told.text.as_str()), (None, "Hello, wörld"), "{because}");
        let attempts: Vec<u32> = told.retries.iter().map(|(attempt, ..)| *attempt).collect();
        assert_eq!(attempts, [2, 3], "{because}");
        for (_, _, said) in told.retries {
            assert!(said.starts_with(because), "{said}");
        }
        let bodies: Vec<Vec<u8>> = server.seen().into_iter().map(|seen| seen.body).collect();
        assert_eq!(bodies, vec![bodies[0].clone(); 3], "each time the same");
    }
}

#[tokio::test]
async fn the_last_failure_is_told() {
    let server = Server::start(vec![json("529 Overloaded", &[], OVERLOADED); 5]).await;
    let told = asked(&server).await;
    let error = told.error.unwrap();
    assert_eq!((error.kind, error.status), (ErrorKind::Overloaded, Some(529)));
    assert_eq!(server.seen().len(), 3);
}

#[tokio::test]
async fn a_demanded_pause_is_kept() {
    let server = Server::start([json("429 Too Many Requests", &["retry-after: 1"], "{}"), streamed(HELLO, 30)]).await;
    let told = asked(&server).await;
    assert_eq!(told.error, None);
    assert!(told.retries[0].1 >= Duration::from_secs(1), "{:?}", told.retries);
}

#[tokio::test]
async fn what_cannot_pass_is_sent_once() {
    let quota = r#"{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}"#;
    for (play, kind) in [
        (json("429 Too Many Requests", &[], quota), ErrorKind::RateLimited { retry_after: None }),
        (json("500 Internal Server Error", &["x-should-retry: false"], "{}"), ErrorKind::ServerError),
        (
            json("429 Too Many Requests", &["retry-after: 3600"], "{}"),
            ErrorKind::RateLimited { retry_after: Some(Duration::from_secs(3600)) },
        ),
        (json("401 Unauthorized", &[], "{}"), ErrorKind::BadKey),
    ] {
        let server = Server::start([play, streamed(HELLO, 30)]).await;
        let told = asked(&server).await;
        let error = told.error.unwrap();
        assert_eq!(error.kind, kind, "{error}");
        assert_eq!(server.seen().len(), 1, "{error}");
        let says_when = error.message.contains("it can be asked again") && error.message.contains("in 60 minutes");
        assert_eq!(says_when, error.kind == ErrorKind::RateLimited { retry_after: Some(Duration::from_secs(3600)) });
        assert_eq!(told.retries, []);
    }
}

#[tokio::test]
async fn nobody_listening_is_told_after_the_tries() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let base_url = format!("http://{address}");
    drop(listener);
    let server = Server::start([]).await;
    let told = tell(ask(&Client::new(Endpoint { base_url, ..endpoint(&server) }).unwrap())).await;
    let error = told.error.unwrap();
    assert_eq!(error.kind, ErrorKind::Unreachable);
    assert!(error.message.starts_with(&format!("nobody listens at {address}\nstart the server")), "{error}");
    assert_eq!(told.retries.len(), 2);
}
