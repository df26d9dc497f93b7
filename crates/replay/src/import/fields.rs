//! Looking into JSON whose shape nobody promised: what is missing or of another type is simply not there.

use serde_json::Value;

pub(super) fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key)?.as_str()
}

/// A count; some writers make floats of them.
pub(super) fn count(value: &Value, key: &str) -> Option<u64> {
    let value = value.get(key)?;
    value.as_u64().or_else(|| value.as_f64().filter(|number| *number >= 0.0).map(|number| number as u64))
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
}
