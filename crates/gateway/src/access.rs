//! Who means this gateway, and who may ask for what it keeps for itself. Who may come in at all is the door's, which it
//! shares with [`lookback_upstream`].

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use axum::http::{HeaderMap, Uri, header, uri::Authority};

use crate::refusal::Refusal;

/// The door lets in whoever names this machine. Who names another port or address of it means another server.
pub(crate) fn check_host(uri: &Uri, headers: &HeaderMap, listens: SocketAddr) -> Result<(), Refusal> {
    let said = headers.get_all(header::HOST).iter().map(|host| host.to_str().ok()?.parse().ok());
    let mut named = said.chain(uri.authority().cloned().map(Some));
    if named.all(|host| host.is_some_and(|host| is_ours(&host, listens))) {
        return Ok(());
    }
    let how = format!("the request is for another host or port: send it to {listens} or localhost:{}", listens.port());
    Err(Refusal::new(403, "permission_error", how))
}

fn is_ours(authority: &Authority, listens: SocketAddr) -> bool {
    let host = authority.host();
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
    let is_known = host.eq_ignore_ascii_case("localhost")
        || address.is_ok_and(|it| it == listens.ip() || it == Ipv4Addr::LOCALHOST || it == Ipv6Addr::LOCALHOST);
    is_known && authority.port_u16().is_none_or(|port| port == listens.port())
}

/// Whether a request has the token: in `authorization: Bearer`, compared in constant time.
pub(crate) fn has_token(headers: &HeaderMap, token: &str) -> bool {
    let given = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()?.split_once(' '));
    let given = given.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    // Hashes of both: how much of a wrong one was right cannot be told from the time that it takes.
    given.is_some_and(|(_, given)| blake3::hash(given.trim().as_bytes()) == blake3::hash(token.as_bytes()))
}
