//! The top level of a body, name by name.

use std::borrow::Cow;

use super::{Body, Span, Text, scan::Scanner};

/// One `"name": value`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    /// Without its quotes.
    pub name: Text,
    /// As it is written.
    pub value: Span,
}

impl Member {
    /// From the opening quote of its name to the end of its value.
    pub fn span(&self) -> Span {
        Span { start: self.name.quoted().start, end: self.value.end }
    }
}

impl Body {
    /// The member of that name; the last one where there are several.
    pub fn member(&self, name: &str) -> Option<&Member> {
        self.members.iter().rev().find(|member| self.text(member.name) == name)
    }

    /// The value of that name as it is written.
    pub fn value(&self, name: &str) -> Option<&[u8]> {
        self.member(name).map(|member| self.slice(member.value))
    }

    /// What the member of that name says, if it is a string.
    pub fn string(&self, name: &str) -> Option<Cow<'_, str>> {
        let text = Scanner::within(&self.bytes, self.member(name)?.value).text().ok()?;
        text.map(|text| self.text(text))
    }
}
