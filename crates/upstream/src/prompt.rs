//! A request body as a provider reads it: tools, system, messages, each in blocks with their tokens.
//!
//! Tokens are counted as in docs/design/model.md, "Tokens": over a part's plain text, and 4 for each message. A message
//! is one turn: results that follow one another are one, and so are the items that a model made in one answer. It does
//! not know what of a prompt is cached or refused.

mod anthropic;
mod chat;
mod content;
mod count;
mod identity;
mod json;
mod react;
mod responses;
#[cfg(test)]
mod tests;
mod tools;

use lookback_engine::card::Lifetime;
use lookback_wire::Provider;

pub(crate) use content::{Content, Piece};
pub use count::{Counter, count_o200k};
pub(crate) use identity::{Chain, Digest, canonical, content_digest};
pub(crate) use react::{parse_step, react_text};

/// A body that is no request of its API.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unreadable(pub String);

/// What a provider reads in a body.
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt {
    /// React for a one-text prompt, whatever API it came by.
    pub(crate) api: Provider,
    pub(crate) model: String,
    pub(crate) output_limit: Option<u64>,
    pub(crate) breakpoints: BreakpointMode,
    /// In the provider's own order: tools, system, then the conversation.
    pub(crate) segments: Vec<Segment>,
}

/// Tools, one text of the system, or one turn of the conversation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Segment {
    pub(crate) speaker: Speaker,
    pub(crate) blocks: Vec<Block>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Speaker {
    Tools,
    System,
    User,
    Assistant,
    Tool,
}

/// The smallest thing that a mark can stand on.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Block {
    pub(crate) content: Content,
    /// The first block of a message carries the message's own 4.
    pub(crate) tokens: u32,
    pub(crate) mark: Option<Mark>,
    /// The message or item of the body that it stands in, and its place there.
    pub(crate) at: (usize, usize),
}

/// A cache mark as it stands in the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// Anthropic's and Qwen's `cache_control`.
    CacheControl(Lifetime),
    /// OpenAI's `prompt_cache_breakpoint`.
    Breakpoint,
}

/// OpenAI's `prompt_cache_options.mode`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum BreakpointMode {
    /// The provider sets one itself, at the end of the newest message.
    #[default]
    Implicit,
    Explicit,
}

/// Reads the body of a request. A `react` prompt travels in a Chat body and is recognised there.
pub fn parse_prompt(api: Provider, body: &[u8], count: &Counter) -> Result<Prompt, Unreadable> {
    match api {
        Provider::Anthropic => anthropic::parse(body, count),
        Provider::Chat | Provider::React => chat::parse(body, count),
        Provider::Responses => responses::parse(body, count),
    }
}

impl Prompt {
    /// Tools, system and conversation together, as they are billed before any cache.
    pub fn tokens(&self) -> u64 {
        self.segments.iter().map(Segment::tokens).sum()
    }

    /// What stands before a segment, as parsed values: marks and ids do not count, the model does.
    pub(crate) fn history(&self, segment: usize) -> Digest {
        Chain::of(&self.model, self.segments.iter().take(segment)).digest()
    }
}

impl Segment {
    pub(crate) fn tokens(&self) -> u64 {
        self.blocks.iter().map(|block| u64::from(block.tokens)).sum()
    }
}
