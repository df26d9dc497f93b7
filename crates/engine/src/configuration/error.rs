//! Why settings were refused, in words for whoever wrote them.

use thiserror::Error;

/// Why a settings file was not taken.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ConfigurationError {
    /// Not TOML, an unknown field, or a value of the wrong kind.
    #[error("line {line}, column {column}{}: {problem}", field.as_ref().map(|field| format!(", {field}")).unwrap_or_default())]
    Unreadable {
        /// From 1.
        line: usize,
        /// In characters, from 1.
        column: usize,
        /// As far as the line names one.
        field: Option<String>,
        /// What the parser said.
        problem: String,
    },
    /// A value that makes no sense.
    #[error("{}{value}", line.map(|line| format!("line {line}: ")).unwrap_or_default())]
    Value {
        /// Where the file says it.
        line: Option<usize>,
        /// Which, and why.
        #[source]
        value: BadValue,
    },
}

/// A value that makes no sense. Fields are named as in the file: `fold.keep_steps`.
#[derive(Debug, Clone, PartialEq, Error)]
#[allow(missing_docs, reason = "the text of each says what it is")]
pub enum BadValue {
    #[error("{field} is {value}: it must be at least {least}")]
    TooSmall { field: &'static str, value: u64, least: u64 },
    #[error("{field} is {value}: it may be at most {most}")]
    TooLarge { field: &'static str, value: u64, most: u64 },
    #[error("{field} is {value}: a share is {range}")]
    NoShare { field: &'static str, value: f64, range: &'static str },
    #[error("{field} is {value}: a count may not be below 0")]
    Negative { field: &'static str, value: f64 },
    #[error("{field} keeps the first {head} of more than {whole}: its head may not be larger than its whole")]
    HeadAboveWhole { field: &'static str, whole: usize, head: usize },
    #[error("{lower} is {least} and {upper} is {most}: the first may not be larger than the second")]
    Crossed { lower: &'static str, least: u64, upper: &'static str, most: u64 },
    #[error("{edge} is {tokens}: two of them must stay below {limit}, which is {limit_tokens}")]
    EdgesTooLong { edge: &'static str, tokens: u32, limit: &'static str, limit_tokens: u32 },
}

impl BadValue {
    /// The fields that it speaks of.
    pub fn fields(&self) -> Vec<&'static str> {
        match self {
            Self::TooSmall { field, .. }
            | Self::TooLarge { field, .. }
            | Self::NoShare { field, .. }
            | Self::Negative { field, .. }
            | Self::HeadAboveWhole { field, .. } => vec![field],
            Self::Crossed { lower, upper, .. } => vec![lower, upper],
            Self::EdgesTooLong { edge, limit, .. } => vec![edge, limit],
        }
    }
}
