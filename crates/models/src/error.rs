//! Why a model did not answer, by what can be done about it.
//!
//! The text is for a person: the first line is what the provider says, with its status, the lines after it what to do.
//! It never holds a key. How a provider's words are told apart is `fault`'s to know.

use std::time::Duration;

/// A request without a usable answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    /// For programs: what can be done about it.
    pub kind: ErrorKind,
    /// The HTTP status, or the one that an error inside a stream names.
    pub status: Option<u16>,
    /// For a person: what the provider says, and what to do, line by line.
    pub message: String,
}

/// What went wrong, as far as a caller acts on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The key is missing, wrong, or may not do this.
    BadKey,
    /// The name of the model, or the address, leads nowhere.
    NoSuchModel,
    /// In tokens, where the provider says how many: what was sent, and what the model takes.
    PromptTooLong {
        /// What was sent.
        sent: Option<u64>,
        /// What the model takes.
        limit: Option<u64>,
    },
    /// Too many requests or tokens, or nothing left to pay them with: then no `retry_after`.
    RateLimited {
        /// What the provider asks for.
        retry_after: Option<Duration>,
    },
    /// The provider has too much to do; later may help.
    Overloaded,
    /// The stream ended before the answer did.
    CutStream,
    /// A filter objects to what was sent.
    RefusedContent,
    /// The provider refuses the thinking of earlier steps, its seal, or its absence.
    RefusedThinking,
    /// Any other request that the provider calls wrong.
    BadRequest,
    /// 5xx.
    ServerError,
    /// No connection.
    Unreachable,
    /// No connection, no first byte, or no further byte in time.
    TimedOut,
    /// What came back is not what the API says.
    Nonsense,
    /// The answer went beyond what is taken in, and was left there.
    Beyond(Bound),
}

/// What no answer may go beyond: a server that never ends would otherwise fill the memory, or keep its caller for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// The bytes of the answer, as they came over the network.
    AnswerBytes,
    /// The bytes of one event of a stream.
    EventBytes,
    /// JSON values: of one event or body, or of a whole stream.
    Values,
    /// Lines of a stream in a row without anything of the answer: pings, comments, blank lines.
    EmptyLines,
    /// The time from the request to the end of the answer, tries and pauses counted.
    WholeTime,
}

impl ModelError {
    /// With a text for a person.
    pub fn new(kind: ErrorKind, status: Option<u16>, message: impl Into<String>) -> Self {
        Self { kind, status, message: message.into() }
    }

    /// What the provider says, without what to do about it.
    pub fn first_line(&self) -> &str {
        self.message.lines().next().unwrap_or_default()
    }
}
