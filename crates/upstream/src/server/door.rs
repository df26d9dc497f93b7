//! Who may come in, and how much they may bring. A page in a browser reaches this machine, too, by a name of its own or
//! from a site of its own: it is turned away before anything of its body is read.

use std::{
    future::poll_fn,
    net::{Ipv4Addr, Ipv6Addr},
    pin::Pin,
    time::Duration,
};

use axum::{
    body::Body,
    http::{HeaderMap, Uri, header, uri::Authority},
};
use bytes::Bytes;
use futures_core::Stream;
use lookback_wire::count_values;
use tokio::time::timeout;

/// Anthropic's own limit for a request; nobody's window holds as much text.
const LARGEST_BODY: usize = 32 << 20;
/// Some 700 bytes each at worst, when they are read. Requests of long sessions have some ten thousand.
const MOST_VALUES: usize = 100_000;
/// On one machine the largest body takes a tenth of a second.
const BODY_WITHIN: Duration = Duration::from_secs(60);

/// Why a request is not let in. Each text says what to do.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the text of each says what it is")]
pub enum TurnedAway {
    #[error(
        "this server answers on this machine only, and the request is for another host: send it to 127.0.0.1, [::1] or localhost"
    )]
    ForeignHost,
    #[error(
        "this server answers programs, and the request comes from a web page (it has an Origin): send it without one"
    )]
    Origin,
    #[error("the request names no host: send it to 127.0.0.1, [::1] or localhost, and say so in its Host")]
    NoHost,
    #[error("Request exceeds the maximum size of {} MiB: send less", LARGEST_BODY >> 20)]
    TooLarge,
    #[error("Request has more than {MOST_VALUES} JSON values: send less")]
    TooManyValues,
    #[error("the body was not here within {} s: send it at once", BODY_WITHIN.as_secs())]
    TooSlow,
    #[error("the body broke off ({0}): send it again")]
    Broken(String),
}

impl TurnedAway {
    /// Status and the kind of error that clients know.
    pub fn status(&self) -> (u16, &'static str) {
        match self {
            Self::ForeignHost | Self::Origin => (403, "permission_error"),
            Self::TooLarge | Self::TooManyValues => (413, "request_too_large"),
            Self::TooSlow => (408, "invalid_request_error"),
            Self::NoHost | Self::Broken(_) => (400, "invalid_request_error"),
        }
    }
}

/// Whether a request may come in, by its head alone.
pub fn check(uri: &Uri, headers: &HeaderMap) -> Result<(), TurnedAway> {
    if headers.contains_key(header::ORIGIN) {
        return Err(TurnedAway::Origin);
    }
    if !headers.contains_key(header::HOST) && uri.authority().is_none() {
        return Err(TurnedAway::NoHost);
    }
    let named = headers.get_all(header::HOST).iter().map(|host| host.to_str().ok().and_then(|host| host.parse().ok()));
    if named.chain(uri.authority().cloned().map(Some)).all(|host| host.is_some_and(|host| is_this_machine(&host))) {
        Ok(())
    } else {
        Err(TurnedAway::ForeignHost)
    }
}

/// A host and perhaps a port, and nothing that only looks like them.
fn is_this_machine(authority: &Authority) -> bool {
    let host = authority.host();
    let is_whole = match authority.as_str().strip_prefix(host) {
        Some("") => true,
        Some(rest) => rest.strip_prefix(':').is_some_and(|port| port.parse::<u16>().is_ok()),
        None => false,
    };
    let of_six = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')?.parse::<Ipv6Addr>().ok());
    is_whole
        && (of_six.is_some_and(|address| address.is_loopback())
            || host.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback())
            || host.eq_ignore_ascii_case("localhost"))
}

/// Counted before anything is made of them.
pub(super) fn check_values(body: &[u8]) -> Result<(), TurnedAway> {
    if count_values(body) > MOST_VALUES { Err(TurnedAway::TooManyValues) } else { Ok(()) }
}

/// All of a body, within bounds.
pub async fn read_body(headers: &HeaderMap, body: Body) -> Result<Bytes, TurnedAway> {
    // What was promised and never comes is never touched, so it takes no memory.
    read_body_into(headers, body, Vec::with_capacity).await.map(Bytes::from)
}

/// The same in memory that is brought for as many bytes as are promised.
pub async fn read_body_into(
    headers: &HeaderMap,
    body: Body,
    memory: impl FnOnce(usize) -> Vec<u8>,
) -> Result<Vec<u8>, TurnedAway> {
    let promised = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if promised.is_some_and(|length| length > LARGEST_BODY) {
        return Err(TurnedAway::TooLarge);
    }
    let whole = memory(promised.unwrap_or_default());
    timeout(BODY_WITHIN, read_pieces(body, whole)).await.map_err(|_| TurnedAway::TooSlow)?
}

async fn read_pieces(body: Body, mut whole: Vec<u8>) -> Result<Vec<u8>, TurnedAway> {
    let mut pieces = body.into_data_stream();
    while let Some(piece) = poll_fn(|context| Pin::new(&mut pieces).poll_next(context)).await {
        let piece = piece.map_err(|error| TurnedAway::Broken(error.to_string()))?;
        if whole.len() + piece.len() > LARGEST_BODY {
            return Err(TurnedAway::TooLarge);
        }
        whole.extend_from_slice(&piece);
    }
    Ok(whole)
}
