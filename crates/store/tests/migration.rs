//! Databases from before and after this version, and files that are none.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::{fs, path::Path, process::Command, thread};

use lookback_engine::{
    Context, NewPart, Session, SessionSetup,
    trace::{BlobHash, Event, NoBlobs, Origin, Output, ResultData, Stop, Timestamp, ToolResult},
};
use lookback_store::{Removal, Store, StoreError};
use rusqlite::{Connection, params};
use support::{id, noise};

const APPLICATION_ID: i32 = 0x4c6b_426b;

/// As the first version wrote them: a session with a packed body and an output in a blob, and a fork of it. Without
/// `auto_vacuum`, which old files lack.
fn write_first_version(home: &Path, events: &[Event]) {
    let connection = Connection::open(home.join("lookback.db")).unwrap();
    connection.execute_batch(include_str!("../src/migrations/0001_trace.sql")).unwrap();
    connection.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
    connection.pragma_update(None, "user_version", 1).unwrap();
    let sql = "INSERT INTO sessions (key, id, parent, parent_upto, next_seq, created, updated)
               VALUES (1, 'session', NULL, NULL, ?1, 0, 0), (2, 'fork', 1, ?1 - 1, ?1, 0, 0)";
    connection.execute(sql, [events.len()]).unwrap();
    for event in events {
        let mut stored = event.clone();
        for output in stored.event.outputs_mut() {
            if let Output::Inline(bytes) = output
                && bytes.len() > 8 << 10
            {
                let hash = BlobHash::of(bytes);
                let row = params![hash.0, bytes.len()];
                connection.execute("INSERT INTO blobs (key, hash, length) VALUES (1, ?1, ?2)", row).unwrap();
                let packed = zstd::bulk::compress(bytes, 3).unwrap();
                let row = params![bytes.len(), packed];
                connection.execute("INSERT INTO chunks VALUES (1, 0, ?1, ?2)", row).unwrap();
                connection.execute("INSERT INTO blob_references VALUES (1, 1)", []).unwrap();
                *output = Output::Blob { hash, len: bytes.len() as u64 };
            }
        }
        let json = serde_json::to_vec(&stored.event).unwrap();
        let checksum = i64::from_le_bytes(BlobHash::of(&json).0[..8].try_into().unwrap());
        let (unpacked, body) = match json.len() {
            1025.. => (Some(json.len()), zstd::bulk::compress(&json, 3).unwrap()),
            _ => (None, json),
        };
        let row = params![event.seq.0, event.at.0, event.event.name(), unpacked, body, checksum];
        connection.execute("INSERT INTO events VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6)", row).unwrap();
    }
}

#[test]
fn a_first_version_is_migrated_can_be_searched_and_gives_its_room_back() {
    let home = tempfile::tempdir().unwrap();
    let count = |bytes: &[u8]| bytes.len() as u32 / 4;
    let now = Context { now: Timestamp(0), count: &count, blobs: &NoBlobs };
    let mut session = Session::start(SessionSetup::new(id("session")), &now).unwrap();
    let question = format!("an old question about getUserName\n{}", "please ".repeat(300));
    session.user_turn(&question, Origin::Person, &now).unwrap();
    session.start_call(&now).unwrap();
    let call = NewPart::Call { id: "a".into(), name: "Bash".into(), arguments: "{}".into() };
    session.assistant_turn(vec![call], Stop::End, &now).unwrap();
    let output = ToolResult::success(noise(20_000, 1), ResultData::Other(serde_json::Value::Null));
    session.tool_result("a", output, &now).unwrap();
    session.start_call(&now).unwrap();
    write_first_version(home.path(), session.trace());

    let store = Store::open(home.path()).unwrap();
    for name in ["session", "fork"] {
        let events = store.events(&id(name)).unwrap();
        assert!(events.iter().any(|event| matches!(event.event.outputs()[..], [Output::Blob { .. }])), "{name}");
        let migrated = Session::replay(events.clone(), &store).unwrap();
        assert_eq!(migrated.body(&store).unwrap(), session.body(&NoBlobs).unwrap(), "the same view bytes");
        let whole: Vec<_> = events.into_iter().map(|event| store.inline(event).unwrap()).collect();
        assert_eq!(whole, session.trace());
    }
    assert_eq!(store.search("user_name", None, 5).unwrap()[0].line, "an old question about getUserName");

    let removal = store.remove(&[id("session"), id("fork")]).unwrap();
    assert!(matches!(removal, Removal::Erased), "{removal:?}");
    let connection = Connection::open(home.path().join("lookback.db")).unwrap();
    let pragma = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!((pragma("auto_vacuum"), pragma("freelist_count")), (2, 0));
}

#[test]
fn a_newer_database_is_refused_untouched() {
    let home = tempfile::tempdir().unwrap();
    drop(Store::open(home.path()).unwrap());
    let connection = Connection::open(home.path().join("lookback.db")).unwrap();
    connection.pragma_update(None, "user_version", 99).unwrap();
    drop(connection);
    let refused = Store::open(home.path()).unwrap_err();
    assert!(matches!(refused, StoreError::Newer { found: 99, supported: 2 }));
    assert!(refused.to_string().contains("upgrade lookback, or set LOOKBACK_HOME"));
}

#[test]
fn foreign_files_are_refused_untouched() {
    let refused = |prepare: &dyn Fn(&Path)| {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("lookback.db");
        prepare(&path);
        let before = fs::read(&path).unwrap();
        let error = Store::open(home.path()).unwrap_err();
        assert!(matches!(error, StoreError::Foreign { .. }), "{error}");
        assert_eq!(fs::read(&path).unwrap(), before);
    };
    refused(&|path| fs::write(path, "a letter to my grandmother, not a database\n".repeat(100)).unwrap());
    refused(&|path| Connection::open(path).unwrap().execute_batch("CREATE TABLE recipes (name)").unwrap());
    refused(&|path| Connection::open(path).unwrap().pragma_update(None, "application_id", 7).unwrap());
}

#[test]
fn a_directory_that_cannot_be_made_says_so() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("file");
    fs::write(&path, "").unwrap();
    let refused = Store::open(&path.join("inside")).unwrap_err();
    assert!(refused.to_string().contains("LOOKBACK_HOME"), "{refused}");
}

const FRESH_HOME: &str = "LOOKBACK_TEST_FRESH_HOME";

#[test]
fn opening_process() {
    if let Some(home) = std::env::var_os(FRESH_HOME) {
        Store::open(Path::new(&home)).unwrap();
    }
}

#[test]
fn a_fresh_home_can_be_opened_by_many_at_once() {
    for _ in 0..5 {
        let home = tempfile::tempdir().unwrap();
        let fresh = home.path().join("fresh");
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "opening_process"]).env(FRESH_HOME, &fresh);
        let mut processes: Vec<_> = (0..4).map(|_| command.spawn().unwrap()).collect();
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| Store::open(&fresh).unwrap());
            }
        });
        assert!(processes.iter_mut().all(|process| process.wait().unwrap().success()));
    }
}
