//! A full disk, a read-only one, and a project that holds somebody's keys.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
};

use lookback_tools::{FileTools, Project, ToolName};
use serde_json::json;

use crate::{Bench, tools};

/// A disk of one megabyte at a project's root.
struct SmallDisk(PathBuf);

impl SmallDisk {
    /// None where this machine lets nobody mount: told past libtest's capture, and a failure on CI.
    fn at(path: &Path) -> Option<Self> {
        let mount = Command::new("mount").args(["-t", "tmpfs", "-o", "size=1m", "tmpfs"]).arg(path).output();
        let disk = mount.is_ok_and(|output| output.status.success()).then(|| Self(path.to_owned()));
        if disk.is_none() {
            assert!(std::env::var_os("CI").is_none(), "this machine does not let tests mount a file system");
            let text = b"\nSKIPPED files/bad_days: this machine does not let tests mount a file system\n";
            std::io::stderr().write_all(text).unwrap();
        }
        disk
    }

    fn make_read_only(&self) {
        let mount = Command::new("mount").args(["-o", "remount,ro"]).arg(&self.0).status().unwrap();
        assert!(mount.success());
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

/// With the disk at its root.
fn bench_on_disk() -> Option<(Bench, SmallDisk)> {
    let mut bench = Bench::new(&[]);
    let disk = SmallDisk::at(&bench.at("."))?;
    bench.tools = tools(&bench.at("."));
    bench.put("a", "one\n".repeat(1_000));
    bench.text(ToolName::Read, json!({ "path": "a" }));
    Some((bench, disk))
}

#[test]
fn a_full_disk_leaves_everything_as_it_was() {
    let Some((bench, _disk)) = bench_on_disk() else { return };
    let full = "a could not be written, and is as it was: No space left on device";
    let much = "x".repeat(2 << 20);
    let edit = json!({ "path": "a", "old_string": "one\n", "new_string": "x".repeat(2 << 10), "replace_all": true });
    for (tool, arguments) in [(ToolName::Write, json!({ "path": "a", "content": much })), (ToolName::Edit, edit)] {
        let error = bench.error(tool, arguments);
        assert!(error.starts_with(&format!("EXECUTION_ERROR: {full}")), "{error}");
    }
    let new = bench.error(ToolName::Write, json!({ "path": "new", "content": much }));
    assert!(new.contains("new could not be written"), "{new}");
    assert_eq!((bench.bytes("a"), bench.names(".")), ("one\n".repeat(1_000).into_bytes(), vec!["a".to_owned()]));
}

#[test]
fn a_read_only_project_can_be_read_and_says_so() {
    let Some((bench, disk)) = bench_on_disk() else { return };
    disk.make_read_only();
    for (tool, arguments) in [
        (ToolName::Edit, json!({ "path": "a", "old_string": "one\n", "new_string": "", "replace_all": true })),
        (ToolName::Write, json!({ "path": "b/c", "content": "" })),
    ] {
        let error = bench.error(tool, arguments);
        assert!(error.starts_with("ACCESS_DENIED") && error.ends_with("is on a read-only file system"), "{error}");
    }
    assert!(bench.text(ToolName::Grep, json!({ "pattern": "one" })).starts_with("1000 matching lines in 1 files"));
    assert!(bench.text(ToolName::Ls, json!({})).contains("\na"));
}

#[test]
fn keys_in_a_project_are_nobodys_to_read() {
    let mut bench = Bench::new(&[(".ssh/id", "secret\n"), (".config/git/ignore", "x\n"), (".config/own/a", "a\n")]);
    bench.put("a", "no secret\n");
    let at = |name: &str| bench.at(name).canonicalize().unwrap();
    let hidden = vec![at(".ssh"), at(".config"), "/etc/shadow".into()];
    let root = bench.at(".");
    let project = |also: &[PathBuf]| Project::new(&root, also).unwrap().without(hidden.clone());
    bench.tools = FileTools::new(Arc::new(project(&[])));
    std::os::unix::fs::symlink(".ssh/id", bench.at("innocent")).unwrap();
    for path in [".ssh/id", ".ssh", "innocent", ".ssh/new", ".config/git/ignore"] {
        let error = bench.error(ToolName::Read, json!({ "path": path }));
        assert!(error.starts_with(&format!("ACCESS_DENIED: {path} is kept from all tools")), "{error}");
    }
    assert!(bench.error(ToolName::Write, json!({ "path": ".ssh/new", "content": "" })).starts_with("ACCESS_DENIED"));
    assert!(bench.error(ToolName::Grep, json!({ "pattern": "x", "path": ".ssh" })).starts_with("ACCESS_DENIED"));
    let found = bench.text(ToolName::Grep, json!({ "pattern": "secret", "glob": "**/.*/**" }));
    assert!(found.starts_with("no match"), "{found}");
    assert!(bench.text(ToolName::Grep, json!({ "pattern": "secret" })).contains("\na:1:no secret"));
    assert!(bench.text(ToolName::Glob, json!({ "pattern": ".ssh/*" })).starts_with("no file"));
    assert!(!bench.text(ToolName::Ls, json!({ "hidden": true })).contains("\n.ssh"));
    // A folder below one of them that was named is meant.
    bench.tools = FileTools::new(Arc::new(project(&[bench.at(".config/own")])));
    assert!(bench.text(ToolName::Read, json!({ "path": ".config/own/a" })).contains("1\ta"));
    fs::remove_file(bench.at("innocent")).unwrap();
}
