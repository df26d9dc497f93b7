//! The parts of a prompt, as every provider has them under one name or another.

use super::{Block, Content, Entry, Member, Span, Text};
use crate::Provider;

/// Which part of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SectionKind {
    /// What a model may call.
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

/// One part of a prompt, and what stands where in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// Which part it is.
    pub kind: SectionKind,
    /// Its value, brackets or quotes included.
    pub span: Span,
    /// What form it has.
    pub value: SectionValue,
    pub(super) entries: Vec<Entry>,
    pub(super) blocks: Vec<Block>,
    pub(super) marks: Vec<Mark>,
}

/// The form of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SectionValue {
    /// Its elements are the section's entries.
    List,
    /// A bare string: a `system` text, an `input` that is one question.
    Text(Text),
    /// Null or something that no provider knows here.
    Other,
}

/// A cache mark that a client set on a tool, a system block, a message or one of its blocks. A mark that a whole body carries is a
/// [`Member`] of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// Where it stands.
    pub section: SectionKind,
    /// The entry of the section.
    pub entry: usize,
    /// The block of a message that carries it, or that the carrying block is inside of; none where the entry itself does.
    pub block: Option<usize>,
    /// Its name and its value.
    pub member: Member,
}

impl Section {
    /// The elements of its list; none where it is no list.
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
