//! A shell command, read once: its words, what joins its commands, where its output goes, what it is for and which files
//! it changes.
//!
//! [`Script`] is the one reading of the text; everything else is a question to it. Which program does what stands in one
//! data file, `shell/programs.toml`. Nothing is run and nothing is looked up: the disk, links, functions and aliases are
//! not known here, nor what a command printed.

mod arguments;
mod changes;
mod parse;
mod pattern;
mod programs;
mod reading;
mod script;
mod wrappers;

pub(crate) use changes::changed_files;
pub use pattern::Pattern;
pub(crate) use programs::{SearchOptions, programs};
pub use reading::{Purpose, Reading, purposes};
pub use script::{Command, Item, Joint, Redirection, RedirectionKind, Script, Word};

/// Whether a program runs scripts of a shell: `bash`, `/bin/sh`.
pub fn is_shell(program: &str) -> bool {
    programs().shells.has(program.rsplit('/').next().unwrap_or(program))
}

/// A word so that a shell reads it as this one word again.
pub fn quoted(word: &str) -> String {
    let is_plain = |next: char| next.is_alphanumeric() || "-_./:=@%+,".contains(next);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}
