//! The parts of a prompt, as every provider has them under one name or another.

use super::{Block, Content, Entry, Mark, Span, Text};
use crate::Provider;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SectionKind {
    Tools,
    /// `system`, or `instructions` for Responses. Chat has it among its messages.
    System,
    /// `messages`, or `input` for Responses.
    Messages,
}

impl SectionKind {
    /// The order in which a provider puts its prompt together, with the names that it gives to the sections.
    pub(super) fn order(provider: Provider) -> &'static [(SectionKind, &'static str)] {
        match provider {
            Provider::Anthropic => &[(Self::Tools, "tools"), (Self::System, "system"), (Self::Messages, "messages")],
            Provider::Chat => &[(Self::Tools, "tools"), (Self::Messages, "messages")],
            Provider::Responses => &[(Self::System, "instructions"), (Self::Tools, "tools"), (Self::Messages, "input")],
            Provider::React => &[],
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    pub kind: SectionKind,
    /// Its value, brackets or quotes included.
    pub span: Span,
    pub value: SectionValue,
    pub(super) entries: Vec<Entry>,
    pub(super) blocks: Vec<Block>,
    pub(super) marks: Vec<Mark>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SectionValue {
    List,
    /// A bare string: a `system` text, an `input` that is one question.
    Text(Text),
    /// Null or something that no provider knows here.
    Other,
}

impl Section {
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The content blocks of an entry of this section.
    pub fn blocks(&self, entry: &Entry) -> &[Block] {
        match &entry.content {
            Content::Blocks(range) => self.blocks.get(range.clone()).unwrap_or_default(),
            Content::Absent | Content::Text(_) | Content::Other(_) => &[],
        }
    }

    /// The cache marks in it, in the order of the bytes.
    pub fn marks(&self) -> &[Mark] {
        &self.marks
    }
}
