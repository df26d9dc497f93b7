//! Who speaks, and whether it is the conversation or something beside it.
//!
//! Clients say it in headers and in their bodies, each in its own way; several say nothing, and then the content alone
//! tells. What they send besides the conversation (titles, their own compaction, commit messages, memory) goes to the same
//! endpoint under the same session.

use axum::http::{HeaderMap, header};
use lookback_wire::{
    Body, Provider,
    body::{Block, Content, Link, SectionKind, Span},
};
use serde_json::Value;

/// What the gateway knows of a request besides its messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Who {
    /// The program, as far as it says so.
    pub(crate) client: String,
    /// What it calls the conversation, with the name that the path gives.
    pub(crate) named: Option<Name>,
    pub(crate) kind: Kind,
    /// In words for whoever reads the log.
    pub(crate) why: &'static str,
}

/// A name that somebody gave. Somebody else's conversation may have the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Name {
    /// By upstream and credential.
    pub(crate) owner: Link,
    pub(crate) text: String,
}

/// What a request is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The next step of a conversation.
    Main,
    /// Beside it.
    Side,
    /// The client makes its own context shorter.
    Compaction,
    /// The server keeps what came before: there is nothing here to fold.
    Elsewhere,
}

/// What clients are told by in their user agent, with the name that this project has for them.
const CLIENTS: [(&str, &str); 9] = [
    ("claude-cli", "claude-code"),
    ("codex", "codex"),
    ("opencode", "opencode"),
    ("geminicli", "gemini-cli"),
    ("qwencode", "qwen-code"),
    ("goose", "goose"),
    ("aider", "aider"),
    ("litellm", "aider"),
    ("pi/", "pi"),
];

/// Headers that name a conversation, the most exact first: a thread of codex is one, its session may hold several.
const NAMES: [&str; 6] =
    ["thread-id", "x-claude-code-session-id", "x-session-id", "session-id", "session_id", "agent-session-id"];

/// Of what clients say when they ask for a summary of the conversation.
const COMPACTIONS: [&str; 5] = [
    "CONTEXT CHECKPOINT COMPACTION",
    "create a detailed summary of the conversation",
    "create a detailed summary of this conversation",
    "create a detailed summary of our conversation",
    "anchored summary",
];

impl Who {
    pub(crate) fn of(headers: &HeaderMap, body: &Body, session: Option<&str>, owner: Link) -> Self {
        let client = client(headers);
        let own = NAMES.iter().find_map(|name| text(headers, name)).map(str::to_owned).or_else(|| named_in(body));
        let agent = text(headers, "x-claude-code-agent-id");
        let text = [session, own.as_deref(), agent].into_iter().flatten().collect::<Vec<_>>().join("/");
        let named = (!text.is_empty()).then_some(Name { owner, text });
        let (kind, why) = kind(headers, body, &client, own.is_some());
        Self { client, named, kind, why }
    }
}

fn text<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name)?.to_str().ok().filter(|text| !text.is_empty())
}

fn client(headers: &HeaderMap) -> String {
    let agent = text(headers, header::USER_AGENT.as_str()).or_else(|| text(headers, "originator")).unwrap_or_default();
    let lower = agent.to_lowercase();
    let known = CLIENTS.iter().find(|(mark, _)| lower.contains(mark)).map(|(_, name)| (*name).to_owned());
    known.unwrap_or_else(|| {
        let name = lower.split(['/', ' ']).next().unwrap_or_default();
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        match !name.is_empty() && name.len() <= 40 && name.chars().all(is_name) {
            true => name.to_owned(),
            false => "unknown".to_owned(),
        }
    })
}

/// Claude Code packs its session into `metadata.user_id`; others name a cache after it.
fn named_in(body: &Body) -> Option<String> {
    let user = body.user_id().and_then(|user| serde_json::from_str::<Value>(&user).ok());
    let session = user.as_ref().and_then(|user| user["session_id"].as_str()).map(str::to_owned);
    session.or_else(|| body.prompt_cache_key().map(|key| key.into_owned()))
}

fn kind(headers: &HeaderMap, body: &Body, client: &str, is_named: bool) -> (Kind, &'static str) {
    if body.earlier().is_some() {
        return (Kind::Elsewhere, "its history is kept at the server");
    }
    let metadata = text(headers, "x-codex-turn-metadata").and_then(|json| serde_json::from_str::<Value>(json).ok());
    let said = |key: &str| metadata.as_ref().and_then(|metadata| metadata[key].as_str()).unwrap_or_default();
    if said("request_kind") == "compaction" || asks_for_summary(body) {
        return (Kind::Compaction, "the client asks for a summary of its own");
    }
    if said("thread_source") == "thread_title" || said("request_kind") == "prewarm" {
        return (Kind::Side, "a title or a warm-up");
    }
    let tools = body.section(SectionKind::Tools).map_or(0, |tools| tools.entries().len());
    let in_items = body.provider() == Provider::Responses
        && body.messages().iter().any(|item| item.kind.is_some_and(|kind| body.text(kind) == "additional_tools"));
    if tools == 0 && !in_items && (is_named || has_tools(client)) {
        return (Kind::Side, "it declares no tools, and the conversation does");
    }
    let system = body.section(SectionKind::System).map(|system| body.slice(system.span)).unwrap_or_default();
    if memchr::memmem::find(system, b"managed memory extraction subagent").is_some() {
        return (Kind::Side, "it takes notes for the client's memory");
    }
    (Kind::Main, "the conversation")
}

fn has_tools(client: &str) -> bool {
    matches!(client, "claude-code" | "codex" | "opencode" | "gemini-cli" | "qwen-code" | "goose" | "pi")
}

/// By the newest message: an item of codex's, or words that clients ask with. What a tool printed asks for nothing.
fn asks_for_summary(body: &Body) -> bool {
    let Some(last) = body.messages().last() else { return false };
    if last.kind.is_some_and(|kind| body.text(kind) == "compaction_trigger") {
        return true;
    }
    let is_users = last.role.is_some_and(|role| body.text(role) == "user");
    let is_text = |block: &&Block| block.kind.is_some_and(|kind| matches!(&*body.text(kind), "text" | "input_text"));
    let said: Vec<Span> = match &last.content {
        Content::Text(text) => vec![text.span],
        _ => body.blocks(body.messages().len() - 1).iter().filter(is_text).map(|block| block.span).collect(),
    };
    let asks = |said: &Span, words: &str| memchr::memmem::find(body.slice(*said), words.as_bytes()).is_some();
    is_users && said.iter().any(|said| COMPACTIONS.iter().any(|words| asks(said, words)))
}
