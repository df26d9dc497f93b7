//! Lists of words: `words.toml`, as it is read, and the list that every such file is made of.

use std::sync::LazyLock;

use serde::Deserialize;

/// A constant that stands in a file instead of the code: made at its first use, never changed.
static LISTS: LazyLock<Lists> =
    LazyLock::new(|| toml::from_str(include_str!("words.toml")).expect("a test reads the same file"));

pub(crate) fn lists() -> &'static Lists {
    &LISTS
}

/// A list of words. They are few and looked for one by one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub(crate) struct Words(Vec<String>);

impl Words {
    pub(crate) const NONE: &'static Self = &Self(Vec::new());

    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|listed| listed == name)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether one of them begins a text.
    pub(crate) fn begin(&self, text: &str) -> bool {
        self.iter().any(|listed| text.starts_with(listed))
    }

    /// Whether one of them stands in a text, in a word or alone.
    pub(crate) fn stand_in(&self, text: &str) -> bool {
        self.iter().any(|listed| text.contains(listed))
    }
}

/// The fields are explained where they are filled.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Lists {
    #[serde(rename = "version")]
    _version: u32,
    pub(crate) insignificant: Words,
    pub(crate) unheard: Words,
    pub(crate) naming: Words,
    pub(crate) stating: Words,
    pub(crate) negating: Words,
    pub(crate) negating_signs: Words,
    pub(crate) short_forms: Words,
    pub(crate) error_starts: Words,
    pub(crate) error_marks: Words,
    pub(crate) open_errors: Words,
    pub(crate) error_words: Words,
    pub(crate) warns: Words,
    pub(crate) build_good: Words,
    pub(crate) build_bad: Words,
    pub(crate) missing_before: Words,
    pub(crate) missing_behind: Words,
    pub(crate) scratch: Words,
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_file_is_read_and_says_its_version() {
        assert_eq!(super::lists()._version, 1);
    }
}
