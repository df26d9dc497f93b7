//! Replacing parts of a body. Every byte that no edit names goes out as it came in.

use std::{borrow::Cow, ops::Range};

use super::{Body, Entry, SectionKind, SectionValue, Span, SpliceError};

/// One change. The new bytes are not checked: they must be JSON that fits its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit<'e> {
    /// Messages by their positions, replaced by others, joined by commas; by none where it is empty. An empty range
    /// inserts before the message of that position.
    Messages {
        /// Positions among the body's messages.
        range: Range<usize>,
        /// JSON values with commas between them.
        with: Cow<'e, [u8]>,
    },
    /// Any bytes.
    Bytes {
        /// What goes.
        span: Span,
        /// What comes in its place.
        with: Cow<'e, [u8]>,
    },
}

impl Body {
    /// The body with these edits, which come in the order of the bytes and do not overlap. Commas stay right.
    pub fn splice(&self, edits: &[Edit<'_>]) -> Result<Vec<u8>, SpliceError> {
        let added: usize = edits.iter().map(|edit| edit.with().len() + 1).sum();
        let out = Vec::with_capacity(self.bytes.len() + added);
        let list = List::of(self);
        let mut writer = Writer { body: &self.bytes, list, out, at: 0, next: 0, wrote_some: false, at_joint: false };
        for edit in edits {
            match edit {
                Edit::Messages { range, with } => writer.replace_messages(range, with)?,
                Edit::Bytes { span, with } => writer.replace_bytes(*span, with)?,
            }
        }
        writer.pass_joint();
        writer.copy_until(self.bytes.len())?;
        Ok(writer.out)
    }
}

impl Edit<'_> {
    fn with(&self) -> &[u8] {
        match self {
            Self::Messages { with, .. } | Self::Bytes { with, .. } => with,
        }
    }
}

/// Where the messages stand, and what is between them.
struct List<'b> {
    entries: &'b [Entry],
    /// Where the first message stands or would stand.
    head: usize,
}

impl<'b> List<'b> {
    fn of(body: &'b Body) -> Option<Self> {
        let section = body.section(SectionKind::Messages).filter(|section| section.value == SectionValue::List)?;
        let entries = section.entries();
        Some(Self { entries, head: entries.first().map_or(section.span.start + 1, |first| first.span.start) })
    }

    /// Where the messages before `index` end.
    fn end_before(&self, index: usize) -> usize {
        index.checked_sub(1).map_or(self.head, |last| self.entries[last].span.end)
    }
}

/// A comma belongs to the message behind it. It is written once that message is known to come and something stands
/// before it.
struct Writer<'b> {
    body: &'b [u8],
    list: Option<List<'b>>,
    out: Vec<u8>,
    /// Up to where the body has been copied or passed over.
    at: usize,
    /// The first message that no edit of messages has come to yet.
    next: usize,
    wrote_some: bool,
    /// Messages were just replaced: the comma before `next` is not decided on.
    at_joint: bool,
}

impl Writer<'_> {
    fn replace_messages(&mut self, range: &Range<usize>, with: &[u8]) -> Result<(), SpliceError> {
        let list = self.list.as_ref().ok_or(SpliceError::NoList)?;
        let count = list.entries.len();
        if range.start > range.end || range.end > count {
            return Err(SpliceError::NoSuchMessages { range: range.clone(), count });
        }
        let (start, end) = (list.end_before(range.start), list.end_before(range.end));
        let old_comma = match range.start {
            first if first > 0 && !range.is_empty() => start..list.entries[first].span.start,
            _ => start..start,
        };
        if range.start > self.next {
            self.pass_joint();
            self.wrote_some = true;
        }
        self.copy_until(start)?;
        if !with.is_empty() {
            self.join(old_comma);
            self.out.extend_from_slice(with);
        }
        (self.at, self.next, self.at_joint) = (end, range.end, true);
        Ok(())
    }

    fn replace_bytes(&mut self, span: Span, with: &[u8]) -> Result<(), SpliceError> {
        let Span { start, end } = span;
        if start > end || end > self.body.len() {
            return Err(SpliceError::NoSuchBytes { start, end, count: self.body.len() });
        }
        self.pass_joint();
        self.copy_until(start)?;
        self.out.extend_from_slice(with);
        self.at = end;
        Ok(())
    }

    /// The messages from `next` on stay: whatever stands before them is written now.
    fn pass_joint(&mut self) {
        let next = self.list.as_ref().and_then(|list| list.entries.get(self.next));
        if let Some(first) = next.map(|next| next.span.start).filter(|_| self.at_joint) {
            let old_comma = if self.next > 0 { self.at..first } else { first..first };
            self.join(old_comma);
            self.at = first;
        }
        self.at_joint = false;
    }

    fn copy_until(&mut self, to: usize) -> Result<(), SpliceError> {
        if to < self.at {
            return Err(SpliceError::OutOfOrder { start: to, end: self.at });
        }
        self.out.extend_from_slice(&self.body[self.at..to]);
        self.at = to;
        Ok(())
    }

    /// What separates the next message from what was written: the bytes that stood before it, if there were any.
    fn join(&mut self, old_comma: Range<usize>) {
        if self.wrote_some && old_comma.is_empty() {
            self.out.push(b',');
        } else if self.wrote_some {
            self.out.extend_from_slice(&self.body[old_comma]);
        }
        self.wrote_some = true;
    }
}
