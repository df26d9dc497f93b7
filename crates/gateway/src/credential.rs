//! Whose a request is: a keyed hash that tells two credentials apart and gives neither away.
//!
//! A key stays what it is. A token of a login is renewed every hour or so, in mid-conversation, and its owner is the same:
//! of one that says whose it is, that is hashed in its place. The provider checks the token; here it only keeps
//! conversations apart, and whoever would claim another's name must hold that one's whole conversation to meet it.

use axum::http::{HeaderMap, HeaderValue};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use lookback_wire::Body;
use serde_json::Value;

const HEADERS: [&str; 4] = ["authorization", "x-api-key", "api-key", "x-goog-api-key"];
/// One person of ChatGPT's may have several.
const WORKSPACE: &str = "chatgpt-account-id";

pub(crate) fn hashed(headers: &HeaderMap, body: &Body, secret: &[u8; 32]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_keyed(secret);
    for name in HEADERS {
        let Some(value) = headers.get(name) else { continue };
        hasher.update(name.as_bytes());
        match account(value, body) {
            Some(account) => {
                let workspace = headers.get(WORKSPACE).map(HeaderValue::as_bytes).unwrap_or_default();
                hasher.update(b" account ").update(account.as_bytes()).update(b" in ").update(workspace)
            }
            None => hasher.update(value.as_bytes()),
        };
    }
    *hasher.finalize().as_bytes()
}

/// Whose a token is that will be renewed: by its own claims, or by what its client says beside it. None: a key, or a token
/// of nobody that is named.
fn account(value: &HeaderValue, body: &Body) -> Option<String> {
    let token = value.to_str().ok()?.strip_prefix("Bearer ")?;
    if token.starts_with("sk-ant-oat") {
        let user: Value = serde_json::from_str(&body.user_id()?).ok()?;
        return user["account_uuid"].as_str().filter(|account| !account.is_empty()).map(str::to_owned);
    }
    let mut parts = token.split('.');
    let (Some(_), Some(claims), Some(_), None) = (parts.next(), parts.next(), parts.next(), parts.next()) else {
        return None;
    };
    let claims: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims).ok()?).ok()?;
    let subject = claims["sub"].as_str().filter(|subject| !subject.is_empty() && claims["exp"].is_number())?;
    Some(format!("{} {subject}", claims["iss"].as_str().unwrap_or_default()))
}
