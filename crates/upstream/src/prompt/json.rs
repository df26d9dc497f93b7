//! What the three APIs write alike: bodies, contents that are a text or a list of pieces, and marks.

use lookback_engine::card::Lifetime;
use lookback_wire::Provider;
use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use super::{BreakpointMode, Content, Mark, Piece, Prompt, Segment, Unreadable, identity::bare};

pub(super) fn parse<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, Unreadable> {
    serde_json::from_str(text).map_err(|error| Unreadable(error.to_string()))
}

/// A text is one item that is the text itself; no content is no item.
pub(super) fn items(content: Option<&RawValue>) -> Result<Vec<&RawValue>, Unreadable> {
    match content {
        None => Ok(Vec::new()),
        Some(content) if content.get().starts_with('[') => parse(content.get()),
        Some(content) if content.get() == "null" => Ok(Vec::new()),
        Some(content) => Ok(vec![content]),
    }
}

/// Pieces with their marks.
pub(super) fn pieces(content: Option<&RawValue>) -> Result<Vec<(Piece, Option<Mark>)>, Unreadable> {
    items(content)?.into_iter().map(|item| Ok(piece(parse(item.get())?))).collect()
}

pub(super) fn piece(value: Value) -> (Piece, Option<Mark>) {
    let mark = mark(&value);
    let piece = match (&value, text(&value, "type")) {
        (Value::String(text), _) => Piece::Text(text.clone()),
        (_, "text" | "input_text" | "output_text" | "summary_text" | "refusal") => {
            let said = if value.get("refusal").is_some() { "refusal" } else { "text" };
            Piece::Text(text(&value, said).to_owned())
        }
        (_, "image" | "image_url" | "input_image") => Piece::Image(bare(value)),
        _ => Piece::Other(bare(value)),
    };
    (piece, mark)
}

/// Contents with their marks.
pub(super) type Marked = (Content, Option<Mark>);

/// Each piece as a block of its own.
pub(super) fn plain(shown: Vec<(Piece, Option<Mark>)>) -> Vec<Marked> {
    shown.into_iter().map(|(piece, mark)| (Content::Piece(piece), mark)).collect()
}

/// A mark inside a result is the result's: a prompt cannot be cut in the middle of it.
pub(super) fn result(id: String, shown: Vec<(Piece, Option<Mark>)>, is_error: bool) -> Marked {
    let mark = shown.iter().find_map(|(_, mark)| *mark);
    (Content::Result { id, pieces: shown.into_iter().map(|(piece, _)| piece).collect(), is_error }, mark)
}

pub(super) fn mark(value: &Value) -> Option<Mark> {
    let given = |field| value.get(field).filter(|mark| !mark.is_null());
    if let Some(control) = given("cache_control") {
        let lifetime = if text(control, "ttl") == "1h" { Lifetime::OneHour } else { Lifetime::Usual };
        return Some(Mark::CacheControl(lifetime));
    }
    given("prompt_cache_breakpoint").map(|_| Mark::Breakpoint)
}

/// The text of a field, empty where there is none.
pub(super) fn text<'v>(value: &'v Value, field: &str) -> &'v str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// A body of any of the three APIs: each has some of these.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Body<'a> {
    model: String,
    max_tokens: Option<u64>,
    max_completion_tokens: Option<u64>,
    max_output_tokens: Option<u64>,
    /// A mark on the whole request stands on its last block.
    pub(super) cache_control: Option<Value>,
    prompt_cache_options: Option<CacheOptions>,
    #[serde(borrow)]
    pub(super) tools: Vec<&'a RawValue>,
    pub(super) system: Option<&'a RawValue>,
    pub(super) instructions: Option<String>,
    pub(super) messages: Vec<Entry<'a>>,
    pub(super) input: Option<&'a RawValue>,
}

/// A message of Anthropic's or of Chat's.
#[derive(Deserialize)]
pub(super) struct Entry<'a> {
    pub(super) role: String,
    #[serde(borrow)]
    pub(super) content: Option<&'a RawValue>,
    /// Called `reasoning` by some servers.
    #[serde(alias = "reasoning")]
    pub(super) reasoning_content: Option<String>,
    pub(super) tool_calls: Option<Vec<Call>>,
    pub(super) tool_call_id: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Call {
    #[serde(default)]
    pub(super) id: String,
    pub(super) function: Function,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Function {
    pub(super) name: String,
    pub(super) arguments: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct CacheOptions {
    mode: Option<String>,
}

impl<'a> Body<'a> {
    pub(super) fn parse(bytes: &'a [u8]) -> Result<Self, Unreadable> {
        let text = std::str::from_utf8(bytes).map_err(|_| Unreadable("the body is not UTF-8".to_owned()))?;
        parse(text)
    }

    pub(super) fn prompt(self, api: Provider, segments: Vec<Segment>) -> Prompt {
        let output_limit = match api {
            Provider::Anthropic => self.max_tokens,
            Provider::Chat | Provider::React => self.max_completion_tokens.or(self.max_tokens),
            Provider::Responses => self.max_output_tokens,
        };
        let breakpoints = match self.prompt_cache_options.and_then(|options| options.mode).as_deref() {
            _ if api == Provider::Anthropic => BreakpointMode::Explicit,
            Some("explicit") => BreakpointMode::Explicit,
            _ => BreakpointMode::Implicit,
        };
        Prompt { api, model: self.model, output_limit, breakpoints, segments }
    }
}
