//! Where a value comes from, for a person who wonders why it is so.

use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    BuiltIn,
    /// The user's file; the line from 1, where it can be told.
    File {
        line: Option<usize>,
    },
    /// The file of the project, which is not trusted with much.
    Project {
        line: Option<usize>,
    },
    Variable(String),
    Flag(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn => f.write_str("built in"),
            Self::File { line: Some(line) } => write!(f, "file, line {line}"),
            Self::File { line: None } => f.write_str("file"),
            Self::Project { line: Some(line) } => write!(f, "project's file, line {line}"),
            Self::Project { line: None } => f.write_str("project's file"),
            Self::Variable(name) => f.write_str(name),
            Self::Flag(name) => f.write_str(name),
        }
    }
}

/// A value and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Given<T> {
    pub(crate) value: T,
    pub(crate) origin: Origin,
}

impl<T> Given<T> {
    pub(crate) fn built_in(value: T) -> Self {
        Self { value, origin: Origin::BuiltIn }
    }

    /// Where something stronger says nothing.
    pub(crate) fn unless(self, stronger: Option<T>, origin: Origin) -> Self {
        stronger.map_or(self, |value| Self { value, origin })
    }

    pub(crate) fn or_built_in(value: Option<T>, origin: Origin, built_in: T) -> Self {
        match value {
            Some(value) => Self { value, origin },
            None => Self::built_in(built_in),
        }
    }
}
