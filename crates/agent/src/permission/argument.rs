//! The words of a command as they matter to what it may destroy, and why one is held.

use std::fmt;

use lookback_engine::shell::{Word, prints_a_name};

/// In bytes: a variable is sought in texts up to here, and taken for an option in longer ones.
const LONGEST_SEARCHED: usize = 16 << 10;
/// So many variables are followed that are made of others.
const MOST_FOLLOWED: usize = 16;

/// Why a command is held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Held {
    /// What it is called.
    Lost(String),
    /// Its program or its options are not in the text.
    Composed,
    Unreadable,
}

impl fmt::Display for Held {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lost(what) => write!(to, "{what} cannot be taken back: it is held unless --allow names it"),
            Self::Composed => to.write_str("a command that is put together when it runs is held: write it out"),
            Self::Unreadable => to.write_str("a command that cannot be read as a whole is held"),
        }
    }
}

/// A word, with what it may become.
#[derive(Debug, Clone)]
pub(super) struct Argument {
    pub(super) text: String,
    /// At least its last part stands in the text as the program gets it.
    is_named: bool,
    /// It may be an option, or several words.
    pub(super) may_be_option: bool,
    /// `<(…)`.
    pub(super) is_substituted_file: bool,
}

impl Argument {
    pub(super) fn new(word: &Word, whole: &str) -> Self {
        let behind = whole.get(word.start..).unwrap_or_default();
        let raw = behind;
        let is_substituted_file = raw.starts_with("<(");
        let raw = raw.split(|next: char| next.is_whitespace() || ";&|)".contains(next)).next().unwrap_or_default();
        let text = word.text();
        // Escapes of `$'…'` are not read, so nobody knows what such a word says.
        let is_escaped = raw.contains("$'") && raw.contains('\\');
        let is_literal = word.literal().is_some() && !is_escaped;
        let is_bare =
            raw.starts_with('`') || (raw.starts_with('$') && !raw.starts_with("$'") && !raw.starts_with("$\""));
        let has_option = text.starts_with('-') || is_escaped || raw.contains("{-") || raw.contains(",-");
        let may_be_option =
            is_bare || (!is_literal && (has_option || begins_as_option(behind, whole, &mut Vec::new())));
        // `"$VENV/bin/python"`: only where it lies is unknown.
        let is_one = raw.starts_with(['"', '/', '.']) || raw.starts_with("$HOME/") || raw.starts_with("$PWD/");
        let is_named = is_literal || (is_one && !is_escaped && text.contains('/'));
        Self { text, is_named, may_be_option, is_substituted_file }
    }

    /// What other programs put there.
    pub(super) fn input() -> Self {
        Self { text: "$".to_owned(), is_named: false, may_be_option: true, is_substituted_file: false }
    }

    /// The last part of the path, where it is known.
    pub(super) fn program(&self) -> Option<&str> {
        let name = self.text.rsplit('/').next().unwrap_or_default();
        (self.is_named && !name.contains(['$', '*', '?']) && name != "{}").then_some(name)
    }

    pub(super) fn is_assignment(&self) -> bool {
        self.text.split_once('=').is_some_and(|(name, _)| {
            let name = name.strip_suffix('+').unwrap_or(name);
            let name = name.split('[').next().unwrap_or(name);
            !name.is_empty() && name.chars().all(|next| next.is_ascii_alphanumeric() || next == '_')
        })
    }

    /// A file that is what somebody else writes just now.
    pub(super) fn is_input(&self) -> bool {
        self.is_substituted_file
            || self.text == "-"
            || ["/dev/stdin", "/dev/fd/", "/proc/"].iter().any(|start| self.text.starts_with(start))
    }
}

/// Whether the beginning of a word, or of a value, may be that of an option once everything is put in.
fn begins_as_option<'a>(raw: &'a str, whole: &'a str, followed: &mut Vec<&'a str>) -> bool {
    let raw = raw.trim_start_matches('"');
    let Some(behind) = raw.strip_prefix('$') else { return raw.trim_start_matches('\'').starts_with(['-', '`']) };
    if let Some(inside) = behind.strip_prefix('(') {
        return !inside.split_once(')').is_some_and(|(command, _)| prints_a_name(command.trim()));
    }
    let inside = behind.strip_prefix('{').unwrap_or(behind);
    let end = inside.find(|next: char| !(next.is_ascii_alphanumeric() || next == '_')).unwrap_or(inside.len());
    let (name, rest) = inside.split_at(end);
    // `$1`, `$@`, `${!x}`, `$'\x2d'`.
    if name.is_empty() || name.starts_with(|first: char| first.is_ascii_digit()) {
        return true;
    }
    let is_changed = behind.len() > inside.len() && !rest.starts_with(['}', '%', '^', ',']);
    is_changed || may_be_set_to_option(name, whole, followed)
}

fn may_be_set_to_option<'a>(name: &'a str, whole: &'a str, followed: &mut Vec<&'a str>) -> bool {
    if followed.contains(&name) {
        return false;
    }
    followed.push(name);
    if whole.len() > LONGEST_SEARCHED || followed.len() > MOST_FOLLOWED {
        return true;
    }
    let is_whole = |at: usize| !whole[..at].ends_with(|before: char| before.is_ascii_alphanumeric() || before == '_');
    whole.match_indices(name).filter(|(at, _)| is_whole(*at)).any(|(at, _)| {
        let behind = &whole[at + name.len()..];
        let behind = behind.strip_prefix('+').unwrap_or(behind);
        if let Some(value) = behind.strip_prefix('=') {
            return begins_as_option(value, whole, followed);
        }
        let Some(listed) = behind.trim_start().strip_prefix("in ").filter(|_| whole[..at].ends_with("for ")) else {
            return false;
        };
        listed.split([';', '\n']).next().unwrap_or_default().split_whitespace().any(|word| {
            word.trim_start_matches(['"', '\'']).starts_with(['-', '`'])
                || word.trim_start_matches('"').starts_with("$(echo")
        })
    })
}

/// Whether one of the letters stands among short options.
pub(super) fn is_short(word: &str, letters: &[char]) -> bool {
    word.starts_with('-') && !word.starts_with("--") && word.contains(letters)
}

/// Also shortened, as most programs take it.
pub(super) fn is_long(word: &str, name: &str) -> bool {
    let word = word.split('=').next().unwrap_or(word);
    word.len() > 2 && name.starts_with(word)
}
