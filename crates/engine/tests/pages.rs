//! Pages and sources agree: tests that docs/seeds.md names exist, and comments cite pages that are here.
#![allow(clippy::disallowed_methods, reason = "a test reads the sources that it guards")]

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

#[test]
fn every_rule_of_the_seeds_has_its_test() {
    let sources = sources();
    let tests: BTreeSet<&str> = sources.iter().flat_map(|(_, text)| functions(text)).collect();
    let page = read("docs/seeds.md");
    let mut named = BTreeSet::new();
    for row in page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| rule ")) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [_, _, place, test] = cells[..] else { panic!("four columns: {row}") };
        let names: Vec<&str> = test.split('`').skip(1).step_by(2).collect();
        assert!(
            !names.is_empty() || test.contains("comes with") || test == "history" || place == "docs/design",
            "no test and no reason: {row}"
        );
        named.extend(names);
    }
    let missing: Vec<_> = named.difference(&tests).collect();
    assert!(missing.is_empty(), "named in docs/seeds.md, but nowhere to be found: {missing:?}");
    let seeds = tests.into_iter().filter(|test| test.starts_with("seed_"));
    let unnamed: Vec<_> = seeds.filter(|test| !named.contains(test)).collect();
    assert!(unnamed.is_empty(), "missing in docs/seeds.md: {unnamed:?}");
}

#[test]
fn what_is_cited_is_there() {
    let seeds = read("docs/seeds.md");
    let rows = seeds.lines().filter_map(|line| line.strip_prefix("| "));
    let rules: BTreeSet<&str> = rows.filter_map(|row| row.split([' ', ',']).next()).collect();
    for (path, text) in sources() {
        let text = without_line_breaks(&text);
        for page in ["docs/design/model.md", "docs/design/folding.md", "docs/design/measuring.md", "docs/measuring.md"]
        {
            let headings = read(page);
            for cited in text.split(&format!("{page}, \"")).skip(1).filter_map(|rest| rest.split('"').next()) {
                let is_there = headings.lines().any(|line| line.trim_start_matches('#').trim() == cited);
                assert!(is_there, "{}: {page} has no heading \"{cited}\"", path.display());
            }
        }
        for cited in
            text.split("docs/seeds.md ").skip(1).filter_map(|rest| rest.split([' ', ',', ':', ')', ';']).next())
        {
            let cited = cited.trim_end_matches('.');
            let is_rule = cited.contains(|character: char| character.is_ascii_digit());
            assert!(!is_rule || rules.contains(cited), "{}: docs/seeds.md has no rule {cited}", path.display());
        }
    }
}

#[test]
fn nothing_outside_is_cited() {
    // In two pieces each, so that this file is not found by itself.
    let outside = [("context-", "engineering"), ("workbench-", "state-flow"), ("execute-", "history-reform")];
    let pages = ["1-pro", "2-mod", "3-fold", "4-ag", "5-gate", "6-eval", "7-sty", "8-scr"];
    let outside = outside.map(|(first, last)| format!("{first}{last}"));
    let outside: Vec<String> = outside.into_iter().chain(pages.map(|page| format!("design {page}"))).collect();
    for (path, text) in sources() {
        let text = without_line_breaks(&text).to_lowercase();
        let cited = outside.iter().find(|words| text.contains(words.as_str()));
        assert_eq!(cited, None, "{} cites what is not in this repository", path.display());
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(page: &str) -> String {
    fs::read_to_string(root().join(page)).unwrap_or_else(|error| panic!("{page}: {error}"))
}

/// Everything that may hold a comment.
fn sources() -> Vec<(PathBuf, String)> {
    let mut folders: Vec<PathBuf> =
        ["crates", "bench", "fuzz", "prices", "prompts"].map(|folder| root().join(folder)).into();
    let mut sources = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder").filter_map(Result::ok) {
            let path = entry.path();
            let ending = path.extension().and_then(|ending| ending.to_str());
            if path.is_dir() && !path.ends_with("target") {
                folders.push(path);
            } else if matches!(ending, Some("rs" | "toml" | "md")) {
                sources.push((path.clone(), fs::read_to_string(path).expect("UTF-8")));
            }
        }
    }
    sources
}

fn functions(text: &str) -> impl Iterator<Item = &str> {
    text.split("fn ").skip(1).filter_map(|rest| rest.split(['(', '<']).next())
}

/// A citation may go on in the next line of its comment.
fn without_line_breaks(text: &str) -> String {
    text.lines().map(|line| line.trim_start().trim_start_matches(['/', '!', '#']).trim()).collect::<Vec<_>>().join(" ")
}
