//! What is remembered of a request: enough for a test to compare, and for a person to read in one line.

use bytes::Bytes;
use lookback_models::script::{Fault, Place};
use lookback_wire::{Provider, TokenUsage};

/// A request and what became of it.
#[derive(Debug, Clone)]
pub struct Logged {
    /// As the request's path says it.
    pub api: Provider,
    /// The step or answer that was played; none where it did not come to that.
    pub place: Option<Place>,
    /// Tokens of the prompt as they were counted and billed by the card's rule, whatever the script says about usage.
    pub counted: Option<TokenUsage>,
    /// Of the answer over HTTP.
    pub status: u16,
    /// Why the request was refused, in the words that it got.
    pub refusal: Option<String>,
    /// What the script had it meet.
    pub fault: Option<Fault>,
    /// As it came. Where it was refused, only the watcher sees it.
    pub body: Bytes,
}
