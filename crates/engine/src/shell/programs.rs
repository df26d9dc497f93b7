//! Which program does what: `programs.toml`, as it is read.

use std::{collections::BTreeMap, sync::LazyLock};

use serde::Deserialize;

pub(super) use crate::words::Words;

/// A constant that stands in a file instead of the code: made at its first use, never changed.
static PROGRAMS: LazyLock<Programs> =
    LazyLock::new(|| toml::from_str(include_str!("programs.toml")).expect("a test reads the same file"));

pub(crate) fn programs() -> &'static Programs {
    &PROGRAMS
}

/// By the names of programs.
#[derive(Debug, Deserialize)]
#[serde(from = "BTreeMap<String, T>", bound(deserialize = "T: Clone + Deserialize<'de>"))]
pub(crate) struct Table<T>(BTreeMap<String, T>);

impl<T: Clone> From<BTreeMap<String, T>> for Table<T> {
    /// Where a key holds several names, each of them has the value.
    fn from(table: BTreeMap<String, T>) -> Self {
        let each = |(names, value): (String, T)| {
            names.split(' ').map(|name| (name.to_owned(), value.clone())).collect::<Vec<_>>()
        };
        Self(table.into_iter().flat_map(each).collect())
    }
}

impl<T> Table<T> {
    pub(crate) fn get(&self, name: &str) -> Option<&T> {
        self.0.get(name)
    }
}

impl Table<Words> {
    /// The words of this program, if it has any.
    pub(super) fn of(&self, name: &str) -> &Words {
        self.get(name).unwrap_or(Words::NONE)
    }
}

/// The fields are explained where they are filled.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Programs {
    /// Of the lists, for whoever compares two.
    #[serde(rename = "version")]
    _version: u32,
    pub(crate) looks: Words,
    pub(crate) quiet: Words,
    pub(crate) decides: Words,
    pub(crate) touches: Words,
    pub(crate) writes: Words,
    pub(crate) keeps: Words,
    pub(crate) silent: Words,
    pub(super) names: Words,
    pub(crate) readers: Words,
    pub(crate) pagers: Words,
    pub(crate) filters: Words,
    pub(crate) searches: Words,
    pub(crate) repeats: Words,
    pub(super) terse: Words,
    pub(super) passes_on: Words,
    pub(super) by_pattern: Words,
    pub(super) tells: Words,
    pub(crate) shells: Words,
    pub(crate) pythons: Words,
    pub(crate) editors: Words,
    pub(crate) leads: Words,
    pub(crate) forges: Words,
    pub(crate) forge_looks: Words,
    pub(crate) tests: Words,
    pub(crate) builds: Words,
    pub(crate) checks: Words,
    pub(crate) runs: Words,
    pub(crate) interpreters: Words,
    pub(super) containers: Words,
    pub(super) container_runs: Words,
    pub(crate) test_words: Words,
    pub(crate) build_words: Words,
    pub(super) script_build_words: Words,
    pub(super) apart_words: Words,
    pub(super) says_how: Words,
    pub(super) leaves_out: Words,
    pub(super) test_file_starts: Words,
    pub(super) test_file_ends: Words,
    pub(crate) package_words: Words,
    pub(super) tests_with: Table<Words>,
    pub(super) builds_with: Table<Words>,
    pub(super) idle: Idle,
    pub(super) unrun: Table<Words>,
    pub(super) wrappers: Table<Wrapper>,
    pub(super) feeders: Table<Wrapper>,
    pub(super) launchers: Table<Words>,
    pub(super) keeps_with: Table<Words>,
    pub(super) outputs: Table<Words>,
    pub(super) values: Table<Words>,
    pub(super) git: Git,
    pub(crate) search: Table<SearchOptions>,
    pub(super) formatter_reports: Words,
    pub(super) formatter: Vec<Formatter>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Idle {
    pub(super) all: Words,
    pub(super) of: Table<Words>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wrapper {
    #[serde(default)]
    pub(super) words: usize,
    #[serde(default)]
    pub(super) values: Words,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Git {
    pub(super) looks: Words,
    pub(super) commits: Words,
    pub(super) keeps: Words,
    pub(super) replaces: Words,
    pub(super) terse: Words,
    pub(super) endings: Words,
}

/// Letters and names of options, as far as they are understood.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchOptions {
    pub(crate) short: String,
    pub(crate) short_with_value: String,
    pub(crate) long: Words,
    pub(crate) long_with_value: Words,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Formatter {
    pub(super) names: Words,
    /// None: always.
    #[serde(default)]
    pub(super) with: Words,
    /// None: all.
    #[serde(default)]
    pub(super) endings: Words,
    #[serde(default)]
    pub(super) without_names: WithoutNames,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum WithoutNames {
    /// Standard input, or nothing at all.
    #[default]
    Nothing,
    Here,
    /// The project at large, whatever the folder.
    Everywhere,
}

impl Programs {
    /// Whether a program is made to run tests, or to build or check.
    pub(crate) fn is_runner(&self, name: &str, tests: bool) -> bool {
        match tests {
            true => self.tests.has(name) || self.tests_with.get(name).is_some(),
            false => self.checks.has(name) || self.builds.has(name) || self.builds_with.get(name).is_some(),
        }
    }

    /// Whether a program changes no line of any file, whatever its arguments.
    pub(super) fn keeps_files(&self, name: &str) -> bool {
        [&self.looks, &self.quiet, &self.decides, &self.touches, &self.keeps, &self.tests, &self.checks]
            .iter()
            .any(|words| words.has(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_read_and_says_its_version() {
        assert_eq!(programs()._version, 1);
    }

    #[test]
    fn no_list_names_a_program_twice() {
        let programs = programs();
        for words in [&programs.looks, &programs.quiet, &programs.tests, &programs.runs] {
            let mut names: Vec<&str> = words.iter().collect();
            let all = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), all);
        }
    }
}
