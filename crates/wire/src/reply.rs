//! What a model answered, in one form for all providers.
//!
//! A reply is what a stream or a whole body said: parts, why it stopped, what it cost. What we do not know survives:
//! a part keeps the provider's own bytes wherever they say more than we understood.

use std::borrow::Cow;

use crate::{Call, Native, Part, Provider, Seal, Thinking, TokenUsage};

/// One answer, whole or as far as it came.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reply {
    /// In the order in which they were written.
    pub parts: Vec<ReplyPart>,
    /// How it ended.
    pub stop: ReplyStop,
    /// None where the provider said nothing about it.
    pub usage: Option<TokenUsage>,
    /// The provider's name for this answer.
    pub id: Option<String>,
    /// The model that answered, as it calls itself.
    pub model: Option<String>,
}

/// A piece of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplyPart {
    /// What we understand of it.
    pub content: ReplyContent,
    /// The provider's own bytes for this part, where they hold fields that `content` does not: a content block
    /// (Anthropic), an output item (Responses), a tool call or a member of the message (Chat). What goes back as
    /// [`Part::Native`].
    pub native: Option<String>,
}

/// What a piece of an answer says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReplyContent {
    /// Words for whoever asked.
    Text(String),
    /// What the model thought before it spoke.
    Thinking {
        /// Empty where the provider shows none of it.
        text: String,
        /// What its provider recognises it by.
        seal: Seal,
    },
    /// A call that can be run.
    Call {
        /// Ties the result to the call.
        id: String,
        /// The tool's, as declared.
        name: String,
        /// As the model wrote them.
        arguments: String,
    },
    /// Cut off before its end: never run, never sent back.
    UnfinishedCall {
        /// As [`ReplyContent::Call`] has it.
        id: String,
        /// As far as it came.
        name: String,
        /// As far as they came.
        arguments: String,
    },
    /// Of a kind that we do not know; `native` has all of it.
    Unknown,
}

/// Why the model stopped writing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ReplyStop {
    /// It was done, or wants its calls answered.
    End,
    /// The output limit.
    Limit,
    /// The window filled up while it wrote.
    WindowFull,
    /// The provider or the model refused, in its words where there are any.
    Refused(String),
    /// The stream ended before the answer did.
    #[default]
    Cut,
}

/// What a stream just said, for showing it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delta {
    /// More words.
    Text(String),
    /// More of what it thinks.
    Thinking(String),
    /// A call began; its arguments are whole when the reply is.
    Call {
        /// The tool's.
        name: String,
    },
}

impl ReplyContent {
    /// What a stream would have shown of it.
    pub fn shown(&self) -> Option<Delta> {
        match self {
            Self::Text(text) => Some(Delta::Text(text.clone())),
            Self::Thinking { text, .. } if !text.is_empty() => Some(Delta::Thinking(text.clone())),
            Self::Call { name, .. } => Some(Delta::Call { name: name.clone() }),
            Self::Thinking { .. } | Self::UnfinishedCall { .. } | Self::Unknown => None,
        }
    }
}

impl ReplyPart {
    /// The part as it goes back to the API that it came from. None for what never goes back: an unfinished call, or a
    /// kind that we do not know without its bytes.
    pub fn to_part(&self, provider: Provider) -> Option<Part<'_>> {
        let plain = match &self.content {
            ReplyContent::Text(text) => Some(Part::Text(text.into())),
            ReplyContent::Thinking { text, seal } => {
                Some(Part::Thinking(Thinking { text: text.into(), seal: Cow::Borrowed(seal) }))
            }
            ReplyContent::Call { id, name, arguments } => {
                Some(Part::Call(Call { id: id.into(), name: name.into(), arguments: arguments.into() }))
            }
            ReplyContent::UnfinishedCall { .. } => return None,
            ReplyContent::Unknown => None,
        };
        match &self.native {
            Some(raw) => Some(Part::Native(Native { provider, raw: raw.into(), plain: plain.map(Box::new) })),
            None => plain,
        }
    }

    pub(crate) fn leave_unfinished(&mut self) {
        if let ReplyContent::Call { id, name, arguments } = &mut self.content {
            let [id, name, arguments] = [id, name, arguments].map(std::mem::take);
            *self = Self { content: ReplyContent::UnfinishedCall { id, name, arguments }, native: None };
        }
    }
}

impl From<Part<'_>> for ReplyPart {
    /// Results do not occur in an answer, so nothing is understood of one.
    fn from(part: Part<'_>) -> Self {
        let (plain, native) = match part {
            Part::Native(native) => (native.plain.map(|plain| *plain), Some(native.raw.into_owned())),
            part => (Some(part), None),
        };
        let content = match plain {
            Some(Part::Text(text)) => ReplyContent::Text(text.into_owned()),
            Some(Part::Thinking(Thinking { text, seal })) => {
                ReplyContent::Thinking { text: text.into_owned(), seal: seal.into_owned() }
            }
            Some(Part::Call(Call { id, name, arguments })) => {
                ReplyContent::Call { id: id.into_owned(), name: name.into_owned(), arguments: arguments.into_owned() }
            }
            Some(Part::Result(_) | Part::Picture(_) | Part::Native(_)) | None => ReplyContent::Unknown,
        };
        Self { content, native }
    }
}
