//! On to the provider, and back as it comes: nothing is held back, changed or sent twice.

use std::{
    collections::VecDeque,
    future::poll_fn,
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

/// What goes on of a request's headers: all but our own, those of the connection, and those that `connection` names.
pub(crate) fn headers_on(headers: &HeaderMap) -> HeaderMap {
    let named: Vec<&str> = listed(headers, header::CONNECTION).collect();
    let passes = |name: &HeaderName| {
        !HOPS.contains(name)
            && !name.as_str().starts_with("x-lookback-")
            && name.as_str() != "keep-alive"
            && !named.iter().any(|named| name.as_str().eq_ignore_ascii_case(named))
    };
    let mut on = HeaderMap::with_capacity(headers.len());
    for (name, value) in headers.iter().filter(|(name, _)| passes(name)) {
        on.append(name.clone(), value.clone());
    }
    on
}

/// What a header lists, set apart by commas.
pub(crate) fn listed(headers: &HeaderMap, name: HeaderName) -> impl Iterator<Item = &str> {
    let values = headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',').map(str::trim))
}

/// What comes back of an answer's headers. Its length stays: the body is passed on as it is.
pub(crate) fn headers_back(headers: &HeaderMap) -> HeaderMap {
    let mut back = headers_on(headers);
    if let Some(length) = headers.get(header::CONTENT_LENGTH) {
        back.insert(header::CONTENT_LENGTH, length.clone());
    }
    back
}

/// For all upstreams. They follow nothing, unpack nothing and add nothing.
#[derive(Debug)]
pub(crate) struct Clients {
    abroad: reqwest::Client,
    /// Past every proxy of the environment: one would get keys in the open, and it is somewhere else.
    here: reqwest::Client,
}

impl Clients {
    pub(crate) fn new() -> Result<Self, reqwest::Error> {
        // Another part of the program may have chosen already. It chose the same one: we build with no other.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = || {
            reqwest::Client::builder()
                .redirect(reqwest::redirect::Policy::none())
                .referer(false)
                .tcp_nodelay(true)
                .connect_timeout(std::time::Duration::from_secs(10))
        };
        Ok(Self { abroad: client().build()?, here: client().no_proxy().build()? })
    }

    fn to(&self, url: &str) -> &reqwest::Client {
        if reqwest::Url::parse(url).is_ok_and(|url| is_here(&url)) { &self.here } else { &self.abroad }
    }
}

/// Whether an address is one of this machine.
pub(crate) fn is_here(url: &reqwest::Url) -> bool {
    url.host_str().is_some_and(|host| {
        let bare = host.trim_matches(['[', ']']);
        host == "localhost" || bare.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
    })
}

/// Where a request goes, and how.
#[derive(Debug)]
pub(crate) struct Way {
    pub(crate) method: Method,
    pub(crate) url: String,
    pub(crate) headers: HeaderMap,
}

impl Way {
    pub(crate) fn request(&self, clients: &Clients, body: Bytes) -> reqwest::RequestBuilder {
        let request = clients.to(&self.url).request(self.method.clone(), &self.url).headers(self.headers.clone());
        if body.is_empty() { request } else { request.body(body) }
    }
}

type Piece = Result<Bytes, reqwest::Error>;

/// An answer's body, of which the beginning may be read already: it goes on all the same, as it came.
pub(crate) struct Pieces {
    read: VecDeque<Piece>,
    /// None: it is over.
    rest: Option<Pin<Box<dyn Stream<Item = Piece> + Send>>>,
}

impl Pieces {
    pub(crate) fn of(response: reqwest::Response) -> Self {
        Self { read: VecDeque::new(), rest: Some(Box::pin(response.bytes_stream())) }
    }

    /// All of it, where it ends within so many bytes.
    pub(crate) async fn whole(&mut self, most: usize) -> Option<Bytes> {
        let mut whole = Vec::new();
        while let Some(rest) = self.rest.as_mut().filter(|_| whole.len() <= most) {
            match poll_fn(|context| rest.as_mut().poll_next(context)).await {
                Some(Ok(piece)) => {
                    whole.extend_from_slice(&piece);
                    self.read.push_back(Ok(piece));
                }
                end => {
                    self.read.extend(end);
                    self.rest = None;
                }
            }
        }
        let is_whole = self.rest.is_none() && self.read.iter().all(Result::is_ok);
        is_whole.then(|| whole.into())
    }
}

impl Stream for Pieces {
    type Item = Piece;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Piece>> {
        match (self.read.pop_front(), &mut self.rest) {
            (None, Some(rest)) => rest.as_mut().poll_next(context),
            (read, _) => Poll::Ready(read),
        }
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
