//! Errors in the shapes that the APIs give them.

use lookback_wire::Provider;
use serde_json::{Value, json};

/// The body of an error. `kind` is the provider's `type`; Anthropic has no codes.
pub(crate) fn render_error(api: Provider, kind: &str, code: Option<&str>, message: &str) -> Vec<u8> {
    let body = match api {
        Provider::Anthropic => json!({ "type": "error", "error": { "type": kind, "message": message } }),
        Provider::Chat | Provider::Responses | Provider::React => {
            json!({ "error": { "message": message, "type": kind, "param": Value::Null, "code": code } })
        }
    };
    body.to_string().into_bytes()
}

/// llama.cpp's own.
pub(super) fn render_context_size(message: &str, prompt: u64, window: u64) -> Vec<u8> {
    let error = json!({
        "code": 400,
        "message": message,
        "type": "exceed_context_size_error",
        "n_prompt_tokens": prompt,
        "n_ctx": window,
    });
    json!({ "error": error }).to_string().into_bytes()
}
