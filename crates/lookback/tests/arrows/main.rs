//! Arrows point one way: in every crate of the workspace, at any depth, no two modules under one parent use each
//! other, directly or around. A child may use what its parent defines, and a parent its children.
//! Method calls are not seen: an `impl` spread over siblings has to be looked at by a person.

mod groups;
mod modules;
mod sample;
mod tokens;

use std::path::Path;

use groups::Group;
use modules::Crate;

#[test]
fn no_two_siblings_use_each_other() {
    let circles: String =
        groups(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).iter().map(Group::to_string).collect();
    assert!(circles.is_empty(), "siblings use each other; who -> whom, an example, and in how many places:\n{circles}");
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
