//! A server that plays what it is told to, byte by byte, over plain TCP or TLS.

use std::{
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::TcpListener,
    sync::Notify,
};
use tokio_rustls::TlsAcceptor;

/// One step of an answer.
#[derive(Clone)]
pub(crate) enum Move {
    Send(Vec<u8>),
    /// The same bytes many times; `Server::written` counts them.
    Flood(Vec<u8>, usize),
    Wait(Duration),
    /// Says nothing more until the client hangs up.
    Stall,
    Close,
}

/// One request as it came in.
#[derive(Clone)]
pub(crate) struct Seen {
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
    pub(crate) connection: usize,
}

pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    state: Arc<State>,
}

struct State {
    plays: Mutex<Vec<Vec<Move>>>,
    seen: Mutex<Vec<Seen>>,
    written: AtomicUsize,
    hung_up: Notify,
}

impl Server {
    /// Each request is answered by the next play.
    pub(crate) async fn start(plays: impl IntoIterator<Item = Vec<Move>>) -> Self {
        Self::start_with(plays, None).await
    }

    pub(crate) async fn start_with(plays: impl IntoIterator<Item = Vec<Move>>, tls: Option<TlsAcceptor>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut plays: Vec<_> = plays.into_iter().collect();
        plays.reverse();
        let state = Arc::new(State {
            plays: Mutex::new(plays),
            seen: Mutex::default(),
            written: AtomicUsize::new(0),
            hung_up: Notify::new(),
        });
        let shared = state.clone();
        tokio::spawn(async move {
            for connection in 0.. {
                let Ok((stream, _)) = listener.accept().await else { return };
                let (state, tls) = (shared.clone(), tls.clone());
                tokio::spawn(async move {
                    match tls {
                        None => serve(stream, connection, &state).await,
                        Some(tls) => {
                            if let Ok(stream) = tls.accept(stream).await {
                                serve(stream, connection, &state).await;
                            }
                        }
                    }
                });
            }
        });
        Self { address, state }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.state.seen.lock().unwrap().clone()
    }

    pub(crate) fn written(&self) -> usize {
        self.state.written.load(Ordering::SeqCst)
    }

    /// Until a client hangs up on a stalled or flooding answer.
    pub(crate) async fn hung_up(&self) {
        self.state.hung_up.notified().await;
    }
}

async fn serve<S: AsyncRead + AsyncWrite + Unpin>(mut stream: S, connection: usize, state: &State) {
    while let Some((head, body)) = read_request(&mut stream).await {
        state.seen.lock().unwrap().push(Seen { head, body, connection });
        let play = state.plays.lock().unwrap().pop().unwrap_or_else(|| vec![Move::Close]);
        for step in play {
            match step {
                Move::Send(bytes) => {
                    if stream.write_all(&bytes).await.is_err() {
                        return state.hung_up.notify_one();
                    }
                }
                Move::Flood(bytes, times) => {
                    for _ in 0..times {
                        if stream.write_all(&bytes).await.is_err() {
                            return state.hung_up.notify_one();
                        }
                        state.written.fetch_add(bytes.len(), Ordering::SeqCst);
                    }
                }
                Move::Wait(time) => tokio::time::sleep(time).await,
                Move::Stall => {
                    while matches!(stream.read(&mut [0; 64]).await, Ok(1..)) {}
                    return state.hung_up.notify_one();
                }
                Move::Close => {
                    let _ = stream.shutdown().await;
                    return;
                }
            }
        }
        let _ = stream.flush().await;
    }
}

/// None: the client hung up.
pub(crate) async fn read_request<S: AsyncRead + Unpin>(stream: &mut S) -> Option<(String, Vec<u8>)> {
    let head = read_head(stream).await?;
    let length = head
        .lines()
        .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length:").map(|n| n.trim().parse::<usize>()));
    let mut body = vec![0; length.map_or(0, Result::unwrap)];
    stream.read_exact(&mut body).await.ok()?;
    Some((head, body))
}

pub(crate) async fn read_head<S: AsyncRead + Unpin>(stream: &mut S) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    Some(String::from_utf8(head).unwrap())
}

/// An answer of known length.
pub(crate) fn whole(status: &str, headers: &[&str], body: &str) -> Vec<Move> {
    let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
    vec![Move::Send(format!("HTTP/1.1 {status}\r\n{headers}content-length: {}\r\n\r\n{body}", body.len()).into_bytes())]
}

pub(crate) fn json(status: &str, headers: &[&str], body: &str) -> Vec<Move> {
    whole(status, &[&["content-type: application/json"], headers].concat(), body)
}

/// The head of a stream whose pieces follow.
pub(crate) fn stream_head() -> Move {
    Move::Send(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n".to_vec())
}

pub(crate) fn piece(bytes: &[u8]) -> Move {
    let mut chunk = format!("{:x}\r\n", bytes.len()).into_bytes();
    chunk.extend_from_slice(bytes);
    chunk.extend_from_slice(b"\r\n");
    Move::Send(chunk)
}

pub(crate) fn last() -> Move {
    Move::Send(b"0\r\n\r\n".to_vec())
}

/// A whole stream in pieces of `size` bytes.
pub(crate) fn streamed(events: &str, size: usize) -> Vec<Move> {
    let pieces = events.as_bytes().chunks(size).map(piece);
    [stream_head()].into_iter().chain(pieces).chain([last()]).collect()
}
