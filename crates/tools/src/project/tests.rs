//! Which paths are inside, on real folders with real links.

use std::os::unix::fs::symlink;

use super::*;

fn project() -> (tempfile::TempDir, Project) {
    let temp = tempfile::tempdir().unwrap();
    let at = |name: &str| temp.path().join(name);
    fs::create_dir_all(at("root/src")).unwrap();
    fs::create_dir_all(at("added")).unwrap();
    fs::create_dir_all(at("elsewhere")).unwrap();
    fs::write(at("root/src/a.rs"), "a").unwrap();
    fs::write(at("elsewhere/key"), "secret").unwrap();
    fs::write(at("added/b"), "b").unwrap();
    symlink(at("elsewhere"), at("root/out")).unwrap();
    symlink("src/a.rs", at("root/in")).unwrap();
    symlink(at("root/src"), at("root/in_full")).unwrap();
    symlink(at("added/b"), at("root/to_added")).unwrap();
    symlink("nothing", at("root/dangling")).unwrap();
    let project = Project::new(&at("root"), &[at("added")]).unwrap();
    (temp, project)
}

fn place(project: &Project, written: &str) -> Result<(String, bool), Code> {
    project.place(written).map(|place| (place.name.clone(), place.exists())).map_err(|failure| failure.code)
}

#[test]
fn links_inside_lead_to_their_targets() {
    let (temp, project) = project();
    let there = |name: &str| Ok((name.to_owned(), true));
    assert_eq!(place(&project, "src/a.rs"), there("src/a.rs"));
    assert_eq!(place(&project, "./src/../in"), there("src/a.rs"));
    assert_eq!(place(&project, "in_full/a.rs"), there("src/a.rs"));
    assert_eq!(place(&project, "."), there("."));
    assert_eq!(place(&project, &format!("{}/root/src/a.rs", temp.path().display())), there("src/a.rs"));
    assert_eq!(place(&project, "new/folder/file"), Ok(("new/folder/file".to_owned(), false)));
}

#[test]
fn nothing_outside_is_reached() {
    let (_temp, project) = project();
    for outside in ["out/key", "out", "../elsewhere/key", "/etc/passwd", "/no/such", "..", "out/new", "../root2/x"] {
        assert_eq!(place(&project, outside), Err(Code::AccessDenied), "{outside}");
    }
    assert_eq!(place(&project, "no/../../elsewhere/key"), Err(Code::NotFound));
    assert_eq!(place(&project, "dangling"), Err(Code::ExecutionError));
    assert_eq!(place(&project, "a\0b"), Err(Code::InvalidParam));
}

#[test]
fn an_added_folder_is_named_in_full() {
    let (temp, project) = project();
    let name = fs::canonicalize(temp.path().join("added/b")).unwrap().to_string_lossy().into_owned();
    assert_eq!(place(&project, "../added/b"), Ok((name.clone(), true)));
    assert_eq!(place(&project, "to_added"), Ok((name, true)));
}

#[test]
fn what_became_a_link_after_it_was_looked_at_is_refused() {
    let (temp, project) = project();
    let place = project.place("src/a.rs").unwrap();
    fs::remove_dir_all(temp.path().join("root/src")).unwrap();
    fs::write(temp.path().join("elsewhere/a.rs"), "secret").unwrap();
    symlink("../elsewhere", temp.path().join("root/src")).unwrap();
    assert_eq!(place.open_file().unwrap_err().code, Code::AccessDenied);
    assert!(place.parent().is_err());
}

#[test]
fn what_git_and_lookback_keep_is_not_changed() {
    let (_temp, project) = project();
    for kept in [".git/hooks/pre-commit", ".git/config", ".lookback.toml", "sub/.git/config"] {
        assert_eq!(project.place(kept).unwrap().parent().unwrap_err().code, Code::AccessDenied, "{kept}");
    }
    assert!(project.place(".gitignore").unwrap().parent().is_ok());
}

#[test]
fn no_folder_becomes_a_repository() {
    let (temp, project) = project();
    let parent = |name: &str| project.place(name).unwrap().parent().map(drop).map_err(|failure| failure.code);
    for (folder, parts) in [("", ["HEAD", "objects/k", "refs/k"]), ("sub/", ["refs/k", "HEAD", "objects/k"])] {
        let [first, second, last] = parts.map(|name| format!("{folder}{name}"));
        assert!(parent(&format!("{folder}config")).is_ok());
        for name in [first, second] {
            assert!(parent(&name).is_ok(), "{name}");
            fs::write(temp.path().join("root").join(name), "").unwrap();
        }
        assert_eq!(parent(&last).unwrap_err(), Code::AccessDenied, "{last}");
        assert!(parent(&format!("{folder}config")).is_ok());
    }
    assert_eq!(parent("commondir").unwrap_err(), Code::AccessDenied);
    fs::create_dir(temp.path().join("root/refs")).unwrap();
    for name in ["config", "hooks/pre-commit", "HEAD"] {
        assert_eq!(parent(name).unwrap_err(), Code::AccessDenied, "{name}");
    }
}

#[test]
fn only_regular_files_are_opened() {
    let (temp, project) = project();
    let fifo = temp.path().join("root/fifo");
    rustix::fs::mkfifoat(rustix::fs::CWD, &fifo, rustix::fs::Mode::from_raw_mode(0o600)).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(temp.path().join("root/socket")).unwrap();
    let refused = |name: &str| project.place(name).unwrap().open_file().unwrap_err();
    assert_eq!(refused("fifo").to_string(), "INVALID_PARAM: fifo is a FIFO, not a file");
    assert_eq!(refused("socket").code, Code::InvalidParam);
    assert_eq!(refused("src").to_string(), "IS_DIRECTORY: src is a folder: LS lists it");
    assert_eq!(refused("none").to_string(), "NOT_FOUND: none does not exist");
}
