//! A shell command, read once: its words, what joins its commands, where its output goes, what it is for and which files
//! it changes.
//!
//! [`Script`] is the one reading of the text; everything else is a question to it. Which program does what stands in one
//! data file, `shell/programs.toml`. Nothing is run and nothing is looked up: the disk, links, functions and aliases are
//! not known here, nor what a command printed.

mod arguments;
mod changes;
mod folder;
mod parse;
mod parts;
mod pattern;
mod printing;
mod programs;
mod purpose;
mod reading;
mod script;
mod wrappers;

pub(crate) use changes::{changed_files, named_files};
pub(crate) use folder::{folder, folder_of, keyed};
pub(crate) use parts::{is_part_of, lie_apart, names_test, parts_of};
pub use pattern::Pattern;
pub(crate) use printing::of_runs;
pub(crate) use programs::{SearchOptions, programs};
pub use purpose::Purpose;
pub(crate) use reading::negates;
pub use reading::{Reading, purposes, runs_tests, telling};
pub use script::{Command, Item, Joint, Redirection, RedirectionKind, Script, Word};

/// Whether a program runs scripts of a shell: `bash`, `/bin/sh`.
pub fn is_shell(program: &str) -> bool {
    programs().shells.has(program.rsplit('/').next().unwrap_or(program))
}

/// Whether what stands in `$(…)` prints a path or the name of a branch, and never an option.
pub fn prints_a_name(command: &str) -> bool {
    programs().names.has(command)
}

/// How many of the words behind a wrapper (`nice -n 5`, `timeout 5`, `xargs`) are its own; nothing for a program that is
/// none.
pub fn own_words(program: &str, rest: &[&str]) -> Option<usize> {
    let wrapper = programs().wrappers.get(program).or_else(|| programs().feeders.get(program))?;
    let mut at = 0;
    while let Some(option) = rest.get(at).filter(|word| word.len() > 1 && word.starts_with('-')) {
        at += 1 + usize::from(wrapper.values.has(option));
    }
    Some((at + wrapper.words).min(rest.len()))
}

/// A word so that a shell reads it as this one word again.
pub fn quoted(word: &str) -> String {
    let is_plain = |next: char| next.is_alphanumeric() || "-_./:=@%+,".contains(next);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}
