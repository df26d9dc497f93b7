//! Edits inside of messages: those that move a cache mark, and those that take blocks out.
//!
//! Does not know which of them are useful, nor how many marks a provider takes.

use std::{borrow::Cow, ops::Range};

use super::{Body, Edit, Span};
use crate::Provider;

impl Body {
    /// Takes some blocks of a message away, with the commas between them and what stays. None where there are no such blocks,
    /// or nothing would stay.
    pub fn plan_unblock(&self, message: usize, blocks: Range<usize>) -> Option<Edit<'static>> {
        let all = self.blocks(message);
        let (first, last) = (all.get(blocks.start)?, all.get(blocks.end.checked_sub(1)?)?);
        let (before, behind) = (blocks.start.checked_sub(1).and_then(|before| all.get(before)), all.get(blocks.end));
        let (start, end) = match (before, behind) {
            (_, Some(behind)) => (first.span.start, behind.span.start),
            (Some(before), None) => (before.span.end, last.span.end),
            (None, None) => return None,
        };
        Some(Edit::Bytes { span: Span { start, end }, with: Cow::Borrowed(&[]) })
    }

    /// Puts a mark on a block of a message, as its last member. None where there is no such block, or it is not an
    /// object.
    pub fn plan_mark(&self, message: usize, block: usize) -> Option<Edit<'static>> {
        let span = self.blocks(message).get(block)?.span;
        let inside = self.slice(span).strip_prefix(b"{")?.strip_suffix(b"}")?;
        let comma = if inside.trim_ascii().is_empty() { "" } else { "," };
        let mark = match self.provider {
            Provider::Anthropic | Provider::React => r#""cache_control":{"type":"ephemeral"}"#,
            Provider::Chat | Provider::Responses => r#""prompt_cache_breakpoint":{"mode":"explicit"}"#,
        };
        let end = span.end - 1;
        Some(Edit::Bytes { span: Span { start: end, end }, with: Cow::Owned(format!("{comma}{mark}").into_bytes()) })
    }
}
