//! Keys: where they come from, and how they are spoken of without being shown.
//!
//! A key is looked up when it is first needed and then kept. It appears in no log, no error and no debug output; only
//! the client's headers ever see it.

mod command;

use std::{env, fmt, sync::Arc};

use tokio::sync::OnceCell;

/// Only this much of a key's end is ever shown, and nothing of a short key.
const SHOWN_END: usize = 3;
const SHORTEST_SHOWN: usize = 20;

/// A key, or where to get it. Clones share what was found.
#[derive(Clone)]
pub struct Key {
    inner: Arc<Inner>,
}

struct Inner {
    source: Source,
    found: OnceCell<String>,
}

enum Source {
    Variable(String),
    Written { value: String, place: String },
    Command(String),
}

/// Why there is no key to send. Never holds any of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the text of each says what it is")]
pub enum KeyError {
    #[error("{0} is not set; set it, or choose another source for the key in the configuration")]
    NotSet(String),
    #[error("{0} is empty; set it to the key")]
    Empty(String),
    #[error(
        "{origin} holds {character} as character {position}, which no key has; \
         it was probably cut or copied with something around it"
    )]
    BadCharacter { origin: String, character: &'static str, position: usize },
    #[error("{program} gave no key: {reason}; run it by hand to see why")]
    Command { program: String, reason: String },
    #[error("{program} printed more than {} KiB, and a key is its first line: let it print nothing else", limit >> 10)]
    CommandPrintsTooMuch { program: String, limit: usize },
}

impl Key {
    /// From an environment variable.
    pub fn from_variable(name: impl Into<String>) -> Self {
        Self::of(Source::Variable(name.into()))
    }

    /// As written in a file; `place` is the file's name for a person.
    pub fn from_file(value: impl Into<String>, place: impl Into<String>) -> Self {
        Self::of(Source::Written { value: value.into(), place: place.into() })
    }

    /// From the first line that a command prints; the shell runs it.
    pub fn from_command(command: impl Into<String>) -> Self {
        Self::of(Source::Command(command.into()))
    }

    fn of(source: Source) -> Self {
        Self { inner: Arc::new(Inner { source, found: OnceCell::new() }) }
    }

    /// Looks the key up, if nobody has yet. A failure is not kept: the next call looks again.
    pub async fn resolve(&self) -> Result<(), KeyError> {
        self.value().await.map(|_| ())
    }

    pub(crate) async fn value(&self) -> Result<&str, KeyError> {
        self.inner.found.get_or_try_init(|| self.look_up()).await.map(String::as_str)
    }

    /// The value, if it was looked up.
    pub(crate) fn known(&self) -> Option<&str> {
        self.inner.found.get().map(String::as_str)
    }

    async fn look_up(&self) -> Result<String, KeyError> {
        let value = match &self.inner.source {
            Source::Variable(name) => env::var_os(name)
                .ok_or_else(|| KeyError::NotSet(name.clone()))?
                .into_string()
                .unwrap_or_else(|raw| raw.to_string_lossy().into_owned()),
            Source::Written { value, .. } => value.clone(),
            Source::Command(command) => command::run(command).await?,
        };
        check(&value, self.origin())?;
        Ok(value)
    }

    /// Where it comes from, for a person.
    fn origin(&self) -> String {
        match &self.inner.source {
            Source::Variable(name) => name.clone(),
            Source::Written { place, .. } => format!("the key in {place}"),
            Source::Command(command) => command::name(command),
        }
    }

    /// What can be said of it: `ANTHROPIC_API_KEY is set, 108 characters, ends in …f3a`.
    pub fn describe(&self) -> String {
        let known = self.inner.found.get();
        match &self.inner.source {
            Source::Variable(name) => match known.cloned().or_else(|| env::var(name).ok()) {
                Some(value) => format!("{name} is set, {}", measured(&value)),
                None => format!("{name} is not set"),
            },
            Source::Written { value, place } => format!("the key in {place} has {}", measured(value)),
            Source::Command(_) => match known {
                Some(value) => format!("{} gave {}", self.origin(), measured(value)),
                None => format!("{} has given no key yet", self.origin()),
            },
        }
    }
}

/// Never the key.
impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({})", self.origin())
    }
}

fn measured(value: &str) -> String {
    let length = value.chars().count();
    if length < SHORTEST_SHOWN {
        return format!("{length} characters");
    }
    let end: String = value.chars().skip(length - SHOWN_END).collect();
    format!("{length} characters, ends in …{end}")
}

fn check(value: &str, origin: String) -> Result<(), KeyError> {
    if value.is_empty() {
        return Err(KeyError::Empty(origin));
    }
    match value.chars().enumerate().find(|(_, c)| !c.is_ascii_graphic()) {
        None => Ok(()),
        Some((index, c)) => {
            let character = match c {
                '\n' | '\r' => "a line break",
                ' ' | '\t' => "a space",
                '\0'..='\x1f' | '\x7f' => "a control character",
                _ => "a letter that is not ASCII",
            };
            Err(KeyError::BadCharacter { origin, character, position: index + 1 })
        }
    }
}

#[cfg(test)]
mod tests;
