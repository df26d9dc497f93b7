//! What each provider refuses, checked over the finished bytes.
//!
//! Written from the providers' documented rules and error messages, and sharing nothing with `render`: a mistake there
//! must not hide itself here. It reads what matters for the shape of the conversation and passes over the rest; it
//! does not know models, prices or limits of length.

mod anthropic;
mod chat;
mod json;
mod react;
mod responses;
mod tools;

use crate::Provider;

/// A rule that a body breaks, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("message {at}: {rule}")]
pub struct Violation {
    /// Index of the message, item or entry, counted from the first one in the body.
    pub at: usize,
    /// What is asked for there.
    pub rule: Rule,
}

/// What a provider asks for, said so that one can act on it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the text of each says what it is")]
pub enum Rule {
    #[error("the body cannot be read: {reason}")]
    NotJson { reason: String },
    #[error("the body is not UTF-8 text")]
    NotText,
    #[error("there are no messages: a prompt needs at least one")]
    NoMessages,
    #[error("the conversation begins with the assistant: put a user message first")]
    FirstNotUser,
    #[error("the conversation ends with the assistant: end with a user message or a result for the model to answer")]
    LastNotUser,
    #[error("unknown role \"{role}\"")]
    UnknownRole { role: String },
    #[error("a system message stands inside the conversation: move it to the start or to the system field")]
    SystemInConversation,
    #[error("\"{kind}\" does not belong into a message of this role")]
    Misplaced { kind: String },
    #[error("a text holds nothing but white space: leave it out or say something")]
    EmptyText,
    #[error("the message has no content")]
    EmptyContent,
    #[error("call \"{id}\" has no result right after it")]
    CallWithoutResult { id: String },
    #[error("result \"{id}\" answers no open call")]
    ResultWithoutCall { id: String },
    #[error("a result stands behind other content: results come first")]
    ResultNotFirst,
    #[error("call id \"{id}\" is used twice")]
    DuplicateCall { id: String },
    #[error("call \"{id}\" has more than one result")]
    DuplicateResult { id: String },
    #[error("call id \"{id}\" is refused: use 1 to 64 letters, digits, _ or -")]
    BadCallId { id: String },
    #[error("tool name \"{name}\" is refused: use 1 to 64 letters, digits, _ or -")]
    BadToolName { name: String },
    #[error("tool \"{name}\" is declared twice")]
    DuplicateTool { name: String },
    #[error("the parameters of tool \"{name}\" are not a schema of type object")]
    SchemaNotObject { name: String },
    #[error("the arguments of call \"{id}\" are not a JSON object")]
    InputNotObject { id: String },
    #[error("an action does not read `Action: Name[arguments]` on one line")]
    BadAction,
    #[error("thinking goes back without the seal that its provider gave it")]
    UnsignedThinking,
    #[error("a reasoning item is not followed by what the model made of it: they stay or go together")]
    ReasoningAlone,
    #[error("{count} cache marks: at most 4 are accepted")]
    TooManyCacheMarks { count: usize },
}

/// Says whether the provider would take the body, and if not, everything that is wrong with it.
pub fn check_body(provider: Provider, body: &[u8]) -> Result<(), Vec<Violation>> {
    let checked = match provider {
        Provider::Anthropic => anthropic::check(body),
        Provider::Chat => chat::check(body),
        Provider::Responses => responses::check(body),
        Provider::React => react::check(body),
    };
    // A body that cannot be read breaks that one rule.
    let mut violations = checked.unwrap_or_else(|violation| vec![violation]);
    if provider != Provider::React {
        violations.extend(tools::check(body));
    }
    if violations.is_empty() { Ok(()) } else { Err(violations) }
}

impl Violation {
    fn new(at: usize, rule: Rule) -> Self {
        Self { at, rule }
    }
}
