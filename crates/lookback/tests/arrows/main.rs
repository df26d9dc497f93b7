//! Arrows point one way: in every crate of the workspace, at any depth, no two modules under one parent use each
//! other, directly or around. A child may use what its parent defines, and a parent its children. A call of a method
//! counts as far as names tell whose it is (`methods`).

mod blocks;
mod groups;
mod methods;
mod modules;
mod sample;
mod tokens;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use modules::Crate;

#[test]
fn no_two_siblings_use_each_other() {
    let crates = crates();
    let circles: String = crates
        .iter()
        .flat_map(|(name, (read, _))| {
            let below = below(name, &crates);
            let from_below = below.iter().filter_map(|name| crates.get(*name)).flat_map(|(read, _)| read.methods());
            let from_below = from_below.filter_map(|(name, is_public)| is_public.then_some(name));
            groups::groups(name, read, &from_below.collect())
        })
        .map(|group| group.to_string())
        .collect();
    assert!(circles.is_empty(), "siblings use each other; who -> whom, an example, and in how many places:\n{circles}");
}

/// A list that only grows would hide more and more.
#[test]
fn what_is_left_to_std_is_also_ours() {
    let crates = crates();
    let ours: BTreeSet<_> = crates.values().flat_map(|(read, _)| read.methods()).map(|(name, _)| name).collect();
    let unknown: Vec<_> = methods::OF_STD.into_iter().filter(|name| !ours.contains(name)).collect();
    assert_eq!(unknown, Vec::<&str>::new());
}

type Crates = BTreeMap<String, (Crate, Vec<String>)>;

/// The crates of the workspace by their folders, each with those of the workspace that it names.
fn crates() -> Crates {
    let root = &Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let crates =
        std::fs::read_dir(root.join("crates")).expect("a workspace").map(|entry| entry.expect("a crate").path());
    let source = |file: &Path| std::fs::read_to_string(root.join(file)).ok();
    let mut found = Crates::new();
    for folder in crates.chain([root.join("bench")]) {
        let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        let src = folder.strip_prefix(root).expect("below the root").join("src");
        let Some(start) =
            ["lib.rs", "main.rs"].map(|file| src.join(file)).into_iter().find(|file| source(file).is_some())
        else {
            continue;
        };
        let read = Crate::read(&start, &source);
        assert!(read.modules.len() > 1, "{name}: no modules found below {}", start.display());
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
        let named = manifest.lines().filter_map(|line| line.strip_prefix("lookback-")?.split(['.', ' ', '=']).next());
        found.insert(name, (read, named.map(str::to_owned).collect()));
    }
    found
}

/// What a crate uses, directly and around.
fn below<'a>(name: &'a str, crates: &'a Crates) -> BTreeSet<&'a str> {
    let (mut found, mut open) = (BTreeSet::new(), vec![name]);
    while let Some(next) = open.pop() {
        let named = crates.get(next).map_or(&[][..], |(_, named)| named);
        open.extend(named.iter().map(String::as_str).filter(|name| found.insert(*name)));
    }
    found
}
