//! How a session began: everything that shapes its view and is not an event of its own.

use lookback_wire::{Provider, ToolSpec};
use serde::{Deserialize, Serialize};

use super::ids::{BlobHash, SessionId};

/// The form of the events in [`super::event`]. A trace with a higher number is refused, one with a lower is brought up to
/// date ([`super::upgrade`]).
pub const EVENT_SCHEMA: u32 = 2;

/// The way views are written. Once released, a renderer stays in the code, so that old sessions keep their bytes.
pub(crate) const RENDERER: u32 = 1;

/// What a session began with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionStarted {
    /// Its name.
    pub session: SessionId,
    /// [`EVENT_SCHEMA`] when it was written.
    pub schema: u32,
    /// `RENDERER` when it was written.
    pub renderer: u32,
    /// Who wrote its trace.
    #[serde(default, skip_serializing_if = "crate::trace::is_default")]
    pub recorded_by: RecordedBy,
    /// Where its decisions come from.
    #[serde(default, skip_serializing_if = "crate::trace::is_default")]
    pub decisions: Decisions,
    /// L1: the system prompt, frozen.
    pub system: Counted,
    /// L1: the tools, in their one order, and the count of their declaration.
    pub tools: Vec<ToolSpec>,
    /// That count.
    pub tools_tokens: u32,
    /// L2: the project's rules; empty where it has none.
    pub rules: Counted,
    /// Through which API the model is asked.
    pub provider: Provider,
    /// As its provider calls it.
    pub model: String,
    /// How many tokens it takes.
    pub window: u32,
    /// How many of them are kept for its answer.
    pub output_reserve: u32,
    /// How the view is laid out.
    pub layout: Layout,
    /// Whether the model refuses two user messages in a row.
    #[serde(default, skip_serializing_if = "crate::trace::is_default")]
    pub alternation: Alternation,
    /// Whether it gets its plain thinking back.
    #[serde(default, skip_serializing_if = "crate::trace::is_default")]
    pub plain_thinking: PlainThinking,
    /// Whether it is sent pictures.
    #[serde(default, skip_serializing_if = "crate::trace::is_default")]
    pub pictures: Pictures,
    /// Which counter made every `tokens` in this trace.
    pub tokenizer: String,
    /// The project's root, as a label for people; nothing is resolved against it.
    pub root: String,
    /// Of the price card in use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price_card: Option<BlobHash>,
    /// Of the prompts in use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompts: Option<BlobHash>,
    /// The session whose `Task` call started this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<SessionId>,
}

impl SessionStarted {
    /// Whether another program drives the session, through the gateway: of ours only blocks enter its view.
    pub fn is_guest(&self) -> bool {
        matches!(self.recorded_by, RecordedBy::Gateway { .. })
    }
}

/// Who wrote a trace.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordedBy {
    /// Nobody noted it: a trace of schema 1.
    #[default]
    Unsaid,
    /// Lookback's own agent.
    Agent,
    /// An importer, from another program's file.
    Importer {
        /// Whose form the file had.
        format: String,
    },
    /// The gateway, from the traffic of another program.
    Gateway {
        /// That program, as far as it says who it is.
        client: String,
        /// Where its requests went.
        upstream: String,
        /// A keyed hash of the credential: it tells two apart and gives neither away.
        credential: BlobHash,
    },
}

/// Whether a guest's client can ask for what a block stands for: it declares our tool, or it does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientRecall {
    /// A block names the tool and the conversation.
    Declared,
    /// Nothing is said of a way back that there is not.
    Absent,
}

/// Where a trace's folds, settles, archives and deltas come from, and so whether a model may be shown them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decisions {
    /// Made here.
    #[default]
    Own,
    /// Made elsewhere, and checked here when they came in.
    Checked,
    /// Made elsewhere, and not checked: the session can be looked at, and not continued.
    Unchecked,
}

/// A text together with its token count, taken once when it was recorded.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counted {
    /// The text.
    pub text: String,
    /// Its count.
    pub tokens: u32,
}

/// How a view is laid out (`docs/design/model.md`, "Layouts").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Layout {
    /// Messages and tool calls as the provider knows them.
    Chat,
    /// One text, for models without tool calls.
    React,
    /// The dialogue in one message, and only the last round as it happened.
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

/// Whether two user messages in a row are refused (docs/design/model.md, "The voice of a record").
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Alternation {
    /// They are taken.
    #[default]
    Free,
    /// They are refused.
    Strict,
}

/// What a model is shown of pictures.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pictures {
    /// Their names and sizes.
    #[default]
    Named,
    /// Themselves.
    Shown,
}

/// Whether thinking that its server gave as plain text is sent back to it. A server that needs it refuses a history without
/// it, others refuse one with it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlainThinking {
    /// It goes back as it came.
    #[default]
    SentBack,
    /// It stays in the trace, for a model that needs it.
    LeftOut,
}
