//! The pure crates stay pure: what they import, what they depend on, and that the lint is there for each.
//!
//! The lint (`clippy.toml`) sees resolved paths; this test sees what a lint can be told to allow.
#![allow(clippy::disallowed_methods, reason = "a test reads the sources that it guards")]

use std::{
    fs,
    path::{Path, PathBuf},
};

const PURE: [&str; 4] = ["engine", "replay", "tokens", "wire"];

/// Crates without I/O, clock, threads or randomness of their own. A new one needs a reason and a line here.
/// `memchr` searches bytes: admission looks for every name of a claim in whole outputs. `aho-corasick` looks for many
/// texts at once: all that the steps of a replayed session name, in all of it.
const ALLOWED_DEPENDENCIES: [&str; 11] = [
    "aho-corasick",
    "base64",
    "blake3",
    "bytes",
    "lookback-engine",
    "lookback-wire",
    "memchr",
    "serde",
    "serde_json",
    "thiserror",
    "toml",
];

const FORBIDDEN: [&str; 17] = [
    "std::fs",
    "std::net",
    "std::env",
    "std::process",
    "std::thread",
    "std::time",
    "std::io",
    "std::os",
    "Mutex",
    "RwLock",
    "OnceLock",
    "tokio",
    "async fn",
    "rand::",
    "HashMap",
    "HashSet",
    "disallowed_",
];

fn crate_folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name)
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a source folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn pure_crates_name_nothing_impure() {
    for name in PURE {
        let mut files = Vec::new();
        sources(&crate_folder(name).join("src"), &mut files);
        assert!(files.len() > 5, "{name} has sources");
        for file in files {
            let text = fs::read_to_string(&file).expect("a source file");
            for module in grouped_imports(&text) {
                let path = format!("std::{module}");
                assert!(!FORBIDDEN.contains(&path.as_str()), "{}: {path} in a pure crate", file.display());
            }
            for (number, line) in text.lines().enumerate() {
                let code = line.split("//").next().unwrap_or("");
                for word in FORBIDDEN {
                    assert!(!code.contains(word), "{}:{}: {word} in a pure crate", file.display(), number + 1);
                }
            }
        }
    }
}

/// What `use std::{…}` names, however it is broken over lines.
fn grouped_imports(text: &str) -> Vec<String> {
    let mut modules = Vec::new();
    for group in text.split("use std::{").skip(1) {
        let (mut depth, mut word) = (0, String::new());
        for character in group.chars() {
            match character {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => modules.push(std::mem::take(&mut word)),
                _ if depth == 0 && !character.is_whitespace() => word.push(character),
                _ => {}
            }
        }
        modules.push(word);
    }
    let first = |module: &String| module.split("::").next().unwrap_or("").to_owned();
    modules.iter().map(first).filter(|module| !module.is_empty()).collect()
}

#[test]
fn grouped_imports_are_seen() {
    assert_eq!(grouped_imports("use std::{\n    fs,\n    io::{self, Read},\n};"), ["fs", "io"]);
}

#[test]
fn pure_crates_depend_on_pure_crates() {
    for name in PURE {
        let manifest = fs::read_to_string(crate_folder(name).join("Cargo.toml")).expect("a manifest");
        let section = manifest.split("[dependencies]").nth(1).and_then(|rest| rest.split("\n[").next());
        let dependencies: Vec<&str> = section
            .expect("a list of dependencies")
            .lines()
            .filter_map(|line| line.split(['.', ' ', '=']).next())
            .filter(|word| !word.is_empty() && !word.starts_with('#'))
            .collect();
        assert!(!dependencies.is_empty() || name == "tokens", "only counting needs nothing");
        for dependency in dependencies {
            assert!(ALLOWED_DEPENDENCIES.contains(&dependency), "{name} depends on {dependency}");
        }
    }
}

#[test]
fn every_pure_crate_has_the_same_lint() {
    let lints = PURE.map(|name| fs::read_to_string(crate_folder(name).join("clippy.toml")).expect("a clippy.toml"));
    assert!(lints.iter().all(|lint| *lint == lints[0]));
    assert!(lints[0].contains("std::time::SystemTime"));
}
