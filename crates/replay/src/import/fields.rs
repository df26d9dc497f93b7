//! Looking into JSON whose shape nobody promised: what is missing or of another type is simply not there.
//!
//! The messages of a session that is one document are kept as raw slices and parsed one after another, so that a broken one
//! costs itself only and the memory is that of the file plus one message.

use lookback_engine::NewPart;
use serde::Deserialize;
use serde_json::{Value, error::Category, value::RawValue};

use super::{
    ImportError, Sink,
    bounds::{Held, Weighed, check_values},
};
use crate::{numbers, recording::Skipped};

pub(super) fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key)?.as_str()
}

/// A count; some writers make floats of them. No model's prompt comes near the bound, and sums of bounded ones fit.
pub(super) fn count(value: &Value, key: &str) -> Option<u64> {
    let value = value.get(key)?;
    let count = value.as_u64().or_else(|| value.as_f64().filter(|number| *number >= 0.0).map(|number| number as u64));
    count.map(|count| count.min(u32::MAX.into()))
}

pub(super) fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The text of a content that is a string, or a list of strings and of blocks with a `text`, joined by line feeds. For a
/// picture stands a word, so that a message that is nothing else is still one.
pub(super) fn content_text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let of_block = |block: &'_ Value| -> Option<String> {
                let said = block.as_str().or_else(|| text(block, "text"));
                said.or_else(|| is_picture(block).then_some("[image]")).map(str::to_owned)
            };
            blocks.iter().filter_map(of_block).collect::<Vec<_>>().join("\n")
        }
        Value::Object(_) => text(content, "text").unwrap_or_default().to_owned(),
        _ => String::new(),
    }
}

fn is_picture(block: &Value) -> bool {
    matches!(text(block, "type"), Some("image" | "image_url" | "input_image")) || block.get("inlineData").is_some()
}

/// A call of a tool whose arguments stand as an object, or as the text of one.
pub(super) fn call_part(id: Option<&str>, otherwise: String, name: Option<&str>, arguments: &Value) -> NewPart {
    let arguments = match arguments {
        Value::String(written) => written.clone(),
        Value::Null => "{}".to_owned(),
        arguments => arguments.to_string(),
    };
    NewPart::Call { id: id.map_or(otherwise, str::to_owned), name: name.unwrap_or_default().to_owned(), arguments }
}

// What stands in a turn for something that is no text: replay compares texts, so a picture is its kind and its size, as a
// person would note it.

/// `[image: image/png, 123,456 bytes]`, from the length of its base64 form.
pub(super) fn describe_base64(what: &str, media_type: &str, data: &str) -> String {
    let padding = data.bytes().rev().take(2).take_while(|byte| *byte == b'=').count();
    describe_size(what, media_type, (data.len() / 4 * 3).saturating_sub(padding))
}

pub(super) fn describe_size(what: &str, media_type: &str, bytes: usize) -> String {
    format!("[{what}: {media_type}, {} bytes]", numbers::count(bytes as u64))
}

/// `[image: https://…]`; one that holds its data itself is described by its size.
pub(super) fn describe_url(what: &str, url: &str) -> String {
    match url.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,")) {
        Some((media_type, data)) => describe_base64(what, media_type, data),
        None => format!("[{what}: {url}]"),
    }
}

/// A line as text.
pub(super) fn parse_text(bytes: &[u8]) -> Result<&str, String> {
    let text = std::str::from_utf8(bytes).map_err(|error| format!("no UTF-8 from byte {}", error.valid_up_to()))?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

/// A line as JSON, or why it is none.
pub(super) fn parse_line<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| match error.classify() {
        Category::Eof => "the line ends in the middle of its JSON".to_owned(),
        Category::Data => format!("a line of an unknown form: {error}"),
        _ => format!("no JSON: {error}"),
    })
}

/// The frame of a document, its messages still raw.
pub(super) fn parse_frame<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, ImportError> {
    serde_json::from_slice(bytes).map_err(|error| match error.classify() {
        Category::Data => ImportError::Unusable(format!("a document of this format looks different: {error}")),
        Category::Io | Category::Syntax | Category::Eof => {
            let (line, column) = (error.line(), error.column());
            let reason = error.to_string();
            let reason = reason.split(" at line ").next().unwrap_or_default().to_owned();
            ImportError::Damaged { line, column, reason }
        }
    })
}

/// Each message with its number, from 1. What `read` cannot use is skipped and said.
pub(super) fn each_message(
    messages: &[&RawValue],
    sink: &mut dyn Sink,
    mut read: impl FnMut(usize, &Value, &mut dyn Sink) -> Result<(), String>,
) -> Result<(), ImportError> {
    let mut held = Held::default();
    for (number, message) in (1..).zip(messages) {
        let mut weighed = Weighed { sink, frames: 0 };
        let sink: &mut dyn Sink = &mut weighed;
        let parsed = check_values(message.get().as_bytes())
            .and_then(|()| serde_json::from_str(message.get()).map_err(|error| error.to_string()));
        if let Err(reason) = parsed.and_then(|message| read(number, &message, sink)) {
            sink.skipped(Skipped { line: number as u64, reason: format!("message {number}: {reason}") });
        }
        held.add(message.get().len() as u64 + weighed.frames)
            .map_err(|error| ImportError::TooLarge { place: format!("message {number}"), error })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn contents_are_texts_or_lists_of_them() {
        assert_eq!(content_text(&json!("a")), "a");
        assert_eq!(
            content_text(&json!(["a", {"type": "text", "text": "b"}, {"type": "image", "data": "…"}, {"x": 1}])),
            "a\nb\n[image]"
        );
        assert_eq!(content_text(&json!({"text": "c"})), "c");
        assert_eq!(content_text(&json!(null)), "");
    }

    #[test]
    fn counts_may_be_floats() {
        let value = json!({"a": 3, "b": 4.0, "c": -1, "d": "5"});
        assert_eq!(["a", "b", "c", "d", "e"].map(|key| count(&value, key)), [Some(3), Some(4), None, None, None]);
    }

    #[test]
    fn pictures_are_their_kind_and_size() {
        assert_eq!(describe_base64("image", "image/png", "aGFsbG8="), "[image: image/png, 5 bytes]");
        assert_eq!(describe_size("image", "image/png", 1_234_567), "[image: image/png, 1,234,567 bytes]");
        assert_eq!(describe_size("document", "application/pdf", 123), "[document: application/pdf, 123 bytes]");
        assert_eq!(describe_url("image", "data:image/gif;base64,aGFsbG8="), "[image: image/gif, 5 bytes]");
        assert_eq!(describe_url("image", "https://example.com/a.png"), "[image: https://example.com/a.png]");
    }
}
