#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;

fn project() -> (tempfile::TempDir, PathBuf, Shadow) {
    let home = tempfile::tempdir().unwrap();
    let root = home.path().join("project");
    fs::create_dir_all(root.join("src")).unwrap();
    fs::write(root.join("src/a.rs"), "one\n").unwrap();
    fs::write(root.join("run.sh"), "#!/bin/sh\n").unwrap();
    fs::set_permissions(root.join("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    symlink("src/a.rs", root.join("link")).unwrap();
    let shadow = Shadow::open(&home.path().join("shadow"), &root).unwrap();
    (home, root, shadow)
}

#[test]
fn files_come_back_as_they_were() {
    let (_home, root, shadow) = project();
    let (id, before) = shadow.take().unwrap();
    fs::write(root.join("src/a.rs"), "two\n").unwrap();
    fs::remove_file(root.join("run.sh")).unwrap();
    fs::remove_file(root.join("link")).unwrap();
    fs::write(root.join("new.txt"), "new").unwrap();
    let (other, after) = shadow.take().unwrap();
    assert_ne!(id, other);
    let changes = before.changes(&after);
    let expected =
        [("link", Fate::Deleted), ("new.txt", Fate::Created), ("run.sh", Fate::Deleted), ("src/a.rs", Fate::Changed)];
    assert_eq!(changes, expected.map(|(path, fate)| (path.to_owned(), fate)));
    let paths: Vec<String> = changes.into_iter().map(|(path, _)| path).collect();
    shadow.put_back(&shadow.load(&id).unwrap(), &paths).unwrap();
    assert!(before.changes(&shadow.take().unwrap().1).is_empty());
    assert_eq!(fs::read_to_string(root.join("link")).unwrap(), "one\n");
    assert_eq!(fs::metadata(root.join("run.sh")).unwrap().permissions().mode() & 0o777, 0o755);
    assert!(!root.join("new.txt").exists());
}

#[test]
fn what_did_not_change_has_the_same_name() {
    let (_home, root, shadow) = project();
    let (first, _) = shadow.take().unwrap();
    assert_eq!(shadow.take().unwrap().0, first);
    // Touched, and the same all the same.
    fs::write(root.join("src/a.rs"), "one\n").unwrap();
    assert_eq!(shadow.take().unwrap().0, first);
}

#[test]
fn ignored_and_large_files_are_left_out_and_git_is_left_alone() {
    let (_home, root, shadow) = project();
    fs::create_dir_all(root.join(".git")).unwrap();
    fs::write(root.join(".git/HEAD"), "ref").unwrap();
    fs::create_dir_all(root.join("target")).unwrap();
    fs::write(root.join("target/out"), "x").unwrap();
    fs::write(root.join(".gitignore"), "target\n").unwrap();
    fs::File::create(root.join("huge")).unwrap().set_len(LARGEST + 1).unwrap();
    let (_, snapshot) = shadow.take().unwrap();
    let paths: Vec<&str> = snapshot.files.keys().map(String::as_str).collect();
    assert_eq!(paths, [".gitignore", "link", "run.sh", "src/a.rs"]);
    assert_eq!(snapshot.left_out, ["huge: larger than 10 MiB"]);
}

#[test]
fn rules_that_are_no_ordinary_file_leave_nothing_out_and_what_inner_repositories_hold_is_said() {
    let (_home, root, shadow) = project();
    fs::create_dir_all(root.join(".git/info")).unwrap();
    fs::create_dir_all(root.join("lib/.git")).unwrap();
    symlink("/dev/zero", root.join(".gitignore")).unwrap();
    for pipe in [".git/info/exclude", "src/.gitignore"] {
        assert!(std::process::Command::new("mkfifo").arg(root.join(pipe)).status().unwrap().success());
    }
    let (_, snapshot) = shadow.take().unwrap();
    let paths: Vec<&str> = snapshot.files.keys().map(String::as_str).collect();
    assert_eq!(paths, [".gitignore", "link", "run.sh", "src/a.rs"]);
    assert_eq!(snapshot.left_out, ["lib/.git: what a repository inside holds beside its files"]);
}

#[test]
fn a_damaged_content_is_not_put_back() {
    let (home, root, shadow) = project();
    let (_, snapshot) = shadow.take().unwrap();
    let hash = snapshot.files["src/a.rs"].hash.to_string();
    let folder = fs::read_dir(home.path().join("shadow")).unwrap().next().unwrap().unwrap().path();
    let other = zstd::bulk::compress(b"other", 1).unwrap();
    fs::write(folder.join(&hash[..2]).join(&hash[2..]), other).unwrap();
    fs::remove_file(root.join("src/a.rs")).unwrap();
    assert!(shadow.put_back(&snapshot, &["src/a.rs".to_owned()]).is_err());
    assert!(!root.join("src/a.rs").exists());
}

#[test]
fn a_folder_that_became_a_link_comes_back() {
    let (_home, root, shadow) = project();
    let (_, before) = shadow.take().unwrap();
    fs::rename(root.join("src"), root.join("lib")).unwrap();
    symlink("lib", root.join("src")).unwrap();
    let (_, after) = shadow.take().unwrap();
    let changes = before.changes(&after);
    for (path, _) in &changes {
        assert!(shadow.is_as(path, after.files.get(path)).unwrap(), "{path} is as the step left it");
    }
    let paths: Vec<String> = changes.into_iter().map(|(path, _)| path).collect();
    shadow.put_back(&before, &paths).unwrap();
    assert!(before.changes(&shadow.take().unwrap().1).is_empty() && root.join("src").is_dir());
}

#[test]
fn nothing_is_put_back_through_a_link_that_a_command_left() {
    let (home, root, shadow) = project();
    let (_, before) = shadow.take().unwrap();
    let outside = home.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::remove_dir_all(root.join("src")).unwrap();
    symlink(&outside, root.join("src")).unwrap();
    // The link itself is not among what the snapshot sees.
    let refused = shadow.put_back(&before, &["run.sh".into(), "src/a.rs".into()]).unwrap_err();
    assert!(refused.to_string().contains("src is a link now"), "{refused}");
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
    fs::write(outside.join("a.rs"), "one\n").unwrap();
    assert!(!shadow.is_as("src/a.rs", before.files.get("src/a.rs")).unwrap(), "what lies elsewhere is another file");
}

#[test]
fn what_only_one_of_two_covers_has_not_changed() {
    let (_home, root, shadow) = project();
    let (_, before) = shadow.take().unwrap();
    fs::write(root.join("src/a.rs"), vec![b'x'; LARGEST as usize + 1]).unwrap();
    let (_, after) = shadow.take().unwrap();
    assert!(before.changes(&after).is_empty());
    let ends = Snapshot { ends_at: Some("run.sh".to_owned()), ..Snapshot::default() };
    assert!(ends.covers("run") && !ends.covers("run.sh") && !ends.covers("src/a.rs"));
}
