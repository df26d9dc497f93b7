//! Messages and their parts, as every provider knows them in one way or another.
//!
//! Texts are borrowed where they can be: a view of a long session is rendered from the trace without copying it first.
//! Nothing here knows where a message came from or how many tokens it has.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::Provider;

/// Who speaks. Tool results have a role of their own here; providers that lack it get them inside a user message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A person, or a program in their place.
    User,
    /// The model.
    Assistant,
    /// Whatever ran what the model called.
    Tool,
}

/// One message of the conversation. User messages hold texts and pictures, assistant messages texts, thinking and calls,
/// tool messages the results of one step in the order of their calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message<'a> {
    /// Whose message it is.
    pub role: Role,
    /// In the order in which they are sent.
    pub parts: Vec<Part<'a>>,
}

/// A piece of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part<'a> {
    /// Words for whoever reads.
    Text(Cow<'a, str>),
    /// What the model thought before it spoke.
    Thinking(Thinking<'a>),
    /// What the model wants to have run.
    Call(Call<'a>),
    /// What came of a call.
    Result(CallResult<'a>),
    /// What is looked at; in a user message only.
    Picture(Picture<'a>),
    /// What only one provider understands in full.
    Native(Native<'a>),
}

/// A part in its provider's own bytes, because they say more than we understand. They go back unchanged to the API that
/// they came from; any other API gets what we understood of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Native<'a> {
    /// Whose bytes they are.
    pub provider: Provider,
    /// A content block (Anthropic), an item (Responses), a tool call or a member `"name":value` of the message (Chat);
    /// where even the message is of a kind that we do not know, all of it (an object with a `role`: Anthropic, Chat).
    pub raw: Cow<'a, str>,
    /// What was understood; none for a kind that we do not know.
    pub plain: Option<Box<Part<'a>>>,
}

/// What a model thought, with the seal that lets its provider take it back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thinking<'a> {
    /// Empty where the provider shows none of it.
    pub text: Cow<'a, str>,
    /// What its provider recognises it by.
    pub seal: Cow<'a, Seal>,
}

/// How a provider recognises thinking as its own. Thinking goes back only to the provider whose seal it carries,
/// unaltered: a changed or foreign seal is refused with an error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Seal {
    /// No seal: thinking that no provider takes back, such as one that was cut before it was signed.
    None,
    /// Plain text that its server wants back as `reasoning_content` (DeepSeek refuses a history without it, others
    /// refuse one with it: a model's card says which).
    Plain,
    /// Anthropic's `signature` of a thinking block.
    Signature(String),
    /// Anthropic's `redacted_thinking`: the data stands for the text.
    Redacted(String),
    /// A Responses reasoning item: its id and `encrypted_content`.
    Encrypted {
        /// Some servers give none.
        id: Option<String>,
        /// What only the server can read.
        content: String,
    },
}

/// A tool call as the model made it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call<'a> {
    /// Ties the result to the call.
    pub id: Cow<'a, str>,
    /// The tool's, as declared.
    pub name: Cow<'a, str>,
    /// The arguments exactly as the model wrote them: usually a JSON object, but nobody can promise that.
    pub arguments: Cow<'a, str>,
}

/// What a tool gave back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallResult<'a> {
    /// The [`Call::id`] that this answers.
    pub id: Cow<'a, str>,
    /// What the model reads.
    pub text: Cow<'a, str>,
    /// What the model looks at besides. APIs whose results are texts alone get them in a user message behind the results.
    pub pictures: Vec<Picture<'a>>,
    /// The tool failed: some providers are told so.
    pub is_error: bool,
}

/// A picture, in the one form that every API takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture<'a> {
    /// `image/png`…
    pub media_type: Cow<'a, str>,
    /// The file's bytes, in base64.
    pub base64: Cow<'a, str>,
}

impl Picture<'_> {
    /// The picture as an address.
    pub(crate) fn url(&self) -> String {
        format!("data:{};base64,{}", self.media_type, self.base64)
    }

    /// None where the address points elsewhere.
    pub(crate) fn parse_url(url: &str) -> Option<Picture<'static>> {
        let (media_type, base64) = url.strip_prefix("data:")?.split_once(";base64,")?;
        Some(Picture { media_type: media_type.to_owned().into(), base64: base64.to_owned().into() })
    }
}

/// Nothing but white space, as Python's `strip` sees it: the four separators are control characters to Rust.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c))
}

impl<'a> Part<'a> {
    /// What was understood of it: itself, unless it is in its provider's own bytes.
    pub fn understood(&self) -> Option<&Part<'a>> {
        match self {
            Self::Native(native) => native.plain.as_deref(),
            part => Some(part),
        }
    }
}

impl<'a> Message<'a> {
    /// A user message of one text.
    pub fn user(text: impl Into<Cow<'a, str>>) -> Self {
        Self { role: Role::User, parts: vec![Part::Text(text.into())] }
    }
}
