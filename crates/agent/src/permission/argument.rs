//! The words of a command as they matter to what it may destroy, and why one is held.

use std::fmt;

use lookback_engine::shell::Word;

/// In bytes: a variable is sought in texts up to here, and taken for an option in longer ones.
const LONGEST_SEARCHED: usize = 16 << 10;

/// Words and programs that stand before another program; the letters of their options that take the next word; how
/// many words are their own.
const WRAPPERS: &[(&str, &str, usize)] = &[
    ("if then elif else do while until ! { coproc command builtin nohup setsid unbuffer busybox", "", 0),
    ("function", "", 1),
    ("env", "uCS", 0),
    ("time", "fo", 0),
    ("exec", "a", 0),
    ("nice", "n", 0),
    ("ionice", "cnp", 0),
    ("stdbuf", "ioe", 0),
    ("sudo doas", "ugpCDRTUh", 0),
    ("unshare", "SG", 0),
    ("timeout", "sk", 1),
    ("chroot flock taskset chrt", "w", 1),
    ("xargs parallel", "IndPLsEaj", 0),
    ("watch", "n", 0),
    ("strace ltrace", "eopsE", 0),
];

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
        let raw = whole.get(word.start..).unwrap_or_default();
        let is_substituted_file = raw.starts_with("<(");
        let raw = raw.split(|next: char| next.is_whitespace() || ";&|)".contains(next)).next().unwrap_or_default();
        let text = word.text();
        // Escapes of `$'…'` are not read, so nobody knows what such a word says.
        let is_escaped = raw.contains("$'") && raw.contains('\\');
        let is_literal = word.literal().is_some() && !is_escaped;
        let is_bare =
            raw.starts_with('`') || (raw.starts_with('$') && !raw.starts_with("$'") && !raw.starts_with("$\""));
        let is_set_to_option = text.strip_prefix('$').filter(|name| !name.is_empty()).is_some_and(|name| {
            let sets = |value: &&str| whole.contains(&format!("{name}{value}"));
            whole.len() > LONGEST_SEARCHED || ["=-", "=\"-", "='-"].iter().any(sets)
        });
        let has_option = text.starts_with('-') || is_escaped || raw.contains("{-") || raw.contains(",-");
        let may_be_option = is_bare || (!is_literal && (is_set_to_option || has_option));
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

/// How many words behind a wrapper are its own; nothing for a program that is none.
pub(super) fn own_words(program: &str, rest: &[Argument]) -> Option<usize> {
    let (_, values, own) = WRAPPERS.iter().find(|(names, ..)| names.split(' ').any(|name| name == program))?;
    let mut at = 0;
    while let Some(word) = rest.get(at).filter(|word| word.text.len() > 1 && word.text.starts_with('-')) {
        let mut letters = word.text.chars().skip(1);
        let has_value = letters.next().is_some_and(|letter| values.contains(letter)) && letters.next().is_none();
        at += 1 + usize::from(has_value);
    }
    Some((at + own).min(rest.len()))
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
