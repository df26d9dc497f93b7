//! Arrows point one way: in every crate of the workspace, at any depth, no two modules under one parent use each
//! other, directly or around. A child may use what its parent defines, and a parent its children.
//! Method calls are not seen: an `impl` spread over siblings has to be looked at by a person.

mod groups;
mod modules;
mod sample;
mod tokens;

use std::path::{Path, PathBuf};

use groups::Group;
use modules::Crate;

/// Parents whose children still form circles. Only ever gets shorter.
const KNOWN: &[&str] = &["engine", "engine::session::record", "replay", "replay::import", "store"];

#[test]
fn no_two_siblings_use_each_other() {
    let other_tree = std::env::var_os("LOOKBACK_ROOT").map(PathBuf::from);
    let known = if other_tree.is_some() { &[] } else { KNOWN };
    let root = other_tree.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
    let groups = groups(&root);
    let new: String = groups.iter().filter(|group| !known.contains(&&*group.parent)).map(Group::to_string).collect();
    assert!(new.is_empty(), "siblings use each other; who -> whom, an example, and in how many places:\n{new}");
    let gone: Vec<_> = known.iter().filter(|parent| groups.iter().all(|group| group.parent != **parent)).collect();
    assert!(gone.is_empty(), "no circles any more, so strike them from KNOWN: {gone:?}");
}

fn groups(root: &Path) -> Vec<Group> {
    let crates =
        std::fs::read_dir(root.join("crates")).expect("a workspace").map(|entry| entry.expect("a crate").path());
    let mut folders: Vec<_> = crates.chain([root.join("bench")]).collect();
    folders.sort();
    let source = |file: &Path| std::fs::read_to_string(root.join(file)).ok();
    let mut found = Vec::new();
    for folder in folders {
        let name = folder.file_name().expect("a name").to_string_lossy();
        let src = folder.strip_prefix(root).expect("below the root").join("src");
        let Some(start) =
            ["lib.rs", "main.rs"].map(|file| src.join(file)).into_iter().find(|file| source(file).is_some())
        else {
            continue;
        };
        let read = Crate::read(&start, &source);
        assert!(read.modules.len() > 1, "{name}: no modules found below {}", start.display());
        found.extend(groups::groups(&name, &read));
    }
    found
}
