//! A disk that is really full: a file system of 2 MB, where this machine lets us mount one.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::{fs, io::Write, path::Path, process::Command};

use lookback_store::{
    Durability::{Durable, Grouped},
    Removal, Store, StoreError,
};
use support::{id, noise, result, start, user};

struct SmallDisk<'a>(&'a Path);

impl<'a> SmallDisk<'a> {
    fn mount(path: &'a Path) -> Option<Self> {
        let mount = Command::new("mount").args(["-t", "tmpfs", "-o", "size=2m", "tmpfs"]).arg(path).output();
        mount.is_ok_and(|output| output.status.success()).then_some(Self(path))
    }
}

impl Drop for SmallDisk<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0).status();
    }
}

/// Where tests must count, on CI, a machine without mounts is a failure; elsewhere it is told past libtest's capture.
fn mount_or_say(path: &Path) -> Option<SmallDisk<'_>> {
    let disk = SmallDisk::mount(path);
    if disk.is_none() {
        assert!(std::env::var_os("CI").is_none(), "this machine does not let tests mount a file system");
        let text = b"\nSKIPPED full_disk: this machine does not let tests mount a file system\n";
        std::io::stderr().write_all(text).unwrap();
    }
    disk
}

#[test]
fn a_session_can_be_removed_from_a_full_disk() {
    let directory = tempfile::tempdir().unwrap();
    let Some(_disk) = mount_or_say(directory.path()) else { return };
    let home = directory.path().join("home");
    let store = Store::open(&home).unwrap();
    drop(store.create(&[start("keep"), user(1, "before")]).unwrap());
    let mut writer = store.create(&[start("session"), result(1, noise(300_000, 1))]).unwrap();
    let refused = writer.append(&[result(2, noise(5_000_000, 2))], Durable).unwrap_err();
    let text = refused.to_string();
    assert!(text.contains(home.to_str().unwrap()) && text.contains("nothing was changed"), "{text}");
    drop(writer);
    // Fill what is left, to the last page.
    let mut rest = fs::File::create(directory.path().join("rest")).unwrap();
    while rest.write_all(&[1; 4096]).is_ok() {}
    match store.remove(&[id("session")]) {
        Ok(_) => assert!(store.events(&id("session")).is_err()),
        Err(error) => {
            assert!(matches!(error, StoreError::NoRoomToRemove { .. }), "{error:?}");
            rest.set_len(0).unwrap();
            let mut less = fs::File::create(directory.path().join("less")).unwrap();
            let _ = less.write_all(&vec![1; 100_000]);
            assert!(matches!(store.remove(&[id("session")]).unwrap(), Removal::Erased));
        }
    }
    assert_eq!(store.events(&id("keep")).unwrap().len(), 2);
}

#[test]
fn a_full_disk_is_a_typed_error_and_nothing_is_torn() {
    let directory = tempfile::tempdir().unwrap();
    let Some(_disk) = mount_or_say(directory.path()) else { return };
    let ballast = directory.path().join("ballast");
    fs::write(&ballast, vec![1; 500_000]).unwrap();
    let home = directory.path().join("home");
    let store = Store::open(&home).unwrap();
    let mut writer = store.create(&[start("session"), user(1, "before")]).unwrap();
    let mut next = 2;
    let refused = loop {
        let batch = [user(next, "a question"), result(next + 1, noise(60_000, next))];
        match writer.append(&batch, Durable) {
            Ok(()) => next += 2,
            Err(error) => break error,
        }
        assert!(next < 1000, "2 MB were never full");
    };
    assert!(matches!(refused, StoreError::Full { .. }), "{refused:?}");
    assert_eq!(store.events(&id("session")).unwrap().len() as u64, next);

    // Grouped: accepted, fails in the background, is told, is kept, and is written once there is room.
    fs::write(directory.path().join("rest"), vec![1; 2_000_000]).unwrap_err();
    writer.append(&[result(next, noise(60_000, 1))], Grouped).unwrap();
    let told = writer.flush().unwrap_err();
    assert!(matches!(told, StoreError::Full { .. }), "{told:?}");
    fs::remove_file(&ballast).unwrap();
    fs::remove_file(directory.path().join("rest")).unwrap();
    while writer.append(&[user(next + 1, "after")], Durable).is_err() {
        // The background's own failure may still have to be told, once.
    }
    let events = store.events(&id("session")).unwrap();
    assert!(events.iter().map(|event| event.seq.0).eq(0..next + 2));
    drop((writer, store));
    assert_eq!(Store::open(&home).unwrap().events(&id("session")).unwrap(), events);
}
