//! Who may ask for what the gateway keeps for itself. Who may come in at all is the door's, which it shares with
//! [`lookback_upstream`].

use axum::http::{HeaderMap, header};

/// Whether a request has the token: in `authorization: Bearer`, compared in constant time.
pub(crate) fn has_token(headers: &HeaderMap, token: &str) -> bool {
    let given = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
    // Hashes of both: how much of a wrong one was right cannot be told from the time that it takes.
    given.is_some_and(|given| blake3::hash(given.trim().as_bytes()) == blake3::hash(token.as_bytes()))
}
