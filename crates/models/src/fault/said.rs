//! What a server says when it refuses, whatever form it chose: the errors of the known APIs, those of gateways around
//! them, a JSON text inside another, a web page, a line of text.

use serde_json::{Map, Value};

/// A refusal that is larger is read as text only: as JSON it could take many times its size.
const LARGEST: usize = 1 << 20;

/// Gateways wrap the error of the server behind them, and are wrapped themselves.
const DEEPEST: usize = 4;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Said {
    /// For a person; empty where it said nothing.
    pub(crate) words: String,
    /// `type` and `code` as far as they are words, in small letters.
    pub(crate) kind: String,
    pub(crate) code: String,
    pub(crate) param: String,
    /// A status inside the body, as OpenRouter's errors have it within a stream.
    pub(crate) status: Option<u16>,
    pub(crate) sent: Option<u64>,
    pub(crate) limit: Option<u64>,
}

pub(crate) fn parse_said(body: &[u8]) -> Said {
    let beginning = &body[..body.len().min(LARGEST)];
    match serde_json::from_slice::<Value>(beginning) {
        Ok(value) => read(&value, 0),
        Err(_) => Said { words: plain_words(&String::from_utf8_lossy(beginning)), ..Said::default() },
    }
}

fn read(value: &Value, depth: usize) -> Said {
    match value {
        Value::Array(items) if depth < DEEPEST => items.first().map(|item| read(item, depth + 1)).unwrap_or_default(),
        Value::Object(members) if depth < DEEPEST => read_object(members, depth),
        Value::String(text) if depth < DEEPEST => read_text(text, depth),
        _ => Said::default(),
    }
}

/// A text that may be an error in JSON itself.
fn read_text(text: &str, depth: usize) -> Said {
    let inner = text.find('{').and_then(|start| serde_json::from_str::<Value>(text[start..].trim()).ok());
    match inner.map(|value| read(&value, depth + 1)) {
        Some(said) if !said.words.is_empty() => said,
        _ => Said { words: plain_words(text), ..Said::default() },
    }
}

fn read_object(members: &Map<String, Value>, depth: usize) -> Said {
    let outer = read_members(members, depth);
    // `response` is where a failed Responses stream has its error.
    match ["error", "response"].into_iter().find_map(|name| members.get(name).filter(|value| !value.is_null())) {
        Some(inner) => outer.behind(read(inner, depth + 1)),
        None => outer,
    }
}

fn read_members(members: &Map<String, Value>, depth: usize) -> Said {
    let word = |name: &str| members.get(name).and_then(Value::as_str).unwrap_or_default().to_ascii_lowercase();
    let number = |name: &str| members.get(name).and_then(Value::as_u64);
    let status = ["code", "status", "status_code"]
        .into_iter()
        .find_map(|name| number(name).or_else(|| word(name).parse().ok()))
        .and_then(|status| u16::try_from(status).ok())
        .filter(|status| (400..600).contains(status));
    let own = Said {
        words: String::new(),
        kind: word("type"),
        code: word("code"),
        param: word("param"),
        status,
        // llama.cpp says both sizes in members of their own.
        sent: number("n_prompt_tokens"),
        limit: number("n_ctx"),
    };
    let own = match ["message", "msg", "detail", "error_message"].into_iter().find_map(|name| members.get(name)) {
        Some(Value::Array(items)) => Said { words: listed(items), ..own },
        Some(message) => own.behind(read(message, depth + 1)),
        None => own,
    };
    // OpenRouter keeps the words of the provider behind it here.
    match members.get("metadata").and_then(|metadata| metadata.get("raw")) {
        Some(raw) => own.with_reason(read(raw, depth + 1)),
        None => own,
    }
}

/// FastAPI's list of what is wrong with a request.
fn listed(items: &[Value]) -> String {
    let words: Vec<String> = items
        .iter()
        .map(|item| match (item.get("msg").and_then(Value::as_str), item.get("loc")) {
            (Some(message), Some(place)) => format!("{message} at {place}"),
            (Some(message), None) => message.to_owned(),
            (None, _) => item.to_string(),
        })
        .collect();
    words.join("; ")
}

impl Said {
    /// What `inner` says goes first; what it leaves open is taken from here.
    fn behind(self, inner: Self) -> Self {
        let first = |inner: String, outer: String| if inner.is_empty() { outer } else { inner };
        Self {
            words: first(inner.words, self.words),
            kind: first(inner.kind, self.kind),
            code: first(inner.code, self.code),
            param: first(inner.param, self.param),
            status: inner.status.or(self.status),
            sent: inner.sent.or(self.sent),
            limit: inner.limit.or(self.limit),
        }
    }

    /// The error of the server behind the one that answers.
    fn with_reason(self, reason: Self) -> Self {
        if reason.words.is_empty() {
            return self;
        }
        let words =
            if self.words.is_empty() { reason.words.clone() } else { format!("{}: {}", self.words, reason.words) };
        // The answering server chose its own status; the words from behind it say more precisely what is wrong.
        let status = self.status.or(reason.status);
        Self { words, status, ..self.behind(reason) }
    }

    /// All words together in lower case, to search in.
    pub(super) fn all(&self) -> String {
        format!("{} {} {} {}", self.kind, self.code, self.param, self.words).to_lowercase()
    }
}

/// A web page by its title, else without its tags.
fn plain_words(text: &str) -> String {
    let text = text.trim();
    let lower = text.to_ascii_lowercase();
    if !(lower.starts_with('<') || lower.contains("<html")) {
        return text.to_owned();
    }
    let title = lower.find("<title").and_then(|start| {
        let begin = start + lower[start..].find('>')? + 1;
        let end = begin + lower[begin..].find("</title")?;
        Some(text[begin..end].trim().to_owned())
    });
    match title {
        Some(title) if !title.is_empty() => title,
        _ => without_tags(text),
    }
}

fn without_tags(page: &str) -> String {
    let mut words = String::new();
    let mut inside = false;
    for c in page.chars() {
        match c {
            '<' => inside = true,
            '>' => {
                inside = false;
                words.push(' ');
            }
            _ if !inside => words.push(c),
            _ => {}
        }
    }
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}
