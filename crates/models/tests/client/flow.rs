//! Who sets the pace: nothing is read ahead of whoever asks, and hanging up is noticed at the other end.

use std::time::Duration;

use lookback_models::{Client, Progress};
use lookback_wire::Delta;
use tokio::time::{sleep, timeout};

use crate::{
    HELLO, ask, endpoint,
    server::{Move, Server, last, piece, stream_head, streamed},
    tell, text_event,
};

/// Much more than all buffers on the way hold together.
const PIECES: usize = 1_000;
const LETTERS: usize = 64 << 10;

#[tokio::test]
async fn a_slow_reader_slows_the_server_down() {
    let Move::Send(chunk) = piece(text_event(&"x".repeat(LETTERS)).as_bytes()) else { unreachable!() };
    let total = chunk.len() * PIECES;
    let end = piece(HELLO.split_once("\n\n").unwrap().1.as_bytes());
    let server = Server::start([vec![stream_head(), Move::Flood(chunk, PIECES), end, last()]]).await;
    let mut answering = ask(&Client::new(endpoint(&server)).unwrap());
    assert!(matches!(answering.next().await, Ok(Some(Progress::Delta(Delta::Text(_))))));

    // Nobody reads now. The server writes until everything in between is full.
    let mut before = usize::MAX;
    while before != server.written() {
        before = server.written();
        sleep(Duration::from_millis(300)).await;
    }
    assert!(server.written() < total / 2, "{} of {total} bytes were taken with nobody reading", server.written());

    let told = tell(answering).await;
    assert_eq!(told.error, None);
    assert_eq!(told.text.len(), LETTERS * (PIECES - 1) + "lo, wörld".len());
}

#[tokio::test]
async fn dropping_an_answer_hangs_up() {
    let server = Server::start([vec![stream_head(), piece(text_event("Half").as_bytes()), Move::Stall]]).await;
    let mut answering = ask(&Client::new(endpoint(&server)).unwrap());
    assert_eq!(answering.next().await, Ok(Some(Progress::Delta(Delta::Text("Half".to_owned())))));
    drop(answering);
    server.hung_up().await;
}

#[tokio::test]
async fn dropping_it_before_the_first_byte_hangs_up_as_well() {
    let server = Server::start([vec![Move::Stall]]).await;
    let mut answering = ask(&Client::new(endpoint(&server)).unwrap());
    while server.seen().is_empty() {
        assert!(timeout(Duration::from_millis(5), answering.next()).await.is_err());
    }
    drop(answering);
    server.hung_up().await;
}

/// As in a `select!` that looks for something else to do now and then.
#[tokio::test]
async fn a_wait_that_is_dropped_loses_nothing_and_sends_nothing_twice() {
    let failed = vec![Move::Send(b"HTTP/1.1 500 Oh\r\nretry-after-ms: 30\r\ncontent-length: 0\r\n\r\n".to_vec())];
    let server = Server::start([failed, streamed(HELLO, 1)]).await;
    let mut answering = ask(&Client::new(endpoint(&server)).unwrap());
    let mut text = String::new();
    loop {
        match timeout(Duration::from_micros(50), answering.next()).await {
            Err(_) | Ok(Ok(Some(Progress::Retrying { .. }))) => {}
            Ok(Ok(Some(Progress::Delta(Delta::Text(more))))) => text.push_str(&more),
            Ok(Ok(None)) => break,
            Ok(other) => panic!("{other:?}"),
        }
    }
    assert_eq!(text, "Hello, wörld");
    assert_eq!(server.seen().len(), 2);
}
