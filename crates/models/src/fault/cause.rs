//! What a refusal is about, from its status and its words. Providers agree on few statuses, so words come first where
//! they are unmistakable; each list says whose words they are.

use std::time::Duration;

use super::{Said, sizes::sizes};
use crate::{Bound, ErrorKind, retry::Again};

/// Finer than [`ErrorKind`] where a person is told something else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Cause {
    BadKey,
    NoSuchModel,
    /// 404 without a word about models.
    NothingThere,
    TooLong {
        sent: Option<u64>,
        limit: Option<u64>,
    },
    NothingToPayWith,
    RateLimited,
    Overloaded,
    RefusedContent,
    RefusedThinking,
    BadRequest,
    /// The server's own time-out (408).
    ServerTimeout,
    ServerError,
    Redirected {
        to: String,
    },
    Nonsense,
    Cut,
    NoConnection(NoConnection),
    Timeout {
        phase: Phase,
        limit: Duration,
    },
    /// In bytes, lines or milliseconds, as the bound is counted.
    Beyond {
        bound: Bound,
        limit: u64,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NoConnection {
    UnknownHost,
    Refused,
    /// Signed by nobody that this computer trusts.
    UnknownIssuer,
    WrongName,
    /// Or not yet valid: often the clock of this computer is wrong.
    Expired,
    OtherTls(String),
    Proxy(String),
    /// Closed or reset before an answer came.
    Broken(String),
}

impl NoConnection {
    fn again(&self) -> Again {
        match self {
            Self::UnknownHost | Self::Refused | Self::Proxy(_) | Self::Broken(_) => Again::Later,
            Self::UnknownIssuer | Self::WrongName | Self::Expired | Self::OtherTls(_) => Again::Never,
        }
    }
}

/// What was waited for in vain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    Connect,
    FirstByte,
    NextByte,
}

/// Anthropic, OpenAI, OpenAI's rate of tokens that no waiting helps against, llama.cpp, Ollama, Kimi, Qwen, Gemini, Bedrock.
const TOO_LONG: [&str; 17] = [
    "prompt is too long",
    "exceed context limit",
    "request_too_large",
    "context_length_exceeded",
    "maximum context length",
    "context window",
    "string_above_max_length",
    "request too large for",
    "exceed_context_size_error",
    "available context size",
    "prompt too long",
    "exceeded model token limit",
    "range of input length",
    "exceeds the maximum number of tokens allowed",
    "input is too long",
    "input length too long",
    "maximum allowed input length",
];
/// OpenAI, Anthropic, DeepSeek, OpenRouter.
const NOTHING_TO_PAY_WITH: [&str; 6] = [
    "insufficient_quota",
    "billing_error",
    "billing_hard_limit_reached",
    "credit balance is too low",
    "insufficient balance",
    "insufficient credits",
];
/// Words about what earlier answers carry, never about how much thinking is asked for. Anthropic, DeepSeek and others
/// with `reasoning_content`, Responses, Gemini.
const REFUSED_THINKING: [&str; 14] = [
    "in `thinking` block",
    "in thinking block",
    "thinking.signature",
    "thinking block must",
    "thinking blocks must",
    "must start with a thinking block",
    "`redacted_thinking` blocks",
    "expected `thinking`",
    "reasoning_content",
    "content[].thinking",
    "encrypted_content",
    "encrypted content",
    "thought_signature",
    "provided without its required",
];
/// OpenAI, Azure, Anthropic, Qwen, DeepSeek, OpenRouter.
const REFUSED_CONTENT: [&str; 10] = [
    "content_filter",
    "content_policy_violation",
    "responsibleaipolicyviolation",
    "flagged as potentially violating",
    "cyber_policy",
    "blocked by content filtering",
    "data_inspection_failed",
    "datainspectionfailed",
    "content exists risk",
    "input was flagged",
];
/// Words about settings that the lists above would mistake: how much thinking, and whether it is sent encrypted.
const ABOUT_SETTINGS: [&str; 3] = ["budget_tokens", "reasoning.encrypted_content", "not supported with this model"];
/// OpenAI, DeepSeek, OpenRouter, Mistral.
const NO_SUCH_MODEL: [&str; 4] = ["model_not_found", "model not exist", "not a valid model", "invalid model"];
const BAD_KEY: [&str; 5] = [
    "authentication_error",
    "permission_error",
    "invalid_api_key",
    "api key not valid",
    "invalid_authentication_error",
];
/// Anthropic, Kimi, OpenAI, Responses, llama.cpp while it loads.
const OVERLOADED: [&str; 5] =
    ["overloaded_error", "engine_overloaded", "overloaded", "server_is_overloaded", "unavailable_error"];
const RATE_LIMITED: [&str; 3] = ["rate_limit", "too_many_requests", "slow_down"];

impl Cause {
    pub(crate) fn of(status: Option<u16>, said: &Said) -> Self {
        let all = said.all();
        let says = |words: &[&str]| words.iter().any(|word| all.contains(word));
        // `type` and `code` are words of the API, not of a sentence that may mention anything.
        let named = format!("{} {}", said.kind, said.code);
        let names = |words: &[&str]| words.iter().any(|word| named.contains(word));
        match status {
            Some(402) => return Self::NothingToPayWith,
            _ if says(&NOTHING_TO_PAY_WITH) => return Self::NothingToPayWith,
            Some(413) => return Self::too_long(said),
            _ if says(&TOO_LONG) => return Self::too_long(said),
            // Everything below is about the request or the key, which these statuses are not.
            Some(408) => return Self::ServerTimeout,
            Some(429) if names(&OVERLOADED) => return Self::Overloaded,
            Some(429) => return Self::RateLimited,
            Some(503 | 529) => return Self::Overloaded,
            Some(500..600) => return if names(&OVERLOADED) { Self::Overloaded } else { Self::ServerError },
            _ => {}
        }
        if says(&REFUSED_CONTENT) || (status == Some(403) && all.contains("moderation")) {
            Self::RefusedContent
        } else if says(&REFUSED_THINKING) && !says(&ABOUT_SETTINGS) {
            Self::RefusedThinking
        } else if says(&NO_SUCH_MODEL) || missing_model(status, &all) {
            Self::NoSuchModel
        } else if matches!(status, Some(401 | 403)) || says(&BAD_KEY) {
            Self::BadKey
        } else if names(&OVERLOADED) {
            Self::Overloaded
        } else if names(&RATE_LIMITED) {
            Self::RateLimited
        } else {
            match status {
                Some(404) => Self::NothingThere,
                Some(_) => Self::BadRequest,
                // Within a stream: a request that the server calls wrong is named so, all else is its own trouble.
                None if names(&["invalid_request", "invalid_prompt", "bad_request", "badrequest"]) => Self::BadRequest,
                None => Self::ServerError,
            }
        }
    }

    fn too_long(said: &Said) -> Self {
        let (sent, limit) = sizes(said);
        Self::TooLong { sent, limit }
    }

    pub(crate) fn kind(&self, retry_after: Option<Duration>) -> ErrorKind {
        match self {
            Self::BadKey => ErrorKind::BadKey,
            Self::NoSuchModel | Self::NothingThere => ErrorKind::NoSuchModel,
            Self::TooLong { sent, limit } => ErrorKind::PromptTooLong { sent: *sent, limit: *limit },
            Self::NothingToPayWith => ErrorKind::RateLimited { retry_after: None },
            Self::RateLimited => ErrorKind::RateLimited { retry_after },
            Self::Overloaded => ErrorKind::Overloaded,
            Self::RefusedContent => ErrorKind::RefusedContent,
            Self::RefusedThinking => ErrorKind::RefusedThinking,
            Self::BadRequest => ErrorKind::BadRequest,
            Self::ServerTimeout | Self::Timeout { .. } => ErrorKind::TimedOut,
            Self::ServerError => ErrorKind::ServerError,
            Self::Redirected { .. } | Self::Nonsense => ErrorKind::Nonsense,
            Self::Cut => ErrorKind::CutStream,
            Self::NoConnection(_) => ErrorKind::Unreachable,
            Self::Beyond { bound, .. } => ErrorKind::Beyond(*bound),
        }
    }

    pub(crate) fn again(&self) -> Again {
        match self {
            Self::RateLimited | Self::Overloaded | Self::ServerTimeout | Self::ServerError | Self::Cut => Again::Later,
            Self::NoConnection(reason) => reason.again(),
            Self::Timeout { phase: Phase::Connect, .. } => Again::Later,
            Self::Timeout { phase: Phase::FirstByte | Phase::NextByte, .. } => Again::Once,
            _ => Again::Never,
        }
    }
}

/// `The model "x" does not exist`, `model 'x' not found`: OpenAI, vLLM, Ollama; Anthropic's 404 says `model: x`.
fn missing_model(status: Option<u16>, all: &str) -> bool {
    let missing = ["does not exist", "not found", "no such"];
    match status {
        Some(404) => all.contains("model"),
        Some(400 | 403 | 422) | None => all.contains("the model") && missing.iter().any(|word| all.contains(word)),
        _ => false,
    }
}
