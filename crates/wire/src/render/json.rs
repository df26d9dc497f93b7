//! What the three JSON protocols write alike. Knows nothing of their fields.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Map, Value, value::RawValue};

use super::{Head, whole};
use crate::ToolSpec;

/// The schema of a tool whose own one cannot be sent: any object will do.
const ANY_OBJECT: &str = r#"{"type":"object"}"#;

pub(super) fn render_json(value: &(impl Serialize + ?Sized)) -> String {
    serde_json::to_string(value).expect("strings, lists and raw JSON always serialise")
}

pub(crate) fn quote(text: &str) -> String {
    render_json(text)
}

/// A list as a member with its comma; nothing where the list is empty.
pub(super) fn render_list(name: &str, list: &[impl Serialize]) -> String {
    if list.is_empty() { String::new() } else { format!("\"{name}\":{},", render_json(list)) }
}

/// The declared tools as a member with its comma, each as `declare` writes it.
pub(super) fn render_tools<'a, T: Serialize>(head: &Head<'a>, declare: impl FnMut(&'a ToolSpec) -> T) -> String {
    render_list("tools", &head.tools.iter().map(declare).collect::<Vec<_>>())
}

/// Items as they stand in a list, without the brackets.
pub(super) fn render_items(items: &[impl Serialize]) -> Vec<u8> {
    items.iter().map(render_json).collect::<Vec<_>>().join(",").into_bytes()
}

/// The text itself, if it is a JSON object that every reader accepts. It is parsed in full, because a lone surrogate
/// escape or absurd nesting passes a mere scan and is then refused by the provider, with the whole conversation.
pub(super) fn parse_object(text: &str) -> Option<&RawValue> {
    serde_json::from_str::<whole::Object>(text).ok()?;
    serde_json::from_str(text).ok()
}

/// A tool's schema as it was written, but for the one thing that providers insist on: its type is `object`.
pub(super) fn schema(parameters: &str) -> Cow<'_, RawValue> {
    let any_object = || Cow::Owned(raw(ANY_OBJECT.to_owned()));
    let Ok(fields) = serde_json::from_str::<Map<String, Value>>(parameters) else { return any_object() };
    match (fields.get("type"), parse_object(parameters)) {
        (Some(Value::String(kind)), Some(written)) if kind == "object" => Cow::Borrowed(written),
        (None, Some(written)) if !fields.is_empty() => {
            let rest = written.get().trim_start_matches('{');
            Cow::Owned(raw(format!("{{\"type\":\"object\",{rest}")))
        }
        _ => any_object(),
    }
}

fn raw(json: String) -> Box<RawValue> {
    RawValue::from_string(json).expect("it was put together from JSON")
}

/// Arguments for the protocols that carry them as text. Some servers parse them, and an empty text is not JSON.
pub(super) fn arguments_text(arguments: &str) -> &str {
    if arguments.trim().is_empty() { "{}" } else { arguments }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_keep_their_bytes() {
        let text = r#"{ "b":1.0,  "a":"\u4e2d", "a":2 }"#;
        assert_eq!(parse_object(text).map(RawValue::get), Some(text));
    }

    #[test]
    fn what_a_provider_would_refuse_is_no_object() {
        let deep = format!("{}{}", r#"{"a":"#.repeat(500), "}".repeat(500));
        for text in ["", "[1]", "3", r#"{"a":}"#, r#"{"a":"\ud800"}"#, deep.as_str()] {
            assert!(parse_object(text).is_none(), "{text}");
        }
    }

    #[test]
    fn a_broken_schema_becomes_any_object() {
        assert_eq!(schema("{oops").get(), ANY_OBJECT);
        assert_eq!(schema("{}").get(), ANY_OBJECT);
        assert_eq!(schema(r#"{"type":"string"}"#).get(), ANY_OBJECT);
        assert_eq!(schema(r#"{"properties":{}}"#).get(), r#"{"type":"object","properties":{}}"#);
    }
}
