//! Edits inside of messages: those that move a cache mark, and those that take blocks out.
//!
//! Does not know which of them are useful, nor how many marks a provider takes.

use std::{borrow::Cow, ops::Range};

use super::{Body, Edit, Member, Span};
use crate::{MarkForm, MarkLifetime, Provider};

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
    pub fn plan_mark(&self, message: usize, block: usize, lifetime: MarkLifetime) -> Option<Edit<'static>> {
        let span = self.blocks(message).get(block)?.span;
        let inside = self.slice(span).strip_prefix(b"{")?.strip_suffix(b"}")?;
        let form = match self.provider {
            Provider::Anthropic | Provider::React => MarkForm::CacheControl(lifetime),
            Provider::Chat | Provider::Responses => MarkForm::Breakpoint,
        };
        let member = form.member();
        let with = if inside.trim_ascii().is_empty() { &member[1..] } else { member };
        let end = span.end - 1;
        Some(Edit::Bytes { span: Span { start: end, end }, with: Cow::Borrowed(with) })
    }

    /// The mark that the whole body carries: the provider puts it behind the last block that can have one.
    pub fn mark_of_all(&self) -> Option<&Member> {
        self.member("cache_control").filter(|member| self.slice(member.value) != b"null")
    }

    /// How long what a mark covers is kept, as the client asks for it.
    pub fn lifetime(&self, mark: &Member) -> MarkLifetime {
        match self.string_inside(mark, "ttl").as_deref() {
            Some("1h") => MarkLifetime::OneHour,
            _ => MarkLifetime::Usual,
        }
    }
}
