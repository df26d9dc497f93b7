//! What every store promises: what went in comes out, in order, once, until it is removed.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::{
    fs,
    path::Path,
    time::{SystemTime, UNIX_EPOCH},
};

use lookback_engine::trace::{BlobError, BlobHash, Blobs, EventBody, EventNo, Output, Timestamp};
use lookback_store::{Durability::Durable, ForkPoint, Removal, Store, StoreError, derived_session_id, new_session_id};
use proptest::prelude::*;
use rusqlite::Connection;
use support::{home, id, noise, result, start, user};

fn count(home: &Path, table: &str) -> u64 {
    let connection = Connection::open(home.join("lookback.db")).unwrap();
    connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
}

#[test]
fn sqlite_is_new_enough() {
    assert!(rusqlite::version_number() >= 3_051_003, "{}", rusqlite::version());
}

#[test]
fn events_come_back_after_reopening() {
    let (home, store) = home();
    let events = [start("first"), user(1, "Fix the bug\nplease"), result(2, "ok"), user(3, &noise(5000, 1))];
    let mut writer = store.create(&events[..2]).unwrap();
    writer.append(&events[2..], Durable).unwrap();
    drop((writer, store));

    let store = Store::open(home.path()).unwrap();
    assert_eq!(store.events(&id("first")).unwrap(), events);
    assert_eq!(store.event(&id("first"), EventNo(2)).unwrap(), events[2]);
    assert!(matches!(store.event(&id("first"), EventNo(4)), Err(StoreError::NoSuchEvent { .. })));
    assert_eq!(store.writer(&id("first")).unwrap().next(), EventNo(4));
    let summary = store.sessions().unwrap().remove(0);
    assert_eq!((summary.title.as_str(), summary.root.as_str(), summary.turns), ("Fix the bug please", "/project", 4));
    assert_eq!((summary.created, summary.updated, summary.events), (events[0].at, events[3].at, 4));
    assert_eq!(summary.provider.map(|provider| provider.name()), Some("anthropic"));
    assert!(summary.bytes > 5000);
}

#[test]
fn a_session_that_is_coming_is_seen_when_it_is_whole() {
    let (home, store) = home();
    let events = [start("coming"), user(1, "Fix the bug"), result(2, noise(20_000, 3)), user(3, "again")];
    let mut coming = store.begin(&events[0]).unwrap();
    coming.append(&events[1..3]).unwrap();
    let others = Store::open(home.path()).unwrap();
    assert_eq!(others.sessions().unwrap().len(), 0);
    assert!(matches!(others.events(&id("coming")), Err(StoreError::NotFound(_))));
    assert!(matches!(others.begin(&events[0]), Err(StoreError::Locked { .. })), "somebody brings it");
    assert!(matches!(coming.append(&events[1..]), Err(StoreError::OutOfOrder { .. })), "no number comes twice");
    coming.append(&events[3..]).unwrap();
    let mut writer = coming.finish().unwrap();
    writer.append(&[user(4, "and again")], Durable).unwrap();
    drop(writer);
    assert_eq!(others.sessions().unwrap()[0].events, 5);
    assert_eq!(others.inline(others.event(&id("coming"), EventNo(2)).unwrap()).unwrap(), events[2]);
    assert!(matches!(others.begin(&events[0]), Err(StoreError::Exists(_))));
    assert!(matches!(store.begin(&events[1]), Err(StoreError::NotAStart)));
}

#[test]
fn a_session_that_never_came_leaves_nothing() {
    let (home, store) = home();
    let mut coming = store.begin(&start("coming")).unwrap();
    coming.append(&[user(1, "Fix the bug"), result(2, noise(3_000_000, 3))]).unwrap();
    assert!(count(home.path(), "chunks") > 0);
    drop(coming);
    assert_eq!(count(home.path(), "sessions WHERE stage < 2"), 0, "nobody brings it any more");
    if count(home.path(), "sessions") > 0 {
        // On a busy machine the time was over before all of it was erased: whoever removes next goes on.
        store.remove(&[]).unwrap();
    }
    for table in ["sessions", "events", "blobs", "chunks"] {
        assert_eq!(count(home.path(), table), 0, "{table}");
    }
    drop(store.create(&[start("coming")]).unwrap());
}

#[test]
fn a_derived_name_is_always_the_same() {
    let name = derived_session_id("codex 0199");
    assert_eq!(name, derived_session_id("codex 0199"));
    assert_ne!(name, derived_session_id("pi 0199"));
    assert_eq!(name.0.len(), new_session_id().unwrap().0.len());
}

#[test]
fn a_large_output_is_kept_once_in_chunks_until_its_last_session_goes() {
    let (home, store) = home();
    let text = noise(3_000_000, 7);
    for session in ["one", "two"] {
        drop(store.create(&[start(session), result(1, text.as_str())]).unwrap());
    }
    assert_eq!((count(home.path(), "blobs"), count(home.path(), "chunks")), (1, 3));
    let stored = store.event(&id("two"), EventNo(1)).unwrap();
    let hash = BlobHash::of(text.as_bytes());
    assert_eq!(stored.event.outputs(), [&Output::Blob { hash, len: 3_000_000 }]);
    assert_eq!(store.blob(&hash).unwrap(), text);
    assert_eq!(store.inline(stored.clone()).unwrap(), result(1, text.as_str()));
    let connection = Connection::open(home.path().join("lookback.db")).unwrap();
    let size: u64 = connection.query_row("SELECT sum(length(bytes)) FROM chunks", [], |row| row.get(0)).unwrap();
    assert!(size < 2_500_000, "compressed: {size}");
    drop(connection);

    store.remove(&[id("one")]).unwrap();
    assert_eq!(store.blob(&hash).unwrap(), text);
    store.remove(&[id("two")]).unwrap();
    assert_eq!(store.blob(&hash), Err(BlobError::Missing(hash)));
    assert_eq!((count(home.path(), "blobs"), count(home.path(), "chunks")), (0, 0));
    // An event that names an output which nobody has is refused.
    let refused = store.create(&[start("three"), stored]).unwrap_err();
    assert!(matches!(refused, StoreError::Blob(BlobError::Missing(_))));
    assert!(store.sessions().unwrap().is_empty());
}

#[test]
fn a_damaged_output_is_noticed() {
    let (home, store) = home();
    let text = noise(20_000, 3);
    drop(store.create(&[start("session"), result(1, text.as_str())]).unwrap());
    let connection = Connection::open(home.path().join("lookback.db")).unwrap();
    connection.execute("UPDATE chunks SET unpacked = NULL, bytes = zeroblob(20000)", []).unwrap();
    assert!(matches!(store.blob(&BlobHash::of(text.as_bytes())), Err(BlobError::Unreadable { .. })));
}

#[test]
fn a_damaged_event_is_noticed() {
    let (home, store) = home();
    drop(store.create(&[start("session"), user(1, "one sum is 1000")]).unwrap());
    let connection = Connection::open(home.path().join("lookback.db")).unwrap();
    let sql = "UPDATE events SET body = CAST(replace(CAST(body AS TEXT), '1000', '9000') AS BLOB)";
    connection.execute(sql, []).unwrap();
    let refused = store.events(&id("session")).unwrap_err();
    assert!(matches!(refused, StoreError::Damaged { seq: EventNo(1), .. }), "{refused}");
}

#[test]
fn a_damaged_file_is_named_once_with_what_to_do() {
    let (home, store) = home();
    drop(store.create(&[start("session"), result(1, noise(200_000, 3))]).unwrap());
    drop(store);
    let path = home.path().join("lookback.db");
    let mut bytes = fs::read(&path).unwrap();
    let length = bytes.len();
    bytes[4096..length].fill(0x5a);
    fs::write(&path, bytes).unwrap();
    let refused = Store::open(home.path()).and_then(|store| store.events(&id("session"))).unwrap_err();
    assert!(matches!(refused, StoreError::Corrupt { .. }), "{refused:?}");
    let text = refused.to_string();
    assert!(text.contains(path.to_str().unwrap()) && text.contains("restore it from a backup"), "{text}");
    assert!(std::error::Error::source(&refused).is_none(), "its cause would be printed twice");
}

#[test]
fn a_snapshot_reads_to_the_end_what_is_removed_meanwhile() {
    let (home, store) = home();
    let text = noise(20_000, 3);
    drop(store.create(&[start("session"), result(1, text.as_str()), user(2, "the end")]).unwrap());
    let other = Store::open(home.path()).unwrap();
    let snapshot = other.snapshot().unwrap();
    let mut whole = Vec::new();
    let read = snapshot.for_each_event::<StoreError>(&id("session"), |event| {
        if event.seq == EventNo(0) {
            let removal = store.remove(&[id("session")]).unwrap();
            assert!(matches!(removal, Removal::ErasedLater(StoreError::StillRead)), "{removal:?}");
        }
        whole.push(snapshot.inline(event)?);
        Ok(())
    });
    read.unwrap();
    assert_eq!(whole, [start("session"), result(1, text.as_str()), user(2, "the end")]);
    assert_eq!(snapshot.blob(&BlobHash::of(text.as_bytes())).unwrap(), text);
    assert_eq!(snapshot.event(&id("session"), EventNo(2)).unwrap(), whole[2]);
    assert!(snapshot.trace(&id("session")).is_ok() && snapshot.sessions().unwrap().len() == 1);
    assert!(matches!(store.events(&id("session")), Err(StoreError::NotFound(_))));
}

#[test]
fn a_short_id_names_one_session() {
    let (_home, store) = home();
    let ids = ["abcdefgh", "abcdefghij", "abcdefghik", "zyxwvutsrq", "short", "abcdefgz"];
    for session in ids {
        drop(store.create(&[start(session)]).unwrap());
    }
    let shorts = ids.map(|session| store.short_id(&id(session)).unwrap());
    assert_eq!(shorts, ["abcdefgh", "abcdefghij", "abcdefghik", "zyxwvuts", "short", "abcdefgz"]);
    for summary in store.sessions().unwrap() {
        assert_eq!(store.find(&summary.short).unwrap(), summary.id);
        assert_eq!(summary.short, store.short_id(&summary.id).unwrap());
    }
    assert!(matches!(store.short_id(&id("nobody")), Err(StoreError::NotFound(_))));
}

#[test]
fn what_was_removed_is_gone_from_the_file() {
    let (home, store) = home();
    drop(store.create(&[start("keep"), user(1, "ordinary words")]).unwrap());
    for (session, seed) in [("gone", 1), ("also", 2)] {
        let text = format!("xylophonequartz {}", noise(2_000_000, seed));
        drop(store.create(&[start(session), user(1, "the secret is xylophonequartz"), result(2, text)]).unwrap());
    }
    let file = || {
        let read = |name: &str| fs::read(home.path().join(name)).unwrap_or_default();
        [read("lookback.db"), read("lookback.db-wal")].concat()
    };
    let holds = |bytes: &[u8]| bytes.windows(9).any(|window| window == b"xylophone");
    let before = file();
    assert!(holds(&before));
    store.remove(&[id("gone"), id("also")]).unwrap();
    let after = file();
    assert!(!holds(&after));
    assert!(after.len() < 200_000, "{} bytes were {}", after.len(), before.len());
    assert_eq!(store.events(&id("keep")).unwrap().len(), 2);
    assert_eq!(store.search("ordinary", None, 5).unwrap().len(), 1);
}

#[test]
fn events_out_of_order_are_refused_whole() {
    let (_home, store) = home();
    assert!(matches!(store.create(&[user(0, "no start")]), Err(StoreError::NotAStart)));
    let mut writer = store.create(&[start("session")]).unwrap();
    for batch in [vec![user(2, "gap")], vec![user(0, "again")], vec![user(1, "one"), user(3, "three")]] {
        assert!(matches!(writer.append(&batch, Durable), Err(StoreError::OutOfOrder { .. })));
    }
    writer.append(&[user(1, "one"), user(2, "two")], Durable).unwrap();
    assert_eq!(store.events(&id("session")).unwrap().len(), 3);
}

#[test]
fn a_session_exists_once_and_its_id_is_a_plain_name() {
    let (_home, store) = home();
    drop(store.create(&[start("session")]).unwrap());
    assert!(matches!(store.create(&[start("session")]), Err(StoreError::Exists(_))));
    for bad in ["", "../escape", "a b", "ü"] {
        assert!(matches!(store.create(&[start(bad)]), Err(StoreError::BadId(_))), "{bad}");
    }
    assert!(matches!(store.writer(&id("nobody")), Err(StoreError::NotFound(_))));
}

#[test]
fn a_fork_reads_the_shared_events_and_then_its_own() {
    let (_home, store) = home();
    let mut parent = store.create(&[start("parent"), user(1, "shared"), user(2, "also shared")]).unwrap();
    let mut child = store.create_fork(&id("child"), &id("parent"), EventNo(1)).unwrap();
    assert_eq!(child.next(), EventNo(2));
    child.append(&[user(2, "of the child"), user(3, "more")], Durable).unwrap();
    parent.append(&[user(3, "of the parent")], Durable).unwrap();
    // Leaves the child before the child's own first event.
    let grandchild = store.create_fork(&id("grandchild"), &id("child"), EventNo(0)).unwrap();
    let youngest = store.create_fork(&id("youngest"), &id("child"), EventNo(2)).unwrap();

    let expected = [start("parent"), user(1, "shared"), user(2, "of the child"), user(3, "more")];
    assert_eq!(store.events(&id("child")).unwrap(), expected);
    assert_eq!(store.events(&id("grandchild")).unwrap(), expected[..1]);
    assert_eq!(store.events(&id("youngest")).unwrap(), expected[..3]);
    assert_eq!(store.event(&id("youngest"), EventNo(1)).unwrap(), expected[1]);
    assert_eq!(store.event(&id("youngest"), EventNo(2)).unwrap(), expected[2]);
    assert!(store.event(&id("youngest"), EventNo(3)).is_err());
    let refused = store.create_fork(&id("other"), &id("child"), EventNo(4)).unwrap_err();
    assert!(matches!(refused, StoreError::NoSuchEvent { .. }));

    let summaries = store.sessions().unwrap();
    let of = |session: &str| summaries.iter().find(|summary| summary.id == id(session)).unwrap();
    assert_eq!(of("child").parent, Some(ForkPoint { session: id("parent"), upto: EventNo(1) }));
    assert_eq!((of("child").title.as_str(), of("child").turns, of("child").events), ("shared", 4, 4));
    assert_eq!((of("grandchild").title.as_str(), of("grandchild").model.as_str()), ("", "a-model"));

    drop((parent, child, grandchild, youngest));
    let refused = store.remove(&[id("parent")]).unwrap_err();
    assert!(matches!(&refused, StoreError::HasForks { forks, .. } if forks == &[id("child")]), "{refused}");
    store.remove(&[id("youngest")]).unwrap();
    store.remove(&[id("parent"), id("child"), id("grandchild")]).unwrap();
    assert!(store.sessions().unwrap().is_empty());
}

#[test]
fn a_session_is_found_by_the_beginning_of_its_id() {
    let (_home, store) = home();
    for session in ["abcd1111", "abcd2222", "abcd", "wxyz"] {
        drop(store.create(&[start(session)]).unwrap());
    }
    assert_eq!(store.find("abcd1").unwrap(), id("abcd1111"));
    assert_eq!(store.find("abcd").unwrap(), id("abcd"));
    assert!(matches!(store.find("abc"), Err(StoreError::PrefixTooShort(_))));
    assert!(matches!(store.find("zzzz"), Err(StoreError::NotFound(_))));
    store.remove(&[id("abcd")]).unwrap();
    let ambiguous = store.find("abcd").unwrap_err();
    assert_eq!(ambiguous.to_string(), "\"abcd\" fits 2 sessions (abcd1111, abcd2222): give more characters");
}

#[test]
fn new_ids_are_twelve_plain_characters() {
    let new = new_session_id().unwrap();
    assert!(new.0.len() == 12 && new.0.bytes().all(|byte| b"0123456789abcdefghjkmnpqrstvwxyz".contains(&byte)));
    assert_ne!(new, new_session_id().unwrap());
}

#[test]
fn a_session_was_last_used_when_it_was_stored_or_when_its_last_event_happened() {
    let (home, store) = home();
    let before = Timestamp(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as i64);
    drop(store.create(&[start("old")]).unwrap());
    drop(store.create(&[start("new"), user(1, "later")]).unwrap());
    let sessions = store.sessions().unwrap();
    assert_eq!(sessions[0].id, id("new"));
    assert!(sessions.iter().all(|session| session.updated < before && session.last_use() >= before), "{sessions:?}");
    // Stored before it was written down when.
    let connection = Connection::open(home.path().join("lookback.db")).unwrap();
    connection.execute("UPDATE sessions SET stored = 0", []).unwrap();
    let sessions = store.sessions().unwrap();
    assert_eq!(sessions.iter().map(|session| session.last_use()).collect::<Vec<_>>(), [user(1, "").at, start("").at]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn arbitrary_outputs_come_back_equal(
        outputs in prop::collection::vec((prop::collection::vec(any::<u8>(), 0..200), 0_usize..300), 1..8)
    ) {
        let (_home, store) = home();
        let mut events = vec![start("session")];
        for (bytes, times) in outputs {
            events.push(result(events.len() as u64, Output::new(bytes.repeat(times))));
        }
        drop(store.create(&events).unwrap());
        let read = store.events(&id("session")).unwrap();
        for event in &read {
            if let EventBody::ToolResult { result, .. } = &event.event {
                prop_assert!(!matches!(&result.text, Output::Inline(bytes) if bytes.len() > 8 << 10));
            }
        }
        let whole = read.into_iter().map(|event| store.inline(event).unwrap()).collect::<Vec<_>>();
        prop_assert_eq!(whole, events);
    }
}
