//! Databases from before and after this version, and files that are none.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::{fs, path::Path, process::Command, thread, time::Duration};

use lookback_engine::{
    Context, NewPart, Replay, Session, SessionSetup,
    trace::{
        BlobHash, Event, EventNo, NoBlobs, Origin, Output, ResultData, Stop, Timestamp, ToolResult, event::JobEnded,
    },
};
use lookback_store::{Durability, GuestFold, Removal, Store, StoreError};
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
    let listed = store.sessions().unwrap().into_iter().find(|summary| summary.id == id("session")).unwrap();
    assert_eq!((listed.agent.as_str(), listed.calls), ("lookback", 2), "lists show what was stored before them");
    assert!(listed.title.starts_with("an old question about getUserName"), "{}", listed.title);
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

/// A home as the program of commit bc9bbee left it: `import` of random sessions from the engine's property tests, which
/// hold every kind of event, and of the first 60 lines of `fixtures/sample-session.jsonl`; `fold`, `unfold` and `fold` of the
/// latter; and, through the library, a session with an output in a blob and a fork of it.
fn second_version() -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    let database = zstd::decode_all(&include_bytes!("fixtures/version-2.db.zst")[..]).unwrap();
    fs::write(home.path().join("lookback.db"), database).unwrap();
    home
}

/// What that program's `show ID --view --json --provider PROVIDER` said of each session.
fn assert_same_views(store: &Store) {
    let views = zstd::decode_all(&include_bytes!("fixtures/version-2.views.jsonl.zst")[..]).unwrap();
    let views: Vec<serde_json::Value> =
        views.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect();
    assert_eq!(views.len(), 15 * 4);
    for view in views {
        let text = |name: &str| view[name].as_str().unwrap();
        let mut replay = Replay::new(Some(text("provider").parse().unwrap()), store);
        for event in store.events(&id(text("session"))).unwrap() {
            replay.push(event).unwrap();
        }
        let session = replay.finish().unwrap();
        let body = session.body_for(session.prompt_provider(), store).unwrap();
        assert_eq!(String::from_utf8_lossy(&body), text("body"), "{} for {}", view["session"], view["provider"]);
    }
}

#[test]
fn a_second_version_keeps_every_event_and_the_bytes_of_every_view() {
    let home = second_version();
    let store = Store::open(home.path()).unwrap();
    assert_same_views(&store);
    let connection = Connection::open(home.path().join("lookback.db")).unwrap();
    let sql = "SELECT kind FROM events WHERE session = (SELECT key FROM sessions WHERE id = ?1) ORDER BY seq";
    let mut kinds = connection.prepare(sql).unwrap();
    let mut events = 0;
    for summary in store.sessions().unwrap() {
        let read = store.events(&summary.id).unwrap();
        let own: Vec<String> =
            kinds.query_map([&summary.id.0], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
        assert!(read[read.len() - own.len()..].iter().map(|event| event.event.name()).eq(own));
        events += read.len();
        read.into_iter().for_each(|event| drop(store.inline(event).unwrap()));
    }
    // The fork shares the first eight of its parent's.
    assert_eq!(events, 1131 + 8);
    assert_eq!(store.search("user_name", None, 5).unwrap()[0].line, "an old question about getUserName");
    let mut fork = Session::replay(store.events(&id("child0000000")).unwrap(), &store).unwrap();
    let now = Context { now: Timestamp(0), count: &|_| 1, blobs: &store };
    fork.user_turn("it goes on", Origin::Person, &now).unwrap();
    let mut writer = store.writer(fork.id()).unwrap();
    writer.append(&fork.trace()[writer.next().0 as usize..], Durability::Durable).unwrap();
    assert_eq!(store.events(fork.id()).unwrap().len(), fork.trace().len());
}

#[test]
fn what_was_damaged_before_the_migration_is_told_and_all_else_can_be_read() {
    let home = second_version();
    let connection = Connection::open(home.path().join("lookback.db")).unwrap();
    let sql =
        "UPDATE events SET body = zeroblob(100) WHERE seq = 3 AND session = (SELECT key FROM sessions WHERE id = ?1)";
    assert_eq!(connection.execute(sql, ["parent000000"]).unwrap(), 1);
    drop(connection);
    let store = Store::open(home.path()).unwrap();
    for name in ["parent000000", "child0000000"] {
        let told = store.events(&id(name)).unwrap_err();
        assert!(
            matches!(&told, StoreError::Damaged { session, seq: EventNo(3), .. } if session.0 == "parent000000"),
            "{told}"
        );
    }
    for summary in store.sessions().unwrap() {
        let is_damaged = ["parent000000", "child0000000"].contains(&summary.id.0.as_str());
        assert_eq!(store.events(&summary.id).is_err(), is_damaged, "{}", summary.id);
    }
}

#[test]
fn jobs_and_bills_that_were_stored_before_they_were_kept_apart_get_their_rows() {
    let home = tempfile::tempdir().unwrap();
    let now = Context { now: Timestamp(0), count: &|_| 1, blobs: &NoBlobs };
    let mut session = Session::start(SessionSetup::new(id("session")), &now).unwrap();
    session.user_turn("serve it", Origin::Person, &now).unwrap();
    session.start_call(&now).unwrap();
    let call = NewPart::Call { id: "a".into(), name: "Bash".into(), arguments: "{}".into() };
    session.assistant_turn(vec![call], Stop::End, &now).unwrap();
    session.job_started("a", 1, "serve".into(), &now).unwrap();
    session.job_ended(JobEnded { number: 1, exit_code: Some(0), output: "served".into() }, &now).unwrap();
    let store = Store::open(home.path()).unwrap();
    drop(store.create(session.trace()).unwrap());
    let bills = store.bills().unwrap();
    assert_eq!(bills[&id("session")].len(), 1);
    drop(store);

    let connection = Connection::open(home.path().join("lookback.db")).unwrap();
    let marks = || {
        let mut marks = connection.prepare("SELECT kind, number, seq FROM marks").unwrap();
        let rows = marks.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap();
        rows.collect::<Result<Vec<(i64, i64, i64)>, _>>().unwrap()
    };
    let written = marks();
    assert_eq!(connection.execute("DELETE FROM marks WHERE kind IN (12, 13)", []).unwrap(), 2);
    connection
        .execute_batch("ALTER TABLE guest_folds DROP COLUMN behind; DROP TABLE bills; PRAGMA user_version = 7")
        .unwrap();
    assert_eq!(Store::open(home.path()).unwrap().bills().unwrap(), bills);
    assert_eq!(marks(), written);
}

/// What stood before the chain behind folds was kept stands as it did.
#[test]
fn folds_of_an_older_version_stand() {
    let home = tempfile::tempdir().unwrap();
    let now = Context { now: Timestamp(0), count: &|_| 1, blobs: &NoBlobs };
    let session = Session::start(SessionSetup::new(id("session")), &now).unwrap();
    let store = Store::open(home.path()).unwrap();
    let mut writer = store.create(session.trace()).unwrap();
    let [link, behind] = [[1; 32], [2; 32]];
    let mut fold = GuestFold { link, first: 0, end: 1, thinking_from: 3, behind: vec![behind], block: b"{}".to_vec() };
    assert_eq!(writer.append_with_folds(&[], &[fold.clone()], &[link]).unwrap(), [fold.clone()]);
    drop((writer, store));
    let connection = Connection::open(home.path().join("lookback.db")).unwrap();
    connection
        .execute_batch("ALTER TABLE guest_folds DROP COLUMN behind; DROP TABLE bills; PRAGMA user_version = 8")
        .unwrap();
    fold.behind.clear();
    assert_eq!(Store::open(home.path()).unwrap().find_folds(&[link]).unwrap(), [fold]);
}

#[test]
fn a_migration_that_is_killed_is_made_again() {
    for milliseconds in [0, 2, 5, 10, 20, 40, 80] {
        let home = second_version();
        let mut command = Command::new(std::env::current_exe().unwrap());
        let mut child = command.args(["--exact", "opening_process"]).env(FRESH_HOME, home.path()).spawn().unwrap();
        thread::sleep(Duration::from_millis(milliseconds));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_same_views(&Store::open(home.path()).unwrap());
    }
}

#[test]
fn an_older_program_that_is_still_open_cannot_write_what_nobody_reads() {
    let home = second_version();
    let older = Connection::open(home.path().join("lookback.db")).unwrap();
    let sql =
        "INSERT INTO events (session, seq, at, kind, unpacked, body, checksum) VALUES (1, 999, 0, '', NULL, '', 0)";
    let mut insert = older.prepare(sql).unwrap();
    drop(Store::open(home.path()).unwrap());
    assert!(insert.execute([]).is_err());
}

#[test]
fn a_newer_database_is_refused_untouched() {
    let home = tempfile::tempdir().unwrap();
    drop(Store::open(home.path()).unwrap());
    let connection = Connection::open(home.path().join("lookback.db")).unwrap();
    connection.pragma_update(None, "user_version", 99).unwrap();
    drop(connection);
    let refused = Store::open(home.path()).unwrap_err();
    assert!(matches!(refused, StoreError::Newer { found: 99, supported: 10 }));
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
