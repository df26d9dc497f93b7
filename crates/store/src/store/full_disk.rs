//! A full disk, by a limit on the pages of the writing connection: SQLite's same error, on every machine.

use std::{thread, time::Duration};

use lookback_engine::trace::{Event, EventBody, EventNo, SessionId, Timestamp};
use serde_json::json;

use super::Store;
use crate::{
    StoreError,
    writer::Durability::{Durable, Grouped},
};

fn event(seq: u64, event: EventBody) -> Event {
    Event { seq: EventNo(seq), at: Timestamp(0), event }
}

fn error(seq: u64, length: usize) -> Event {
    // Compresses badly, so that its length is what it takes.
    let mut state = seq + 7;
    let mut letter = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        char::from(b'a' + ((state >> 33) % 26) as u8)
    };
    let message = (0..length).map(|_| letter()).collect();
    event(seq, EventBody::Error { kind: "test".into(), message })
}

fn start() -> Event {
    let counted = json!({"text": "", "tokens": 0});
    let body = json!({"session_started": {
        "session": "session", "schema": 1, "renderer": 1, "system": counted, "tools": [], "tools_tokens": 0,
        "rules": counted, "provider": "chat", "model": "m", "window": 1, "output_reserve": 1, "layout": "chat",
        "tokenizer": "t", "root": ""
    }});
    event(0, serde_json::from_value(body).unwrap())
}

#[test]
fn a_full_disk_is_told_and_nothing_is_torn() {
    let home = tempfile::tempdir().unwrap();
    let store = Store::open(home.path()).unwrap();
    let session = SessionId("session".to_owned());
    let mut writer = store.create(&[start()]).unwrap();
    let limit = |pages: u32| {
        let connection = store.group.database().writing();
        connection.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(())).unwrap();
    };
    limit(60);
    let mut next = 1;
    let refused = loop {
        match writer.append(&[error(next, 100), error(next + 1, 20_000)], Durable) {
            Ok(()) => next += 2,
            Err(error) => break error,
        }
        assert!(next < 1000, "the limit was never reached");
    };
    assert!(matches!(refused, StoreError::Full { .. }), "{refused:?}");
    assert_eq!(store.events(&session).unwrap().len() as u64, next);

    writer.append(&[error(next, 200_000)], Grouped).unwrap();
    let told = loop {
        thread::sleep(Duration::from_millis(5));
        if let Err(error) = writer.append(&[], Grouped) {
            break error;
        }
    };
    assert!(matches!(told, StoreError::Full { .. }), "{told:?}");
    // Told once; from now on appends wait for the disk, so that nothing piles up.
    assert!(matches!(writer.append(&[error(next + 1, 10)], Grouped), Err(StoreError::Full { .. })));
    limit(1_000_000);
    writer.append(&[error(next + 1, 10)], Grouped).unwrap();
    let events = store.events(&session).unwrap();
    assert!(events.iter().map(|event| event.seq.0).eq(0..next + 2));
}
