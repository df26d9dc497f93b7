//! What the gateway asks of a body besides its messages: which model, whose conversation, how to answer.

use std::borrow::Cow;

use super::{Body, Member, scan::Scanner};

/// The part of a conversation that the server keeps, so that the body does not hold all of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Earlier<'a> {
    /// `previous_response_id`.
    Response(Cow<'a, str>),
    /// `conversation`: its id, given plainly or in an object.
    Conversation(Cow<'a, str>),
}

impl Body {
    /// As the client names it.
    pub fn model(&self) -> Option<Cow<'_, str>> {
        self.string("model")
    }

    /// By which OpenAI routes requests of one conversation to one cache.
    pub fn prompt_cache_key(&self) -> Option<Cow<'_, str>> {
        self.string("prompt_cache_key")
    }

    /// `metadata.user_id`: some clients name their session in it.
    pub fn user_id(&self) -> Option<Cow<'_, str>> {
        self.inner_string("metadata", "user_id")
    }

    /// None where the body holds the whole conversation.
    pub fn earlier(&self) -> Option<Earlier<'_>> {
        let response = self.string("previous_response_id").map(Earlier::Response);
        let conversation = || self.string("conversation").or_else(|| self.inner_string("conversation", "id"));
        response.or_else(|| conversation().map(Earlier::Conversation))
    }

    fn inner_string(&self, outer: &str, inner: &str) -> Option<Cow<'_, str>> {
        self.string_inside(self.member(outer)?, inner)
    }

    pub(super) fn string_inside(&self, outer: &Member, inner: &str) -> Option<Cow<'_, str>> {
        let mut found = None;
        let mut scanner = Scanner::within(&self.bytes, outer.value);
        // An error only means that the value is not an object and has no members: the body itself was read before.
        scanner
            .object(|scanner, name| {
                let text = scanner.text()?;
                if name.says(&self.bytes, inner) {
                    found = text;
                }
                Ok(())
            })
            .ok()?;
        found.map(|text| self.text(text))
    }
}
