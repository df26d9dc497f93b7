//! The lines of a Codex rollout as they stand in the file.
//!
//! A line is `{timestamp, type, payload}`; in the oldest files it is the response item itself. Payloads of different types
//! share names for different things, so each is parsed when its type is known.

use lookback_engine::{NewPart, trace::Origin};
use lookback_wire::Seal;
use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use crate::{
    import::fields::{count, describe_url},
    recording::Billed,
};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Line<'a> {
    /// Whatever stands there: one that is odd costs its time, not its turn.
    pub(super) timestamp: Value,
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
    #[serde(borrow)]
    pub(super) payload: Option<&'a RawValue>,
    item: Option<&'a RawValue>,
}

/// What a line is about.
pub(super) enum Body<'a> {
    Response(&'a str),
    Event(&'a str),
    Meta(&'a str),
    Context(&'a str),
    Compacted,
    /// Nothing of the conversation.
    Other,
}

impl<'a> Line<'a> {
    /// `text` is the whole line.
    pub(super) fn body(&self, text: &'a str) -> Body<'a> {
        let payload = self.payload.or(self.item).map(RawValue::get);
        match (self.kind.as_deref(), payload) {
            (Some("response_item"), Some(payload)) => Body::Response(payload),
            (Some("event_msg"), Some(payload)) => Body::Event(payload),
            (Some("session_meta"), Some(payload)) => Body::Meta(payload),
            (Some("turn_context"), Some(payload)) => Body::Context(payload),
            (Some("compacted"), _) => Body::Compacted,
            // The oldest files: the first line describes the session, the others are items.
            (None, None) if text.contains("\"instructions\"") || text.contains("\"git\"") => Body::Meta(text),
            (Some(_), None) => Body::Response(text),
            _ => Body::Other,
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Kind {
    #[serde(rename = "type")]
    pub(super) kind: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Meta {
    pub(super) id: Option<String>,
    pub(super) cwd: Option<String>,
    pub(super) forked_from_id: Option<String>,
    instructions: Option<String>,
    base_instructions: Option<Instructions>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Instructions {
    text: Option<String>,
}

impl Meta {
    pub(super) fn system(self) -> Option<String> {
        self.base_instructions.and_then(|given| given.text).or(self.instructions)
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct TurnContext {
    pub(super) model: Option<String>,
    pub(super) cwd: Option<String>,
}

/// Of the conversation: a message, a reasoning, a call, an output.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ResponseItem<'a> {
    pub(super) role: Option<String>,
    #[serde(borrow)]
    pub(super) content: Option<&'a RawValue>,
    pub(super) summary: Option<&'a RawValue>,
    pub(super) encrypted_content: Option<String>,
    pub(super) id: Option<String>,
    pub(super) name: Option<String>,
    /// Text, or in some types an object.
    pub(super) arguments: Option<&'a RawValue>,
    pub(super) input: Option<&'a RawValue>,
    pub(super) action: Option<&'a RawValue>,
    pub(super) call_id: Option<String>,
    pub(super) output: Option<Value>,
}

impl ResponseItem<'_> {
    pub(super) fn text(&self) -> String {
        parsed_text(self.content).unwrap_or_default()
    }

    /// Most clients keep the thoughts sealed and the summary empty.
    pub(super) fn thinking(&self) -> Option<NewPart> {
        let texts = [self.summary, self.content].into_iter().filter_map(parsed_text);
        let texts: Vec<String> = texts.filter(|text| !text.is_empty()).collect();
        let seal = match &self.encrypted_content {
            Some(content) => Seal::Encrypted { id: self.id.clone(), content: content.clone() },
            None => Seal::None,
        };
        let says = seal != Seal::None || !texts.is_empty();
        says.then(|| NewPart::Thinking { text: texts.join("\n"), seal })
    }
}

fn parsed_text(raw: Option<&RawValue>) -> Option<String> {
    serde_json::from_str(raw?.get()).ok().map(|content| content_text(&content))
}

/// Instructions from files that carry no tag of their own.
const MACHINE: [&str; 3] = ["# AGENTS.md instructions", "# AGENTS.md", "Warning: "];

/// Who speaks in a message of the user's role: a person, or the client in a person's place. The client's own messages are
/// one element: `<environment_context>…</environment_context>`.
pub(in crate::import) fn origin_of(role: &str, text: &str) -> Origin {
    let text = text.trim();
    match role == "user" && !is_one_element(text) && !MACHINE.iter().any(|mark| text.starts_with(mark)) {
        true => Origin::Person,
        false => Origin::Machine,
    }
}

fn is_one_element(text: &str) -> bool {
    let Some((tag, _)) = text.strip_prefix('<').and_then(|rest| rest.split_once('>')) else { return false };
    let name = tag.split_whitespace().next().unwrap_or_default();
    let is_name = !name.is_empty() && name.chars().all(|next| next.is_alphanumeric() || matches!(next, '_' | '-'));
    is_name
        && text
            .strip_suffix('>')
            .is_some_and(|text| text.ends_with(&format!("</{tag}")) || text.ends_with(&format!("</{name}")))
}

/// A string as its text, anything else as its JSON.
pub(super) fn text_or_json(raw: Option<&RawValue>) -> Option<String> {
    let raw = raw?.get();
    Some(serde_json::from_str::<String>(raw).unwrap_or_else(|_| raw.to_owned()))
}

/// The text of a content: a string, or a list of texts and pictures.
pub(super) fn content_text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            let mut joined = String::new();
            for text in items.iter().filter_map(item_text) {
                if !joined.is_empty() && !joined.ends_with('\n') {
                    joined.push('\n');
                }
                joined.push_str(&text);
            }
            joined
        }
        _ => String::new(),
    }
}

fn item_text(item: &Value) -> Option<String> {
    let image = item.get("image_url").and_then(|url| url.as_str().or_else(|| url.get("url")?.as_str()));
    match (item, item.get("text").and_then(Value::as_str), image) {
        (Value::String(text), ..) => Some(text.clone()),
        (_, Some(text), _) => Some(text.to_owned()),
        (_, _, Some(url)) => Some(describe_url("image", url)),
        _ => None,
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct TokenCount {
    info: Value,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Usage {
    input_tokens: u64,
    /// A part of the input.
    cached_input_tokens: u64,
    /// A part of the input, where the client says it.
    cache_write_input_tokens: u64,
    output_tokens: u64,
    total_tokens: u64,
}

impl TokenCount {
    /// The running total and the bill of the last call.
    pub(super) fn usage(self) -> Option<(Option<Usage>, Usage)> {
        let of = |key: &str| self.info.get(key).filter(|usage| usage.is_object()).map(Usage::of);
        Some((of("total_token_usage"), of("last_token_usage").filter(|last| last.input_tokens > 0)?))
    }
}

impl Usage {
    /// A number that cannot be one counts as nothing.
    fn of(usage: &Value) -> Self {
        let of = |key: &str| count(usage, key);
        Self {
            input_tokens: of("input_tokens").unwrap_or(0),
            cached_input_tokens: of("cached_input_tokens").unwrap_or(0),
            cache_write_input_tokens: of("cache_write_input_tokens")
                .or_else(|| of("cache_creation_input_tokens"))
                .unwrap_or(0),
            output_tokens: of("output_tokens").unwrap_or(0),
            total_tokens: of("total_tokens").unwrap_or(0),
        }
    }

    pub(super) fn billed(&self) -> Billed {
        let Self { input_tokens, cached_input_tokens, cache_write_input_tokens, output_tokens, .. } = *self;
        Billed::of_prompt(input_tokens, cached_input_tokens, cache_write_input_tokens, output_tokens)
    }
}
