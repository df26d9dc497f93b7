//! Events for the store's tests.
#![allow(dead_code, reason = "each test file uses some of these")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use lookback_engine::trace::{
    AssistantPart, AssistantTurn, CallNo, Event, EventBody, EventNo, Layout, Origin, Output, ResultData, SessionId,
    SessionStarted, Stop, Timestamp, ToolResult, TurnNo, UserTurn, start::Counted,
};
use lookback_store::Store;
use lookback_wire::Provider;

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

pub(crate) fn start(session: &str) -> Event {
    event(
        0,
        EventBody::SessionStarted(Box::new(SessionStarted {
            session: id(session),
            schema: 1,
            renderer: 1,
            system: Counted::default(),
            tools: Vec::new(),
            tools_tokens: 0,
            rules: Counted::default(),
            provider: Provider::Anthropic,
            model: "a-model".to_owned(),
            window: 200_000,
            output_reserve: 32_000,
            layout: Layout::Chat,
            alternation: Default::default(),
            plain_thinking: Default::default(),
            recorded_by: Default::default(),
            decisions: Default::default(),
            tokenizer: "o200k".to_owned(),
            root: "/project".to_owned(),
            price_card: None,
            prompts: None,
            parent: None,
        })),
    )
}

pub(crate) fn user(seq: u64, text: &str) -> Event {
    let turn = UserTurn {
        turn: TurnNo(seq as u32),
        text: text.to_owned(),
        tokens: 1,
        origin: Origin::Person,
        user: None,
        as_came: None,
    };
    event(seq, EventBody::UserTurn(Box::new(turn)))
}

pub(crate) fn call(seq: u64, name: &str, arguments: &str) -> Event {
    let part = AssistantPart::Call {
        id: "call".to_owned(),
        name: name.to_owned(),
        arguments: arguments.to_owned(),
        tokens: 1,
        unfinished: false,
    };
    let turn = AssistantTurn {
        turn: TurnNo(seq as u32),
        call: CallNo(1),
        parts: Box::new([part]),
        stop: Stop::End,
        native: Box::default(),
        raw: None,
    };
    event(seq, EventBody::AssistantTurn(Box::new(turn)))
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
