//! Events for the store's tests.
#![allow(dead_code, reason = "each test file uses some of these")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use lookback_engine::trace::{Event, EventBody, EventNo, Output, ResultData, SessionId, Timestamp, ToolResult, TurnNo};
use lookback_store::Store;
use serde_json::json;

pub(crate) fn home() -> (tempfile::TempDir, Store) {
    let home = tempfile::tempdir().unwrap();
    let store = Store::open(home.path()).unwrap();
    (home, store)
}

pub(crate) fn id(text: &str) -> SessionId {
    SessionId(text.to_owned())
}

pub(crate) fn event(seq: u64, event: EventBody) -> Event {
    Event { seq: EventNo(seq), at: Timestamp(1_763_200_000_000 + seq as i64), event }
}

/// By their JSON: what else they may hold is not the store's business.
fn said(seq: u64, body: serde_json::Value) -> Event {
    event(seq, serde_json::from_value(body).unwrap())
}

pub(crate) fn start(session: &str) -> Event {
    let nothing = json!({"text": "", "tokens": 0});
    let start = json!({
        "session": session, "schema": 2, "renderer": 1, "system": nothing, "tools": [], "tools_tokens": 0,
        "rules": nothing, "provider": "anthropic", "model": "a-model", "window": 200_000, "output_reserve": 32_000,
        "layout": "chat", "tokenizer": "o200k", "root": "/project",
    });
    said(0, json!({ "session_started": start }))
}

pub(crate) fn user(seq: u64, text: &str) -> Event {
    said(seq, json!({"user_turn": {"turn": seq, "text": text, "tokens": 1, "origin": "person"}}))
}

pub(crate) fn call(seq: u64, name: &str, arguments: &str) -> Event {
    let call = json!({"call": {"id": "call", "name": name, "arguments": arguments, "tokens": 1}});
    said(seq, json!({"assistant_turn": {"turn": seq, "call": 1, "parts": [call], "stop": "end"}}))
}

pub(crate) fn result(seq: u64, text: impl Into<Output>) -> Event {
    let result = Box::new(ToolResult::success(text, ResultData::Other(serde_json::Value::Null)));
    event(seq, EventBody::ToolResult { turn: TurnNo(seq as u32), index: 0, result })
}

/// Text that compresses badly, the same for the same seed.
pub(crate) fn noise(length: usize, seed: u64) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut letter = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char::from(b"abcdefghijklmnop qrstuvwxyz\n01234567890"[(state >> 33) as usize % 38])
    };
    (0..length).map(|_| letter()).collect()
}
