//! Removing many sessions: with few files open, no lock file left, and as far as it goes.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::{
    fs,
    os::unix::fs::symlink,
    path::Path,
    process::{Child, Command},
    thread,
    time::{Duration, Instant},
};

use lookback_engine::trace::{EventNo, SessionId};
use lookback_store::{Durability::Durable, Kept, Removal, Store, StoreError};
use rusqlite::Connection;
use support::{home, id, result, start, user};

const HOME: &str = "LOOKBACK_TEST_REMOVING_HOME";
const WAY: &str = "LOOKBACK_TEST_REMOVING_WAY";

/// More than the files that the removing process may open.
const MANY: usize = 1_500;
const FILES: usize = 40;

fn name(number: usize) -> SessionId {
    id(&format!("session-{number}"))
}

fn fill(store: &Store) -> Vec<SessionId> {
    let of = |number: usize| vec![start(&name(number).0), user(1, "a question"), result(2, "an answer")];
    let sessions: Vec<_> = (0..MANY).map(of).collect();
    let created = store.create_all(&sessions.iter().map(Vec::as_slice).collect::<Vec<_>>()).unwrap();
    assert!(created.iter().all(Result::is_ok));
    (0..MANY).map(name).collect()
}

fn count(home: &Path, sql: &str) -> u64 {
    Connection::open(home.join("lookback.db")).unwrap().query_row(sql, [], |row| row.get(0)).unwrap()
}

fn lock_files(home: &Path) -> usize {
    let names = fs::read_dir(home.join("locks")).unwrap().map(|entry| entry.unwrap().file_name());
    names.filter(|name| name.to_string_lossy().ends_with(".lock")).count()
}

#[test]
fn removing_process() {
    let Some(home) = std::env::var_os(HOME) else { return };
    let store = Store::open(Path::new(&home)).unwrap();
    let sessions: Vec<SessionId> = store.sessions().unwrap().into_iter().map(|session| session.id).collect();
    match std::env::var(WAY).unwrap().as_str() {
        "all" => drop(store.remove(&sessions).unwrap()),
        _ => assert!(store.remove_each(&sessions, &mut |_| {}).unwrap().0.is_empty()),
    }
}

fn process(home: &Path, way: &str) -> Child {
    let mut command = Command::new("sh");
    let limited = format!("ulimit -n {FILES}; exec \"$0\" --exact removing_process --nocapture");
    command.args(["-c", &limited]).arg(std::env::current_exe().unwrap());
    command.env(HOME, home).env(WAY, way).spawn().unwrap()
}

#[test]
fn more_sessions_than_files_may_be_open_are_removed() {
    for way in ["all", "each"] {
        let (home, store) = home();
        fill(&store);
        assert!(process(home.path(), way).wait().unwrap().success(), "{way}");
        assert_eq!(store.sessions().unwrap(), []);
        for table in ["sessions", "events", "documents", "marks"] {
            assert_eq!(count(home.path(), &format!("SELECT count(*) FROM {table}")), 0, "{way}: {table}");
        }
        assert_eq!(lock_files(home.path()), 0);
    }
}

#[test]
fn a_removal_that_is_killed_leaves_no_lock_files_and_the_next_one_takes_away_older_ones() {
    let (home, store) = home();
    let sessions = fill(&store);
    let mut child = process(home.path(), "each");
    let begun = Instant::now();
    while store.contains(&sessions[MANY - 1]).unwrap() && begun.elapsed() < Duration::from_secs(30) {
        thread::sleep(Duration::from_micros(200));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(lock_files(home.path()), 0);
    // As versions before this one left them.
    for number in 0..5 {
        fs::write(home.path().join(format!("locks/session-{number}.lock")), "4711").unwrap();
    }
    drop(store.create(&[start("last")]).unwrap());
    let rest: Vec<SessionId> = store.sessions().unwrap().into_iter().map(|session| session.id).collect();
    let (kept, removal) = store.remove_each(&rest, &mut |_| {}).unwrap();
    assert!(kept.is_empty() && matches!(removal, Removal::Erased), "{kept:?}, {removal:?}");
    assert_eq!((lock_files(home.path()), count(home.path(), "SELECT count(*) FROM events")), (0, 0));
}

#[test]
fn what_has_to_stay_keeps_nothing_else() {
    let (home, store) = home();
    let sessions = fill(&store);
    let _writer = store.writer(&name(3)).unwrap();
    symlink("/nowhere", home.path().join("locks/session-9.lock")).unwrap();
    for (parent, fork) in [("session-4", "gone-fork"), ("session-5", "kept-fork"), ("gone-fork", "gone-grandchild")] {
        drop(store.create_fork(&id(fork), &id(parent), EventNo(1)).unwrap());
    }
    let forks = [id("gone-fork"), id("gone-grandchild"), id("nobody")];
    let asked: Vec<SessionId> = sessions.iter().chain(&forks).cloned().collect();
    let mut told = Vec::new();
    let (kept, removal) = store.remove_each(&asked, &mut |gone| told.push(gone)).unwrap();
    let mut reasons: Vec<_> = kept.into_iter().map(|Kept { session, reason }| (session.0, reason)).collect();
    reasons.sort_by(|one, other| one.0.cmp(&other.0));
    assert!(
        matches!(
            &reasons[..],
            [(_, StoreError::NotFound(_)), (locked, StoreError::Locked { pid: Some(_), .. }), (parent, StoreError::HasForks { .. }), (odd, StoreError::NotPlain { .. })]
                if locked == "session-3" && parent == "session-5" && odd == "session-9"
        ),
        "{reasons:?}"
    );
    assert!(matches!(removal, Removal::Erased), "{removal:?}");
    assert_eq!(told.last(), Some(&(MANY as u64 - 1)));
    assert!(told.is_sorted());
    let mut left: Vec<String> = store.sessions().unwrap().into_iter().map(|session| session.id.0).collect();
    left.sort();
    assert_eq!(left, ["kept-fork", "session-3", "session-5", "session-9"]);
    assert_eq!(store.events(&id("kept-fork")).unwrap().len(), 2);
}

#[test]
fn whoever_comes_first_has_the_session_and_never_both() {
    let (_home, store) = home();
    let (mut written, mut removed) = (0, 0);
    for round in 0..100 {
        let session = name(round);
        drop(store.create(&[start(&session.0)]).unwrap());
        let (append, remove) = thread::scope(|scope| {
            let writer = scope.spawn(|| {
                let mut writer = store.writer(&session)?;
                writer.append(&[user(1, "mine")], Durable)
            });
            thread::sleep(Duration::from_micros(20 * round as u64));
            let remove = store.remove_each(std::slice::from_ref(&session), &mut |_| {});
            (writer.join().unwrap(), remove.unwrap())
        });
        match (append, &remove.0[..]) {
            (Ok(()), [Kept { reason: StoreError::Locked { .. }, .. }]) => written += 1,
            (Ok(()), []) => assert!(!store.contains(&session).unwrap(), "appended, let go, and then removed"),
            (Err(StoreError::NotFound(_) | StoreError::Locked { .. }), []) => removed += 1,
            (append, kept) => panic!("{append:?}, {kept:?}"),
        }
        assert_ne!(store.contains(&session).unwrap(), remove.0.is_empty());
        if !remove.0.is_empty() {
            assert_eq!(store.events(&session).unwrap().len(), 2);
        }
    }
    assert!(written + removed > 0);
}
