//! Servers that fall silent, each time at another place.

use std::time::Duration;

use lookback_models::{Client, Endpoint, ErrorKind, Timeouts};

use crate::{
    PREAMBLE, Told, ask, endpoint, reply_text,
    server::{Move, Server, piece, stream_head},
    tell, text_event,
};

const SHORT: Duration = Duration::from_millis(150);
const LONG: Duration = Duration::from_secs(60);

async fn asked_within(timeouts: Timeouts, server: &Server, base_url: String) -> Told {
    tell(ask(&Client::new(Endpoint { timeouts, base_url, ..endpoint(server) }).unwrap())).await
}

#[tokio::test]
async fn no_first_byte() {
    // Silent from the start, and behind a head that promised more.
    for play in [vec![Move::Stall], vec![stream_head(), Move::Stall]] {
        let server = Server::start([play.clone(), play.clone(), play]).await;
        let timeouts = Timeouts { connect: LONG, first_byte: SHORT, idle: LONG, whole: LONG };
        let told = asked_within(timeouts, &server, server.url()).await;
        let error = told.error.unwrap();
        assert_eq!(error.kind, ErrorKind::TimedOut);
        assert!(error.message.contains("no answer began within 0.15 s"), "{error}");
        assert_eq!(server.seen().len(), 2, "a dead connection is replaced, a slow model is not asked for ever");
    }
}

#[tokio::test]
async fn silence_before_the_first_word() {
    let play = vec![stream_head(), piece(PREAMBLE.as_bytes()), Move::Stall];
    let server = Server::start([play.clone(), play]).await;
    let told =
        asked_within(Timeouts { connect: LONG, first_byte: LONG, idle: SHORT, whole: LONG }, &server, server.url())
            .await;
    let error = told.error.unwrap();
    assert_eq!(error.kind, ErrorKind::TimedOut);
    assert!(error.message.contains("silent for 0.15 s"), "{error}");
    assert_eq!(server.seen().len(), 2);
}

#[tokio::test]
async fn silence_in_the_middle() {
    let server = Server::start([vec![stream_head(), piece(text_event("Half").as_bytes()), Move::Stall]]).await;
    let told =
        asked_within(Timeouts { connect: LONG, first_byte: LONG, idle: SHORT, whole: LONG }, &server, server.url())
            .await;
    let error = told.error.unwrap();
    assert_eq!(error.kind, ErrorKind::CutStream);
    assert!(error.message.contains("silent for 0.15 s"), "{error}");
    assert_eq!(reply_text(&told.reply), "Half");
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn no_connection() {
    // It takes connections, but never greets back.
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("https://{}", silent.local_addr().unwrap());
    let server = Server::start([]).await;
    let timeouts = Timeouts { connect: SHORT, first_byte: LONG, idle: LONG, whole: LONG };
    let error = asked_within(timeouts, &server, base_url).await.error.unwrap();
    assert_eq!(error.kind, ErrorKind::TimedOut);
    assert!(error.message.starts_with("no connection to 127.0.0.1 within 0.15 s"), "{error}");
}
