//! Why a body cannot be read or edited, with the byte at which it shows.

use std::ops::Range;

/// A body that is not read. Whoever carries it passes its bytes on as they are: its provider says what it thinks of them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the text of each says what it is")]
pub enum BodyError {
    #[error("the body is not UTF-8 at byte {offset}: JSON must be sent in UTF-8")]
    NotText { offset: usize },
    #[error("the body is not JSON: {expected} was expected at byte {offset}; send one JSON object")]
    NotJson { offset: usize, expected: &'static str },
    #[error("the body nests deeper than {} levels at byte {offset}: send flatter content", super::DEEPEST)]
    TooDeep { offset: usize },
    #[error("react is a text and not an API: read the body as one of the API that carries it")]
    NoApi,
}

/// An edit that does not fit its body. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the text of each says what it is")]
pub enum SpliceError {
    #[error("messages {}..{} do not exist: the body has {count}", range.start, range.end)]
    NoSuchMessages { range: Range<usize>, count: usize },
    #[error("the body has no list of messages: there is nothing to replace or to insert between")]
    NoList,
    #[error("bytes {start}..{end} do not exist: the body has {count}")]
    NoSuchBytes { start: usize, end: usize, count: usize },
    #[error(
        "an edit begins at byte {start}, before the end of the one ahead of it at byte {end}: sort them, and let none overlap"
    )]
    OutOfOrder { start: usize, end: usize },
}
