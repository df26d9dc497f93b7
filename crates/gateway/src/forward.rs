//! On to the provider, and back as it comes: nothing is held back, changed or sent twice.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use axum::http::{HeaderMap, HeaderName, Method, header};
use bytes::Bytes;
use futures_core::Stream;

/// Of an answer so much is kept for the trace; what comes behind it only passes.
const KEPT: usize = 32 << 20;

/// Of a connection and not of what is said over it.
const HOPS: [HeaderName; 10] = [
    header::EXPECT,
    header::CONNECTION,
    header::HOST,
    header::CONTENT_LENGTH,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    header::TE,
    header::TRAILER,
    header::PROXY_AUTHORIZATION,
    header::PROXY_AUTHENTICATE,
];

/// What goes on of a request's headers: all but those of the connection and our own.
pub(crate) fn headers_on(headers: &HeaderMap) -> HeaderMap {
    let passes = |name: &HeaderName| {
        !HOPS.contains(name) && !name.as_str().starts_with("x-lookback-") && name.as_str() != "keep-alive"
    };
    let mut on = HeaderMap::with_capacity(headers.len());
    for (name, value) in headers.iter().filter(|(name, _)| passes(name)) {
        on.append(name.clone(), value.clone());
    }
    on
}

/// What comes back of an answer's headers. Its length stays: the body is passed on as it is.
pub(crate) fn headers_back(headers: &HeaderMap) -> HeaderMap {
    let mut back = headers_on(headers);
    if let Some(length) = headers.get(header::CONTENT_LENGTH) {
        back.insert(header::CONTENT_LENGTH, length.clone());
    }
    back
}

/// One client for all upstreams. It follows nothing, unpacks nothing and adds nothing.
pub(crate) fn client() -> Result<reqwest::Client, reqwest::Error> {
    // Another part of the program may have chosen already. It chose the same one: we build with no other.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .tcp_nodelay(true)
        .connect_timeout(std::time::Duration::from_secs(10))
        .build()
}

/// Where a request goes, and how.
#[derive(Debug)]
pub(crate) struct Way {
    pub(crate) method: Method,
    pub(crate) url: String,
    pub(crate) headers: HeaderMap,
}

impl Way {
    pub(crate) fn request(&self, client: &reqwest::Client, body: Bytes) -> reqwest::RequestBuilder {
        let request = client.request(self.method.clone(), &self.url).headers(self.headers.clone());
        if body.is_empty() { request } else { request.body(body) }
    }
}

/// What was kept of an answer when it was over.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    pub(crate) chunks: Vec<Bytes>,
    /// It came to its end.
    pub(crate) is_whole: bool,
}

/// An answer on its way, of which a copy is kept. Whoever waits for the copy gets it at its end, or when the client is gone.
pub(crate) struct Teed<S, F: FnOnce(Heard)> {
    inner: S,
    heard: Heard,
    kept: usize,
    done: Option<F>,
}

impl<S, F: FnOnce(Heard)> Teed<S, F> {
    pub(crate) fn new(inner: S, done: F) -> Self {
        Self { inner, heard: Heard::default(), kept: 0, done: Some(done) }
    }

    fn finish(&mut self) {
        if let Some(done) = self.done.take() {
            done(std::mem::take(&mut self.heard));
        }
    }
}

impl<S, F, E> Stream for Teed<S, F>
where
    S: Stream<Item = Result<Bytes, E>> + Unpin,
    F: FnOnce(Heard) + Unpin,
{
    type Item = Result<Bytes, E>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let polled = Pin::new(&mut self.inner).poll_next(context);
        match &polled {
            Poll::Ready(Some(Ok(chunk))) if self.kept + chunk.len() <= KEPT => {
                self.kept += chunk.len();
                self.heard.chunks.push(chunk.clone());
            }
            Poll::Ready(Some(Err(_))) => self.finish(),
            Poll::Ready(None) => {
                self.heard.is_whole = true;
                self.finish();
            }
            _ => {}
        }
        polled
    }
}

impl<S, F: FnOnce(Heard)> Drop for Teed<S, F> {
    fn drop(&mut self) {
        self.finish();
    }
}
