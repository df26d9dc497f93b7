//! What a provider refuses, by the model's card, in the words that it uses: a client tells refusals apart by them.
//!
//! The shape of a conversation is checked by `lookback-wire`; what needs a card, a count or a memory of what was
//! answered is checked here. Rate limits, faults and cut streams belong to the script.

mod limits;
pub(crate) mod seal;
mod shape;
mod system;
pub(crate) mod thinking;
mod wording;

use lookback_engine::card::Card;
use lookback_wire::Provider;

use crate::prompt::Prompt;

pub(crate) use shape::render_error;
pub(crate) use wording::check_shape;

/// A request that is answered by an error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{status}: {message}")]
pub struct Refused {
    /// Of the answer over HTTP.
    pub status: u16,
    /// What a client can do about it.
    pub kind: RefusalKind,
    /// In the provider's own words.
    pub message: String,
}

/// What is wrong with a request, as far as a client acts on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalKind {
    /// Whatever else the provider calls wrong.
    InvalidRequest,
    /// The prompt does not fit the model's window, in words without numbers that one could trust.
    PromptTooLong,
    /// As llama.cpp says it, with both numbers.
    ContextSize {
        /// Tokens that were sent.
        prompt: u64,
        /// Tokens that the server was started with.
        window: u64,
    },
    /// Thinking or its seal is not what was issued.
    InvalidThinking,
    /// Thinking that should have come back did not.
    MissingThinking,
}

impl Refused {
    pub(crate) fn new(kind: RefusalKind, message: impl Into<String>) -> Self {
        Self { status: 400, kind, message: message.into() }
    }

    /// As if the prompt had so many tokens.
    pub(crate) fn too_long(api: Provider, card: &Card, tokens: u64) -> Self {
        limits::too_long(card, api, tokens)
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(RefusalKind::InvalidRequest, message)
    }

    /// The body of the answer.
    pub(crate) fn render_error(&self, api: Provider) -> Vec<u8> {
        if let RefusalKind::ContextSize { prompt, window } = self.kind {
            return shape::render_context_size(&self.message, prompt, window);
        }
        let code = match (self.kind, api) {
            (RefusalKind::PromptTooLong, _) => Some("context_length_exceeded"),
            (RefusalKind::InvalidThinking, Provider::Responses) => Some("invalid_encrypted_content"),
            (RefusalKind::MissingThinking, _) => Some("invalid_request_error"),
            _ => None,
        };
        render_error(api, "invalid_request_error", code, &self.message)
    }
}

/// What a card rules out, whatever was answered before.
pub(crate) fn check_card(card: &Card, prompt: &Prompt) -> Result<(), Refused> {
    limits::check_output(card, prompt)?;
    limits::check_abilities(card, prompt)?;
    system::check_system(card, prompt)?;
    limits::check_marks(card, prompt)?;
    limits::check_alternation(card, prompt)?;
    limits::check_window(card, prompt)
}
