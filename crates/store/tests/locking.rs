//! One writer for each session, over process borders; readers go on.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use lookback_store::{Durability::Durable, Store, StoreError};
use support::{home, id, start, user};

const HOME: &str = "LOOKBACK_TEST_LOCKING_HOME";

/// Takes the writer, says so and holds it until it is killed.
#[test]
fn writing_process() {
    let Some(home) = std::env::var_os(HOME) else { return };
    let store = Store::open(Path::new(&home)).unwrap();
    let mut writer = store.writer(&id("session")).unwrap();
    writer.append(&[user(1, "from the other process")], Durable).unwrap();
    writeln!(std::io::stdout(), "\nwriting").unwrap();
    thread::sleep(Duration::from_secs(60));
}

fn other_process(home: &Path) -> Child {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "writing_process", "--nocapture"])
        .env(HOME, home)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.map_while(Result::ok).any(|line| line == "writing"), "the other process failed");
    child
}

#[test]
fn a_second_writer_is_refused_until_the_first_process_is_killed() {
    let (home, store) = home();
    drop(store.create(&[start("session")]).unwrap());
    let mut child = other_process(home.path());

    let refused = store.writer(&id("session")).unwrap_err();
    assert!(matches!(refused, StoreError::Locked { pid, .. } if pid == Some(child.id())), "{refused}");
    assert!(matches!(store.remove(&[id("session")]), Err(StoreError::Locked { .. })));
    assert_eq!(store.events(&id("session")).unwrap().len(), 2);
    assert_eq!(store.search("other process", None, 5).unwrap().len(), 1);
    drop(store.create(&[start("another")]).unwrap());

    child.kill().unwrap();
    child.wait().unwrap();
    store.writer(&id("session")).unwrap().append(&[user(2, "from this one")], Durable).unwrap();
}

#[test]
fn a_second_writer_in_the_same_process_is_refused_too() {
    let (_home, store) = home();
    let writer = store.create(&[start("session")]).unwrap();
    assert!(matches!(store.writer(&id("session")), Err(StoreError::Locked { .. })));
    drop(writer);
    drop(store.writer(&id("session")).unwrap());
}

#[test]
fn a_database_that_stays_busy_is_a_typed_error_after_five_seconds() {
    let (home, store) = home();
    let mut writer = store.create(&[start("session")]).unwrap();
    let other = rusqlite::Connection::open(home.path().join("lookback.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let begun = Instant::now();
    assert!(matches!(writer.append(&[user(1, "waits")], Durable), Err(StoreError::Busy)));
    assert!(begun.elapsed() >= Duration::from_secs(4));
    assert_eq!(store.events(&id("session")).unwrap().len(), 1);
    other.execute_batch("ROLLBACK").unwrap();
    writer.append(&[user(1, "goes")], Durable).unwrap();
}
