//! Traces hold what people and programs said: nobody else reads them.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::{
    fs,
    os::unix::{
        fs::{MetadataExt, PermissionsExt, symlink},
        net::UnixListener,
    },
    path::Path,
};

use lookback_store::{Store, StoreError};
use support::{home, id, start, user};

#[test]
fn everything_belongs_to_its_owner_alone() {
    let parent = tempfile::tempdir().unwrap();
    let home = parent.path().join("deep/lookback");
    let store = Store::open(&home).unwrap();
    let _writer = store.create(&[start("session")]).unwrap();
    let mode = |name: &str| fs::metadata(home.join(name)).unwrap().mode() & 0o777;
    for directory in ["", "locks"] {
        assert_eq!(mode(directory), 0o700, "{directory}");
    }
    for file in ["lookback.db", "lookback.db-wal", "lookback.db-shm", "locks/session.lock", "locks/opening"] {
        assert_eq!(mode(file), 0o600, "{file}");
    }
}

#[test]
fn a_directory_that_was_there_keeps_its_mode() {
    let parent = tempfile::tempdir().unwrap();
    let open = |name: &str, neighbour: Option<&str>| {
        let home = parent.path().join(name);
        fs::create_dir(&home).unwrap();
        fs::set_permissions(&home, fs::Permissions::from_mode(if neighbour.is_some() { 0o1777 } else { 0o755 }))
            .unwrap();
        if let Some(neighbour) = neighbour {
            fs::write(home.join(neighbour), "").unwrap();
        }
        // Twice: what the first opening leaves must not make the directory one of ours.
        Store::open(&home).unwrap();
        Store::open(&home).unwrap();
        fs::metadata(&home).unwrap().mode() & 0o7777
    };
    assert_eq!(open("empty", None), 0o755);
    assert_eq!(open("shared", Some("letter.txt")), 0o1777);
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// What a link must not lead to.
fn victim(directory: &Path) -> std::path::PathBuf {
    let victim = directory.join("victim");
    fs::write(&victim, "of somebody").unwrap();
    set_mode(&victim, 0o644);
    victim
}

fn is_untouched(victim: &Path) -> bool {
    fs::read(victim).unwrap() == b"of somebody" && fs::metadata(victim).unwrap().mode() & 0o777 == 0o644
}

#[test]
fn a_lock_file_that_is_a_link_is_refused_and_what_it_leads_to_is_left_alone() {
    let (home, store) = home();
    drop(store.create(&[start("session")]).unwrap());
    let elsewhere = tempfile::tempdir().unwrap();
    let (victim, missing) = (victim(elsewhere.path()), elsewhere.path().join("missing"));
    for target in [&victim, &missing] {
        for name in ["session", "new"] {
            let lock = home.path().join(format!("locks/{name}.lock"));
            symlink(target, &lock).unwrap();
            let refused = [
                store.writer(&id(name)).map(drop),
                store.create(&[start(name)]).map(drop),
                store.begin(&start(name)).map(drop),
                store.remove(&[id(name)]).map(drop),
            ];
            for told in refused {
                assert!(
                    matches!(&told, Err(StoreError::NotPlain { path }) if path.ends_with(lock.file_name().unwrap())),
                    "{told:?}"
                );
            }
            assert!(is_untouched(&victim) && !missing.exists());
            fs::remove_file(lock).unwrap();
        }
    }
    // A second name of a file is no link that could be seen: it is locked, and nothing is written into it.
    fs::hard_link(&victim, home.path().join("locks/session.lock")).unwrap();
    drop(store.writer(&id("session")).unwrap());
    assert!(is_untouched(&victim));
    fs::hard_link(&victim, home.path().join("locks/import")).unwrap();
    drop(store.wait_for_imports(|_| {}).unwrap());
    assert!(is_untouched(&victim));
    drop(store.writer(&id("session")).unwrap());
}

#[test]
fn nothing_in_the_home_is_followed_or_opened_that_is_no_file() {
    let names = ["lookback.db", "lookback.db-journal", "lookback.db-wal", "lookback.db-shm", "locks"];
    for name in names.into_iter().chain(["locks/opening", "locks/writing"]) {
        let elsewhere = tempfile::tempdir().unwrap();
        let target = match name {
            "locks" => elsewhere.path().to_owned(),
            _ => victim(elsewhere.path()),
        };
        for made in ["link", "socket"] {
            let home = tempfile::tempdir().unwrap();
            drop(Store::open(home.path()).unwrap().create(&[start("session")]).unwrap());
            if name == "locks/opening" {
                // It is needed when the database is made.
                fs::remove_file(home.path().join("lookback.db")).unwrap();
            }
            let path = home.path().join(name);
            match fs::symlink_metadata(&path) {
                Ok(found) if found.is_dir() => fs::remove_dir_all(&path).unwrap(),
                Ok(_) => fs::remove_file(&path).unwrap(),
                Err(_) => {}
            }
            match made {
                "link" => symlink(&target, &path).unwrap(),
                _ => drop(UnixListener::bind(&path).unwrap()),
            }
            let told = Store::open(home.path());
            assert!(
                matches!(&told, Err(StoreError::NotPlain { path: found }) if found.ends_with(name)),
                "{name}: {told:?}"
            );
        }
        assert!(name == "locks" || is_untouched(&target), "{name}");
        assert!(
            fs::read_dir(elsewhere.path()).unwrap().count() <= 1,
            "{name}: something was made where the link leads"
        );
    }
}

#[test]
fn the_home_itself_may_be_reached_by_a_link() {
    let parent = tempfile::tempdir().unwrap();
    fs::create_dir(parent.path().join("real")).unwrap();
    symlink(parent.path().join("real"), parent.path().join("link")).unwrap();
    let store = Store::open(&parent.path().join("link")).unwrap();
    drop(store.create(&[start("session"), user(1, "one")]).unwrap());
    assert_eq!(Store::open(&parent.path().join("real")).unwrap().events(&id("session")).unwrap().len(), 2);
}

#[test]
fn a_mode_that_somebody_chose_stays() {
    let (home, store) = home();
    drop(store.create(&[start("session")]).unwrap());
    drop(store);
    let modes = [("lookback.db", 0o400), ("locks/opening", 0o640), ("locks/writing", 0o640), ("locks", 0o750)];
    for (name, mode) in modes {
        set_mode(&home.path().join(name), mode);
    }
    let store = Store::open(home.path()).unwrap();
    assert_eq!(store.events(&id("session")).unwrap().len(), 1);
    for (name, mode) in modes {
        assert_eq!(fs::metadata(home.path().join(name)).unwrap().mode() & 0o777, mode, "{name}");
    }
}
