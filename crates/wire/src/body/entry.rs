//! Messages, items, tools and system blocks: what stands where in one of them.

use std::ops::Range;

use super::{Span, Text};

/// One element of a section's list. What the list says about it besides is in its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The whole element.
    pub span: Span,
    /// Who speaks; none for what has no role, such as a tool or a call.
    pub role: Option<Text>,
    /// Its `type`.
    pub kind: Option<Text>,
    /// What it says.
    pub content: Content,
}

/// What an entry holds under `content` (for Responses also under `output`: what a tool gave).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Nothing of that name.
    Absent,
    /// One string.
    Text(Text),
    /// Positions among the blocks of its section: [`Section::blocks`](super::Section::blocks) resolves them.
    Blocks(Range<usize>),
    /// Null, a number, an object.
    Other(Span),
}

/// One content block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    /// All of it.
    pub span: Span,
    /// Its `type`.
    pub kind: Option<Text>,
}
