//! The members of a JSON object in the order and the bytes in which they came. Knows nothing of what they mean.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;

#[derive(Debug, Clone, Default)]
pub(crate) struct Members<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

/// A string that stays in the text it was read from. Serde borrows a bare `Cow`, but not one inside another type.
#[derive(Deserialize)]
#[serde(transparent)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'a> Members<'a> {
    /// None for anything but an object.
    pub(crate) fn parse(json: &'a str) -> Option<Self> {
        serde_json::from_str(json).ok()
    }

    /// The last one of that name, as most readers take it.
    pub(crate) fn get(&self, name: &str) -> Option<&'a RawValue> {
        self.0.iter().rev().find(|(other, _)| other == name).map(|(_, value)| *value)
    }

    pub(crate) fn text(&self, name: &str) -> Option<Cow<'a, str>> {
        self.get(name).and_then(parse_text)
    }

    pub(crate) fn object(&self, name: &str) -> Option<Members<'a>> {
        self.get(name).and_then(|value| Self::parse(value.get()))
    }

    pub(crate) fn list(&self, name: &str) -> Option<Vec<&'a RawValue>> {
        self.get(name).and_then(|value| serde_json::from_str(value.get()).ok())
    }

    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        self.get(name).and_then(|value| serde_json::from_str(value.get()).ok())
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &'a RawValue)> {
        self.0.iter().map(|(name, value)| (name.as_ref(), *value))
    }
}

/// The string that a value is.
pub(crate) fn parse_text(value: &RawValue) -> Option<Cow<'_, str>> {
    serde_json::from_str::<Text<'_>>(value.get()).ok().map(|text| text.0)
}

/// Null, or empty in its own way.
pub(crate) fn is_void(value: &RawValue) -> bool {
    let text = value.get();
    let is_empty = |open, close| text.strip_prefix(open).and_then(|rest| rest.strip_suffix(close));
    text == "null"
        || text == "\"\""
        || is_empty('[', ']').or_else(|| is_empty('{', '}')).is_some_and(|inside| inside.trim().is_empty())
}

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(name) = map.next_key::<Text<'de>>()? {
                    members.push((name.0, map.next_value()?));
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_and_bytes_stay() {
        let members = Members::parse(r#"{"b": 1.0, "a\n":{ "x":[] }, "b":null}"#).expect("an object");
        let shown: Vec<_> = members.iter().map(|(name, value)| (name, value.get())).collect();
        assert_eq!(shown, [("b", "1.0"), ("a\n", "{ \"x\":[] }"), ("b", "null")]);
        assert_eq!(members.get("b").map(RawValue::get), Some("null"));
        assert!(Members::parse("[1]").is_none());
    }

    #[test]
    fn what_says_nothing() {
        for (json, void) in [("null", true), ("\"\"", true), ("[ ]", true), ("{}", true), ("0", false), ("[0]", false)]
        {
            assert_eq!(is_void(serde_json::from_str(json).expect("JSON")), void, "{json}");
        }
    }
}
