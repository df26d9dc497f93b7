//! A request body from outside: its bytes as they came, and where everything in them stands.
//!
//! Nothing here is serialised anew from parsed values. A body is read once, in one pass and without copying what its
//! messages say; an edit ([`Body::splice`]) replaces some bytes and leaves all others as they were: white space, key
//! order, number formatting, duplicate keys and escapes included.
//!
//! What a message means is read only when somebody asks ([`Body::message`]); whether the provider would accept the body is
//! not known here.

mod chain;
mod entry;
mod error;
mod facts;
mod mark;
mod member;
mod read;
mod scan;
mod section;
mod span;
mod splice;
mod string;
#[cfg(test)]
mod tests;

use bytes::Bytes;

use crate::{Message, ParseError, Provider, parse_message};
pub use chain::{Digest, Link, chain_of};
pub use entry::{Block, Content, Entry};
pub use error::{BodyError, SpliceError};
pub use facts::Earlier;
pub use member::Member;
pub use scan::Scanner;
pub use section::{Mark, Section, SectionKind, SectionValue};
pub use span::{Span, Text};
pub use splice::Edit;

/// How deep a body may nest: as deep as serde_json reads values, so that whatever is held can also be parsed. The walk
/// over it keeps its path in the bits of a number and would not overflow.
const DEEPEST: u32 = 127;

/// A body of one of the three JSON APIs.
///
/// Where a name stands twice in one object, the last one counts, as it does for nearly every reader of JSON; the
/// bytes keep both.
#[derive(Debug, Clone)]
pub struct Body {
    provider: Provider,
    bytes: Bytes,
    members: Vec<Member>,
    /// In the provider's own order, which is that of its cache and not that of the bytes.
    sections: Vec<Section>,
}

impl Body {
    /// Reads a body in one pass. An error means that the bytes are better passed on as they are.
    pub fn parse(provider: Provider, bytes: impl Into<Bytes>) -> Result<Self, BodyError> {
        let bytes = bytes.into();
        let (members, sections) = read::parse(provider, &bytes)?;
        Ok(Self { provider, bytes, members, sections })
    }

    /// The API that the body was read as.
    pub fn provider(&self) -> Provider {
        self.provider
    }

    /// The body as it came.
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// What stands in a span of this body.
    pub fn slice(&self, span: Span) -> &[u8] {
        &self.bytes[span.start..span.end]
    }

    /// Everything at the top level, in the order of the bytes, duplicates included.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// Tools, system text and messages as far as they are there, in the order in which the provider puts its prompt
    /// together: Anthropic tools, system, messages; Chat tools, messages; Responses instructions, tools, input.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// None where the body has no such section.
    pub fn section(&self, kind: SectionKind) -> Option<&Section> {
        self.sections.iter().find(|section| section.kind == kind)
    }

    /// The messages (items, for Responses). None where the body has none, or a bare text.
    pub fn messages(&self) -> &[Entry] {
        self.section(SectionKind::Messages).map_or(&[], Section::entries)
    }

    /// What a message says, as far as we understand it; the rest is native. None where the body has no such message.
    pub fn message(&self, message: usize) -> Option<Result<Vec<Message<'_>>, ParseError>> {
        let entry = self.messages().get(message)?;
        Some(parse_message(self.provider, self.slice(entry.span)))
    }

    /// The content blocks of a message, where it has a list of them.
    pub fn blocks(&self, message: usize) -> &[Block] {
        let Some(section) = self.section(SectionKind::Messages) else { return &[] };
        section.entries().get(message).map_or(&[], |entry| section.blocks(entry))
    }

    /// Every cache mark on a tool, a block or a message, in the provider's order.
    pub fn marks(&self) -> impl Iterator<Item = &Mark> {
        self.sections.iter().flat_map(Section::marks)
    }
}
