//! Who may come in, and how much they may bring. A page in a browser reaches this machine, too, by a name of its own or
//! from a site of its own: it is turned away before anything of its body is read.

use std::{future::poll_fn, net::IpAddr, pin::Pin, time::Duration};

use axum::{
    body::Body,
    http::{HeaderMap, Uri, header, uri::Authority},
};
use bytes::Bytes;
use futures_core::Stream;
use tokio::time::timeout;

/// Anthropic's own limit for a request; nobody's window holds as much text.
const LARGEST_BODY: usize = 32 << 20;
/// On one machine the largest body takes a tenth of a second.
const BODY_WITHIN: Duration = Duration::from_secs(60);

/// Why a request is not let in. Each text says what to do.
#[derive(Debug, thiserror::Error)]
pub(super) enum TurnedAway {
    #[error(
        "this server answers on this machine only, and the request is for another host: send it to 127.0.0.1, [::1] or localhost"
    )]
    ForeignHost,
    #[error(
        "this server answers programs, and the request comes from a web page (it has an Origin): send it without one"
    )]
    Origin,
    #[error("Request exceeds the maximum size of {} MiB: send less", LARGEST_BODY >> 20)]
    TooLarge,
    #[error("the body was not here within {} s: send it at once", BODY_WITHIN.as_secs())]
    TooSlow,
    #[error("the body broke off ({0}): send it again")]
    Broken(String),
}

impl TurnedAway {
    /// Status and the kind of error that clients know.
    pub(super) fn status(&self) -> (u16, &'static str) {
        match self {
            Self::ForeignHost | Self::Origin => (403, "permission_error"),
            Self::TooLarge => (413, "request_too_large"),
            Self::TooSlow => (408, "invalid_request_error"),
            Self::Broken(_) => (400, "invalid_request_error"),
        }
    }
}

pub(super) fn check(uri: &Uri, headers: &HeaderMap) -> Result<(), TurnedAway> {
    if headers.contains_key(header::ORIGIN) {
        return Err(TurnedAway::Origin);
    }
    let named = headers.get_all(header::HOST).iter().map(|host| host.to_str().ok().and_then(|host| host.parse().ok()));
    if named.chain(uri.authority().cloned().map(Some)).all(|host| host.is_some_and(|host| is_this_machine(&host))) {
        Ok(())
    } else {
        Err(TurnedAway::ForeignHost)
    }
}

fn is_this_machine(authority: &Authority) -> bool {
    let host = authority.host().trim_start_matches('[').trim_end_matches(']');
    match host.parse::<IpAddr>() {
        Ok(address) => address.is_loopback(),
        Err(_) => host.eq_ignore_ascii_case("localhost"),
    }
}

pub(super) async fn read_body(headers: &HeaderMap, body: Body) -> Result<Bytes, TurnedAway> {
    let promised = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if promised.is_some_and(|length| length > LARGEST_BODY) {
        return Err(TurnedAway::TooLarge);
    }
    timeout(BODY_WITHIN, read_pieces(body)).await.map_err(|_| TurnedAway::TooSlow)?
}

async fn read_pieces(body: Body) -> Result<Bytes, TurnedAway> {
    let mut pieces = body.into_data_stream();
    let mut whole = Vec::new();
    while let Some(piece) = poll_fn(|context| Pin::new(&mut pieces).poll_next(context)).await {
        let piece = piece.map_err(|error| TurnedAway::Broken(error.to_string()))?;
        if whole.len() + piece.len() > LARGEST_BODY {
            return Err(TurnedAway::TooLarge);
        }
        whole.extend_from_slice(&piece);
    }
    Ok(whole.into())
}
