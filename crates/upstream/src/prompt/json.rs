//! What the three APIs write alike: contents that are a text or a list of pieces, and marks.

use lookback_engine::card::Lifetime;
use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use super::{BreakpointMode, Content, Mark, Piece, Unreadable, identity::bare};

pub(super) fn parse<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, Unreadable> {
    serde_json::from_str(text).map_err(|error| Unreadable(error.to_string()))
}

pub(super) fn body_text(body: &[u8]) -> Result<&str, Unreadable> {
    std::str::from_utf8(body).map_err(|_| Unreadable("the body is not UTF-8".to_owned()))
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

#[derive(Debug, Default, Deserialize)]
pub(super) struct CacheOptions {
    #[serde(default)]
    mode: Option<String>,
}

impl CacheOptions {
    pub(super) fn mode(options: Option<Self>) -> BreakpointMode {
        match options.and_then(|options| options.mode).as_deref() {
            Some("explicit") => BreakpointMode::Explicit,
            _ => BreakpointMode::Implicit,
        }
    }
}
