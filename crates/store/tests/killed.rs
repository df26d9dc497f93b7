//! Killed while importing or removing, and two processes that write at once.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::{
    fs,
    path::Path,
    process::{Child, Command},
    thread,
    time::{Duration, Instant},
};

use lookback_engine::trace::Event;
use lookback_store::{Durability::Durable, Removal, Store};
use rusqlite::Connection;
use support::{home, id, noise, result, start, user};

const HOME: &str = "LOOKBACK_TEST_KILLED_HOME";
const SESSION: &str = "LOOKBACK_TEST_KILLED_SESSION";

fn process(name: &str, home: &Path, session: &str) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", name, "--nocapture"]).env(HOME, home).env(SESSION, session).spawn().unwrap()
}

fn given() -> Option<(Store, String)> {
    let home = std::env::var_os(HOME)?;
    Some((Store::open(Path::new(&home)).unwrap(), std::env::var(SESSION).unwrap()))
}

fn long_trace(session: &str) -> Vec<Event> {
    let mut events = vec![start(session)];
    events.extend((1..40).map(|seq| result(seq, format!("xylophonequartz {}", noise(200_000, seq)))));
    events
}

#[test]
fn importing_process() {
    let Some((store, session)) = given() else { return };
    drop(store.create(&long_trace(&session)).unwrap());
}

#[test]
fn removing_process() {
    let Some((store, session)) = given() else { return };
    store.remove(&[id(&session)]).unwrap();
}

/// Appends for two seconds from its start: who waits for the other loses that time.
#[test]
fn appending_process() {
    let Some((store, session)) = given() else { return };
    let begun = Instant::now();
    let mut writer = store.create(&[start(&session)]).unwrap();
    while begun.elapsed() < Duration::from_secs(2) {
        writer.append(&[user(writer.next().0, "more")], Durable).unwrap();
    }
}

fn count(home: &Path, sql: &str) -> u64 {
    Connection::open(home.join("lookback.db")).unwrap().query_row(sql, [], |row| row.get(0)).unwrap()
}

#[test]
fn an_import_that_is_killed_leaves_all_or_nothing_and_works_again() {
    let (home, store) = home();
    let mut child = process("importing_process", home.path(), "session");
    let begun = Instant::now();
    // In the middle: some of it is in the file, and nobody sees it. Who sees it sees all of it.
    while count(home.path(), "SELECT count(*) FROM events") < 5 && begun.elapsed() < Duration::from_secs(30) {
        thread::sleep(Duration::from_millis(1));
    }
    if let Ok(seen) = store.events(&id("session")) {
        assert_eq!(seen.len(), long_trace("session").len());
    }
    child.kill().unwrap();
    child.wait().unwrap();
    if store.sessions().unwrap().is_empty() {
        assert!(store.find("session").is_err() && store.events(&id("session")).is_err());
        assert!(store.search("xylophonequartz", None, 5).unwrap().is_empty());
        drop(store.create(&long_trace("session")).unwrap());
    }
    let events = store.events(&id("session")).unwrap();
    let whole: Vec<_> = events.into_iter().map(|event| store.inline(event).unwrap()).collect();
    assert_eq!(whole, long_trace("session"));
    let removal = store.remove(&[id("session")]).unwrap();
    assert!(matches!(removal, Removal::Erased), "{removal:?}");
    for table in ["sessions", "events", "blobs", "chunks", "documents", "marks"] {
        assert_eq!(count(home.path(), &format!("SELECT count(*) FROM {table}")), 0, "{table}");
    }
}

#[test]
fn what_a_killed_removal_left_is_erased_by_the_next_one() {
    let (home, store) = home();
    drop(store.create(&[start("other"), user(1, "ordinary words")]).unwrap());
    // On a busy machine the child may be done before anybody kills it: then another one is.
    let killed_in_time = (0..20).any(|_| {
        drop(store.create(&long_trace("session")).unwrap());
        let mut child = process("removing_process", home.path(), "session");
        let begun = Instant::now();
        while store.find("session").is_ok() && begun.elapsed() < Duration::from_secs(30) {
            thread::sleep(Duration::from_micros(200));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        count(home.path(), "SELECT due FROM erasing") == 1
    });
    assert!(killed_in_time, "killed too late to see anything, twenty times");
    let removal = store.remove(&[id("other")]).unwrap();
    assert!(matches!(removal, Removal::Erased), "{removal:?}");
    let read = |name: &str| fs::read(home.path().join(name)).unwrap_or_default();
    let file = [read("lookback.db"), read("lookback.db-wal")].concat();
    assert!(!file.windows(9).any(|window| window == b"xylophone"));
    assert_eq!(count(home.path(), "SELECT due FROM erasing"), 0);
}

#[test]
fn two_processes_that_append_take_turns() {
    let (home, store) = home();
    let mut children = ["one", "two"].map(|session| process("appending_process", home.path(), session));
    assert!(children.iter_mut().all(|child| child.wait().unwrap().success()), "one of them was refused");
    let counts: Vec<u64> = store.sessions().unwrap().iter().map(|summary| summary.events).collect();
    assert_eq!(counts.len(), 2);
    let (least, most) = (counts[0].min(counts[1]), counts[0].max(counts[1]));
    assert!(least * 10 > most, "{counts:?}");
}
