//! The gateway's own errors, in the form that each provider gives its own.

use axum::{
    body::Body,
    http::{Response, StatusCode, header},
};
use lookback_wire::Provider;
use serde_json::json;

/// An answer of ours in the place of a provider's.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    pub(crate) kind: &'static str,
    pub(crate) message: String,
}

impl Refusal {
    pub(crate) fn new(status: u16, kind: &'static str, message: impl Into<String>) -> Self {
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        Self { status, kind, message: message.into() }
    }

    pub(crate) fn into_response(self, api: Option<Provider>) -> Response<Body> {
        let message = format!("lookback gateway: {}", self.message);
        let body = match api {
            Some(Provider::Anthropic) => json!({"type": "error", "error": {"type": self.kind, "message": message}}),
            _ => json!({"error": {"message": message, "type": self.kind, "param": null, "code": null}}),
        };
        let mut response = Response::new(Body::from(body.to_string()));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, header::HeaderValue::from_static("application/json"));
        if self.status == StatusCode::SERVICE_UNAVAILABLE {
            headers.insert(header::RETRY_AFTER, header::HeaderValue::from_static("1"));
        }
        response
    }
}
