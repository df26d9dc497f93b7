//! What a command names: its words, the paths among them, what stands in here-documents.
//!
//! Nothing is expanded, and what a program makes of its words is not known: a word is a path if it looks like one.

use std::{collections::BTreeSet, ops::Range};

use lookback_engine::shell::{Script, Word, is_shell};

/// A command as far as it names something.
pub(super) struct Told {
    /// Without the bodies of its here-documents, and blanks for the messages of commits: what is written there is said for
    /// the first time, in plain words.
    pub(super) text: String,
    pub(super) documents: Vec<String>,
    /// Quotes removed; the script of `bash -c '…'` is split, too.
    pub(super) words: Vec<String>,
}

pub(super) fn tell(command: &str) -> Told {
    // SWE-agent: `edit 3:9`, the new text, `end_of_edit`.
    let edit = command.strip_suffix("end_of_edit").or_else(|| command.trim_end().strip_suffix("end_of_edit"));
    let (command, edited) = match edit.filter(|edit| edit.starts_with("edit ")).and_then(|edit| edit.split_once('\n')) {
        Some((line, text)) => (line, Some(text.to_owned())),
        None => (command, None),
    };
    let script = Script::parse(command);
    let documents = script.all_documents().into_iter().map(|(text, _)| text.clone()).chain(edited).collect();
    let mut text = command.to_owned();
    for message in messages(&script, command.len()) {
        if let Some(said) = command.get(message.clone()) {
            text.replace_range(message, &" ".repeat(said.len()));
        }
    }
    Told { text: script.without_documents(&text), documents, words: words(&script) }
}

/// Where the words stand that `git commit -m` and its like take as a message, up to the word behind each.
fn messages(script: &Script, end: usize) -> Vec<Range<usize>> {
    let starts: BTreeSet<usize> = script.words().iter().map(|word| word.start).collect();
    let mut found = Vec::new();
    for command in script.commands() {
        let words: Vec<String> = command.words.iter().map(Word::text).collect();
        let git = words.iter().any(|word| word == "git") && words.iter().any(|word| word == "commit" || word == "tag");
        for (index, word) in words.iter().enumerate().filter(|_| git) {
            let is_option =
                word == "--message" || !word.starts_with("--") && word.starts_with('-') && word.ends_with('m');
            let message = if word.starts_with("--message=") { Some(index) } else { is_option.then_some(index + 1) };
            if let Some(message) = message.and_then(|message| command.words.get(message)) {
                let behind = starts.range(message.start + 1..).next();
                found.push(message.start..behind.copied().unwrap_or(end));
            }
        }
    }
    found
}

fn words(script: &Script) -> Vec<String> {
    let mut words = Vec::new();
    script.words().into_iter().for_each(|word| push_word(&mut words, word.text()));
    words
}

fn push_word(done: &mut Vec<String>, word: String) {
    let is_script = match done.as_slice() {
        [.., shell, option] => {
            is_shell(shell) && option.starts_with('-') && option.ends_with('c') && word.contains(char::is_whitespace)
        }
        _ => false,
    };
    if is_script { done.extend(words(&Script::parse(&word))) } else { done.push(word) }
}

/// The path that a word of a command is, if it looks like one: it has a `/` or a file extension. The line behind it
/// (`main.rs:12`) is given apart.
///
/// Not taken for paths: addresses (`https://…`), `/dev/null`, substitutions of `sed`, names with wildcards, options
/// (`--file=x/y` gives `x/y`).
pub(super) fn path_of(word: &str) -> Option<(&str, Option<u32>)> {
    if word.contains("://") || word.contains(char::is_whitespace) {
        return None;
    }
    let word = match word.split_once('=') {
        Some((name, value)) if name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b)) => value,
        _ if word.starts_with('-') => return None,
        _ => word,
    };
    let (word, line) = without_line(word.trim_start_matches('@'));
    // `tests/test_a.py::test_b` is a test in a file, `HEAD:src/a.py` a file in a revision.
    let word = word.split_once("::").map_or(word, |(file, _)| file);
    let word = word.rsplit(':').next().unwrap_or(word);
    let is_substitution = word.starts_with("s/") && word.matches('/').count() >= 3;
    if is_substitution || word.starts_with("/dev/") || word.contains(['(', ')', '|', '^', '\\', '<', '>', '"', ';']) {
        return None;
    }
    let name = last_component(word)?;
    let plain = name.chars().all(|c| c.is_alphanumeric() || "_-.~+@%,".contains(c));
    let is_path = name.len() >= 2 && (word.contains('/') || has_extension(name));
    (plain && is_path).then_some((word, line))
}

/// `main.rs:12:5` is line 12 of `main.rs`, `main.rs:12-40` begins there.
fn without_line(word: &str) -> (&str, Option<u32>) {
    let (mut word, mut line) = (word, None);
    while let Some((before, number)) = word.trim_end_matches(':').rsplit_once(':') {
        let Ok(number) = number.split('-').next().unwrap_or(number).parse() else { break };
        (word, line) = (before, Some(number));
    }
    (word, line)
}

fn has_extension(name: &str) -> bool {
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    let is_word = (1..=10).contains(&extension.len()) && extension.bytes().all(|b| b.is_ascii_alphanumeric());
    is_word
        && extension.starts_with(|c: char| c.is_ascii_alphabetic())
        && (stem.len() >= 2 || extension.len() >= 3 || stem.starts_with(char::is_alphanumeric))
}

/// The last component of a path that names something.
pub(super) fn last_component(path: &str) -> Option<&str> {
    let name = path.trim_end_matches('/').rsplit(['/', '\\']).next()?;
    name.contains(char::is_alphabetic).then_some(name)
}
