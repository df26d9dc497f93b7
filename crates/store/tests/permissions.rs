//! Traces hold what people and programs said: nobody else reads them.

mod support;

use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt},
};

use lookback_store::Store;
use support::start;

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
fn a_directory_of_ours_is_closed_and_one_of_others_is_left_alone() {
    let parent = tempfile::tempdir().unwrap();
    let open = |name: &str, neighbour: Option<&str>| {
        let home = parent.path().join(name);
        fs::create_dir(&home).unwrap();
        fs::set_permissions(&home, fs::Permissions::from_mode(if neighbour.is_some() { 0o1777 } else { 0o755 }))
            .unwrap();
        if let Some(neighbour) = neighbour {
            fs::write(home.join(neighbour), "").unwrap();
        }
        // Twice: what the first opening leaves must not make the directory ours.
        Store::open(&home).unwrap();
        Store::open(&home).unwrap();
        fs::metadata(&home).unwrap().mode() & 0o7777
    };
    assert_eq!(open("empty", None), 0o700);
    assert_eq!(open("shared", Some("letter.txt")), 0o1777);
}
