//! The bytes that go out for a call: the prompt as it was compared with the one before, with the marks of its card.

use lookback_wire::{Message, Part, Provider, RequestOptions, Role, render_body, render_message, render_request};

use super::Session;
use crate::{
    card::{Alternation, Constrained},
    request::CardOptions,
    state::entries::SEPARATOR,
    trace::{BlobError, Blobs},
};

/// Whether a riding answer is to be decoded by a schema, where the card lets it without touching the prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Schema<'a> {
    /// By none.
    Free,
    /// By this one, in JSON.
    Constrained(&'a str),
}

impl Session {
    /// The view as a whole request, for the session's provider.
    pub fn body(&self, blobs: &dyn Blobs) -> Result<Vec<u8>, BlobError> {
        self.body_for(self.prompt_provider(), blobs)
    }

    /// The API that prompts are written for: the model's, unless the session was replayed for another.
    pub fn prompt_provider(&self) -> Provider {
        self.provider.unwrap_or_else(|| self.bench().provider())
    }

    /// The view as a whole request, for any provider.
    pub fn body_for(&self, provider: Provider, blobs: &dyn Blobs) -> Result<Vec<u8>, BlobError> {
        let (head, messages) = self.parts(provider, blobs)?;
        let messages = messages.iter().map(Vec::as_slice);
        Ok(render_body(provider, &self.state.model.name, self.state.model.reserve, &head, messages))
    }

    /// The request of the call that was just started: ask for it before anything else is recorded.
    pub fn request(&self, blobs: &dyn Blobs) -> Result<Vec<u8>, BlobError> {
        self.riding_request(&[], Schema::Free, blobs)
    }

    /// Head and messages of the view, each as it stands in the body.
    fn parts(&self, provider: Provider, blobs: &dyn Blobs) -> Result<(Vec<u8>, Vec<Vec<u8>>), BlobError> {
        let render = |entry| self.bench().render_part(provider, entry, blobs);
        let messages = self.view().entries().iter().map(|entry| render(Some(entry)));
        Ok((render(None)?, messages.collect::<Result<_, _>>()?))
    }

    /// The view as it stands with more messages behind it: a call that rides on the live prefix. It differs from the
    /// next call only by what is appended (docs/design/folding.md, "The compactors").
    pub fn riding_request(
        &self,
        appended: &[Message<'_>],
        schema: Schema<'_>,
        blobs: &dyn Blobs,
    ) -> Result<Vec<u8>, BlobError> {
        let provider = self.prompt_provider();
        let (head, mut messages) = self.parts(provider, blobs)?;
        let separator = Message { role: Role::Assistant, parts: vec![Part::Text(SEPARATOR.into())] };
        let separator = (!appended.is_empty() && self.ends_with_user(blobs)?).then_some(&separator);
        messages.extend(separator.into_iter().chain(appended).map(|message| render_message(provider, message)));
        let messages: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
        let schema = match self.card().map(|card| card.constrained) {
            Some(Constrained::JsonSchema) => schema,
            _ => Schema::Free,
        };
        Ok(self.render_marked(provider, &head, &messages, schema))
    }

    /// Whether what is appended in the user's place would be the second such message in a row, to a model that refuses that.
    fn ends_with_user(&self, blobs: &dyn Blobs) -> Result<bool, BlobError> {
        match self.view().entries().last() {
            Some(last) if self.state.model.alternation == Alternation::Strict => {
                Ok(self.message(last, blobs)?.role == Role::User)
            }
            _ => Ok(false),
        }
    }

    fn render_marked(&self, provider: Provider, head: &[u8], messages: &[&[u8]], schema: Schema<'_>) -> Vec<u8> {
        let options = CardOptions::of(self.card(), self.policy.lifetime());
        let (head_mark, places) = self.sent.marked();
        let request = RequestOptions {
            marks: options.marks(head_mark, &places),
            schema: match schema {
                Schema::Free => None,
                Schema::Constrained(schema) => Some(schema),
            },
            ..options.request(&self.state.model.name, self.state.model.reserve, &self.id().0)
        };
        render_request(provider, &request, head, messages)
    }
}
