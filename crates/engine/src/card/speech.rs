//! How a model is spoken to: what a client must know to write a request that this model takes and that reuses its cache.
//!
//! Whoever writes requests reads these. Nothing here decides what is in a view.

use lookback_wire::Provider;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::cache::CacheRule;

/// The APIs that can be chosen for a model. React is not one of them: that is how models without tool calling are
/// asked, by whatever API they have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "they are named as the APIs are")]
pub enum Api {
    Anthropic,
    Chat,
    Responses,
}

impl From<Api> for Provider {
    fn from(api: Api) -> Self {
        match api {
            Api::Anthropic => Self::Anthropic,
            Api::Chat => Self::Chat,
            Api::Responses => Self::Responses,
        }
    }
}

/// How the places up to which a prompt is to be kept are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CacheMarks {
    /// Nothing is written: the provider finds what repeats by itself, or keeps nothing.
    None,
    /// `"cache_control": {"type": "ephemeral"}` on a content block.
    CacheControl,
    /// `"prompt_cache_breakpoint": {"mode": "explicit"}` on a content block.
    Breakpoint,
}

impl CacheMarks {
    /// The way in which every provider that we know of takes the marks of this rule.
    pub(super) fn usual(rule: CacheRule) -> Self {
        match rule {
            CacheRule::None | CacheRule::Prefix { .. } => Self::None,
            CacheRule::Marks { .. } => Self::CacheControl,
            CacheRule::Breakpoints { .. } => Self::Breakpoint,
        }
    }
}

/// Where in a request system messages may stand. We put ours first; other clients say more in mid-conversation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SystemMessages {
    /// Before the conversation.
    #[default]
    First,
    /// Also behind a user's message, where an answer follows or nothing.
    BehindUser,
    /// Wherever a user's message may stand.
    Anywhere,
}

impl SystemMessages {
    /// What a card that says nothing has.
    pub(super) fn is_usual(&self) -> bool {
        *self == Self::default()
    }
}

/// Whether requests of one session carry a key that brings them to the machine which has their cache.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CacheKey {
    /// They carry none.
    #[default]
    None,
    /// `prompt_cache_key`.
    PromptCacheKey,
}

/// What Chat calls the most that may be answered. The other APIs have one name each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutputLimit {
    /// `max_tokens`.
    #[default]
    MaxTokens,
    /// `max_completion_tokens`.
    MaxCompletionTokens,
}

impl OutputLimit {
    /// As it stands in a request.
    pub fn name(self) -> &'static str {
        match self {
            Self::MaxTokens => "max_tokens",
            Self::MaxCompletionTokens => "max_completion_tokens",
        }
    }
}

/// Whether answers can be held to a JSON schema (docs/design/folding.md, "The compactors").
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Constrained {
    /// They cannot.
    #[default]
    None,
    /// The schema becomes part of the prompt: only in a call that has no cache to lose.
    Alone,
    /// In any call: decoding is constrained, and the prompt stays as it is.
    JsonSchema,
}

/// Members that go with every request, beside those that the client writes itself; in the order of their names.
pub type RequestMembers = Map<String, Value>;

/// What the client writes itself. A card that set one of them would change the conversation or how it is read.
pub(super) const WRITTEN_BY_CLIENT: [&str; 13] = [
    "input",
    "instructions",
    "max_completion_tokens",
    "max_output_tokens",
    "max_tokens",
    "messages",
    "model",
    "prompt_cache_key",
    "store",
    "stream",
    "stream_options",
    "system",
    "tools",
];
