//! One flipped bit, anywhere in an event's row: noticed, with its place.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::{fs, ops::Range, os::unix::fs::FileExt, path::Path};

use lookback_engine::trace::{BlobError, BlobHash, Blobs, Event, EventNo};
use lookback_store::{Store, StoreError};
use rusqlite::{Connection, types::Value};
use support::{home, id, noise, result, start, user};

/// The event that is damaged: neither the first nor the last.
const DAMAGED: EventNo = EventNo(4);

fn events() -> Vec<Event> {
    let mut events = vec![start("session"), user(1, "one sum is 1000"), result(2, noise(20_000, 3)), user(3, "and")];
    events.extend([user(4, &"a longer text ".repeat(100)), result(5, "ok"), user(6, "the end")]);
    events
}

/// A store in which the session has a key that takes a byte.
fn written() -> tempfile::TempDir {
    let (home, store) = home();
    for session in ["one", "two"] {
        drop(store.create(&[start(session), user(1, "another")]).unwrap());
    }
    drop(store.create(&events()).unwrap());
    home
}

/// What every way of reading says.
fn check(home: &Path) -> [Result<(), StoreError>; 3] {
    let store = Store::open(home).unwrap();
    let session = id("session");
    [
        store.events(&session).map(|_| ()),
        store.for_each_event(&session, |_| Ok(())),
        store.event(&session, DAMAGED).map(|_| ()),
    ]
}

fn assert_told(home: &Path, what: &str) {
    for told in check(home) {
        let is_told =
            matches!(&told, Err(StoreError::Damaged { session, seq: DAMAGED, .. }) if *session == id("session"));
        assert!(is_told, "{what}: {told:?}");
    }
}

#[test]
fn a_session_that_is_its_own_ancestor_is_told() {
    for (child, parent) in [("session", "session"), ("session", "fork")] {
        let (home, store) = home();
        drop(store.create(&events()).unwrap());
        drop(store.create_fork(&id("fork"), &id("session"), EventNo(3)).unwrap());
        drop(store);
        let connection = Connection::open(home.path().join("lookback.db")).unwrap();
        let sql =
            "UPDATE sessions SET parent = (SELECT key FROM sessions WHERE id = ?2), parent_upto = 3 WHERE id = ?1";
        connection.execute(sql, [child, parent]).unwrap();
        drop(connection);
        for told in check(home.path()) {
            assert!(
                matches!(&told, Err(StoreError::Damaged { reason, .. }) if reason.contains("fork of itself")),
                "{told:?}"
            );
        }
    }
}

/// Where the row's columns lie in the file: SQLite writes them one after another.
fn columns(home: &Path) -> Vec<(&'static str, Range<usize>)> {
    let connection = Connection::open(home.join("lookback.db")).unwrap();
    let sql = "SELECT session, seq, at, kind, unpacked, body, digest FROM events WHERE session = 3 AND seq = ?1";
    let values: Vec<Value> = connection
        .query_row(sql, [DAMAGED.0], |row| (0..7).map(|column| row.get(column)).collect::<Result<_, _>>())
        .unwrap();
    let bytes_of = |value: &Value| match value {
        // The shortest of the lengths that SQLite has for numbers.
        Value::Integer(number) => {
            let fits = |length: &usize| *length == 8 || (number << (64 - 8 * length)) >> (64 - 8 * length) == *number;
            let length = [1, 2, 3, 4, 6, 8].into_iter().find(fits).unwrap();
            number.to_be_bytes()[8 - length..].to_vec()
        }
        Value::Text(text) => text.clone().into_bytes(),
        Value::Blob(bytes) => bytes.clone(),
        other => panic!("{other:?}"),
    };
    let parts: Vec<Vec<u8>> = values.iter().map(bytes_of).collect();
    drop(connection);
    let (file, row) = (fs::read(home.join("lookback.db")).unwrap(), parts.concat());
    let mut end = file.windows(row.len()).position(|window| window == row).unwrap();
    let names = ["session", "seq", "at", "kind", "unpacked", "body", "digest"];
    let ranges = names.into_iter().zip(&parts).map(|(name, part)| {
        end += part.len();
        (name, end - part.len()..end)
    });
    ranges.collect()
}

#[test]
fn one_flipped_bit_in_any_column_is_noticed_with_its_place() {
    let home = written();
    let columns = columns(home.path());
    let file = fs::OpenOptions::new().read(true).write(true).open(home.path().join("lookback.db")).unwrap();
    for (column, range) in columns {
        for place in range {
            let mut byte = [0];
            file.read_exact_at(&mut byte, place as u64).unwrap();
            for bit in 0..8 {
                file.write_all_at(&[byte[0] ^ (1 << bit)], place as u64).unwrap();
                assert_told(home.path(), &format!("bit {bit} of {column}"));
            }
            file.write_all_at(&byte, place as u64).unwrap();
        }
    }
    assert!(check(home.path()).iter().all(Result::is_ok));
}

#[test]
fn a_length_that_cannot_be_is_noticed_before_memory_is_taken_for_it() {
    let home = written();
    let connection = Connection::open(home.path().join("lookback.db")).unwrap();
    for unpacked in ["9223372036854775807", "1 << 40", "-1", "NULL", "'a text'"] {
        let sql = format!("UPDATE events SET unpacked = {unpacked} WHERE session = 3 AND seq = {DAMAGED}");
        connection.execute(&sql, []).unwrap();
        assert_told(home.path(), unpacked);
    }
}

/// Of an output that is no longer in its event.
#[test]
fn a_damaged_output_is_told_by_its_name_before_memory_is_taken_for_it() {
    let output = noise(3 << 20, 3);
    let hash = BlobHash::of(output.as_bytes());
    for sql in [
        "UPDATE blobs SET length = 1 << 36",
        "UPDATE blobs SET length = 9223372036854775807",
        "UPDATE blobs SET length = 0",
        "UPDATE blobs SET length = length + 1",
        "UPDATE blobs SET length = length - 1",
        "DELETE FROM chunks WHERE number = 1",
        "DELETE FROM chunks",
        "UPDATE chunks SET number = number + 9",
        "UPDATE chunks SET unpacked = 1 << 40",
        "UPDATE chunks SET unpacked = NULL",
        "UPDATE chunks SET bytes = zeroblob(8 << 20), unpacked = NULL",
        "UPDATE chunks SET bytes = zeroblob(length(bytes))",
    ] {
        let (home, store) = home();
        drop(store.create(&[start("session"), user(1, "a turn"), result(2, output.clone())]).unwrap());
        let connection = Connection::open(home.path().join("lookback.db")).unwrap();
        assert!(connection.execute(sql, []).unwrap() > 0, "{sql}");
        let told = store.blob(&hash);
        let is_named = matches!(&told, Err(BlobError::Unreadable { hash: named, .. }) if *named == hash);
        assert!(is_named, "{sql}: {:?}", told.map(|bytes| bytes.len()));
    }
}

#[test]
fn a_missing_event_is_noticed_wherever_it_was() {
    for (missing, sql) in [
        (DAMAGED, "DELETE FROM events WHERE session = 3 AND seq = 4"),
        (EventNo(6), "DELETE FROM events WHERE session = 3 AND seq = 6"),
        (EventNo(2), "DELETE FROM events WHERE session = 3 AND seq < 7 AND seq > 1"),
        (EventNo(5), "UPDATE sessions SET next_seq = 5 WHERE key = 3"),
    ] {
        let home = written();
        Connection::open(home.path().join("lookback.db")).unwrap().execute(sql, []).unwrap();
        let told = check(home.path());
        let place =
            |told: &Result<(), StoreError>| matches!(told, Err(StoreError::Damaged { seq, .. }) if *seq == missing);
        assert!(told[..2].iter().all(place), "{sql}: {told:?}");
    }
    let home = written();
    let store = Store::open(home.path()).unwrap();
    drop(store.create_fork(&id("fork"), &id("session"), EventNo(5)).unwrap());
    assert_eq!(store.events(&id("fork")).unwrap().len(), 6);
    Connection::open(home.path().join("lookback.db")).unwrap().execute("DELETE FROM events WHERE seq = 5", []).unwrap();
    assert!(matches!(store.events(&id("fork")), Err(StoreError::Damaged { seq: EventNo(5), .. })));
}
