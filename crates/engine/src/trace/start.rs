//! How a session began: everything that shapes its view and is not an event of its own.

use lookback_wire::{Provider, ToolSpec};
use serde::{Deserialize, Serialize};

use super::ids::{BlobHash, SessionId};
use crate::card::Alternation;

/// The form of the events in [`super::event`]. A trace with a higher number is refused.
pub const EVENT_SCHEMA: u32 = 1;

/// The way views are written. Once released, a renderer stays in the code, so that old sessions keep their bytes.
pub const RENDERER: u32 = 1;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionStarted {
    pub session: SessionId,
    pub schema: u32,
    pub renderer: u32,
    /// L1: the system prompt, frozen.
    pub system: Counted,
    /// L1: the tools, in their one order, and the count of their declaration.
    pub tools: Vec<ToolSpec>,
    pub tools_tokens: u32,
    /// L2: the project's rules; empty where it has none.
    pub rules: Counted,
    pub provider: Provider,
    pub model: String,
    pub window: u32,
    pub output_reserve: u32,
    pub layout: Layout,
    /// Whether the model refuses two user messages in a row.
    #[serde(default, skip_serializing_if = "Alternation::is_free")]
    pub alternation: Alternation,
    /// Which counter made every `tokens` in this trace.
    pub tokenizer: String,
    /// The project's root, as a label for people; nothing is resolved against it.
    pub root: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price_card: Option<BlobHash>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompts: Option<BlobHash>,
    /// The session whose `Task` call started this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<SessionId>,
}

/// A text together with its token count, taken once when it was recorded.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counted {
    pub text: String,
    pub tokens: u32,
}

/// How a view is laid out (design 2-model, "Layouts").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Layout {
    Chat,
    React,
    Execute,
}

impl std::fmt::Display for Layout {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Chat => "chat",
            Self::React => "react",
            Self::Execute => "execute",
        })
    }
}
