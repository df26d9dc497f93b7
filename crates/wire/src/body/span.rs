//! Places in a body. A place does not know which body it belongs to.

use std::borrow::Cow;

use super::{Body, string};

/// A range of bytes, the end not included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// Behind the last byte.
    pub end: usize,
}

impl Span {
    /// In bytes.
    pub fn len(self) -> usize {
        self.end - self.start
    }

    /// A place between two bytes.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// A JSON string: the span between its quotes, and whether something in it is escaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text {
    /// Without the quotes.
    pub span: Span,
    pub(super) spelling: Spelling,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling {
    Plain,
    Escaped,
}

impl Text {
    /// The whole string with its quotes.
    pub fn quoted(self) -> Span {
        Span { start: self.span.start - 1, end: self.span.end + 1 }
    }

    /// Whether it says this, given the bytes that it was read from.
    pub(super) fn says(self, bytes: &[u8], expected: &str) -> bool {
        match self.spelling {
            Spelling::Plain => &bytes[self.span.start..self.span.end] == expected.as_bytes(),
            Spelling::Escaped => self.read(bytes) == expected,
        }
    }

    /// What it says, given the bytes that it was read from.
    pub(super) fn read(self, bytes: &[u8]) -> Cow<'_, str> {
        let written = &bytes[self.span.start..self.span.end];
        let written = std::str::from_utf8(written).expect("a body is UTF-8 or was refused, and quotes are characters");
        match self.spelling {
            Spelling::Plain => Cow::Borrowed(written),
            Spelling::Escaped => string::unescape(written),
        }
    }
}

impl Body {
    /// What a string of this body says; borrowed unless something in it is escaped. A string with half a surrogate pair
    /// cannot be said in UTF-8 and is given as it is written.
    pub fn text(&self, text: Text) -> Cow<'_, str> {
        text.read(&self.bytes)
    }
}
