//! From an answer to the bytes of a response, at its pace: some come to an end, some break, some stop coming.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use axum::{
    body::Body,
    http::{HeaderValue, Response, StatusCode, header},
};
use bytes::Bytes;
use futures_core::Stream;
use tokio::{sync::mpsc, time::sleep};

use super::{
    answer::{Answer, Close},
    chunks::{Chunks, Cutter},
};
use crate::reply::EventKind;

pub(super) async fn respond(answer: Answer, chunks: Chunks) -> Response<Body> {
    sleep(answer.first_byte).await;
    let status = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let (content_type, retry_after) = (answer.content_type, answer.retry_after);
    let (sender, receiver) = mpsc::channel(1);
    tokio::spawn(send(answer, chunks, sender));
    let mut response = Response::new(Body::from_stream(Coming(receiver)));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    if let Some(seconds) = retry_after {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

type Sender = mpsc::Sender<Result<Bytes, io::Error>>;

/// Ends early when nobody listens any more.
async fn send(answer: Answer, chunks: Chunks, sender: Sender) {
    let mut cutter = Cutter::new(chunks);
    let mut is_first = true;
    for (bytes, kind) in answer.body {
        if kind == EventKind::Piece && !std::mem::take(&mut is_first) && answer.piece > Duration::ZERO {
            sleep(answer.piece).await;
        }
        for chunk in cutter.cut(bytes) {
            if sender.send(Ok(chunk)).await.is_err() {
                return;
            }
        }
    }
    let rest = cutter.flush();
    if !rest.is_empty() && sender.send(Ok(rest)).await.is_err() {
        return;
    }
    match answer.close {
        Close::Properly => {}
        Close::Abruptly => {
            let _ = sender.send(Err(io::Error::other("the script cuts the stream here"))).await;
        }
        Close::Never => sender.closed().await,
    }
}

struct Coming(mpsc::Receiver<Result<Bytes, io::Error>>);

impl Stream for Coming {
    type Item = Result<Bytes, io::Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(context)
    }
}
