//! serde_json over the same bytes, as a reader that shares nothing with ours.

use std::{borrow::Cow, fmt};

use lookback_wire::{
    Body, Provider,
    body::{SectionKind, SectionValue, Span},
};
use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;

/// An object as its members, duplicates kept.
struct Object<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Object<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(name) = map.next_key::<String>()? {
                    members.push((name.into(), map.next_value()?));
                }
                Ok(Object(members))
            }
        }
        deserializer.deserialize_map(Members)
    }
}

impl<'a> Object<'a> {
    fn last(&self, name: &str) -> Option<&'a RawValue> {
        self.0.iter().rev().find(|(named, _)| named == name).map(|(_, value)| *value)
    }
}

/// Whether this is JSON, and an object.
pub(crate) fn is_object(bytes: &[u8]) -> bool {
    serde_json::from_slice::<&RawValue>(bytes).is_ok_and(|value| value.get().starts_with('{'))
}

/// Members, messages and blocks are those that serde_json sees, at the same places.
pub(crate) fn agrees(body: &Body) {
    let text = std::str::from_utf8(body.bytes()).expect("a body is UTF-8");
    // A name with half a surrogate pair is JSON to a scanner and nothing to a reader of strings.
    let Ok(object) = serde_json::from_str::<Object<'_>>(text) else { return };
    let place = |value: &RawValue| {
        let start = value.get().as_ptr() as usize - text.as_ptr() as usize;
        Span { start, end: start + value.get().len() }
    };
    let members: Vec<_> = object.0.iter().map(|(name, value)| (name.clone(), place(value))).collect();
    let ours: Vec<_> = body.members().iter().map(|member| (body.text(member.name), member.value)).collect();
    assert_eq!(ours, members);

    let name = if body.provider() == Provider::Responses { "input" } else { "messages" };
    let list = object.last(name).and_then(elements);
    let section = body.section(SectionKind::Messages);
    assert_eq!(list.is_some(), section.is_some_and(|section| section.value == SectionValue::List));
    let list = list.unwrap_or_default();
    assert_eq!(
        body.messages().iter().map(|entry| entry.span).collect::<Vec<_>>(),
        list.iter().map(|value| place(value)).collect::<Vec<_>>()
    );
    for (at, message) in list.into_iter().enumerate() {
        let Ok(message) = serde_json::from_str::<Object<'_>>(message.get()) else { continue };
        let is_content = |name: &str| name == "content" || (body.provider() == Provider::Responses && name == "output");
        let content = message.0.iter().rev().find(|(name, _)| is_content(name)).map(|(_, value)| *value);
        let blocks = content.and_then(elements).unwrap_or_default();
        assert_eq!(
            body.blocks(at).iter().map(|block| block.span).collect::<Vec<_>>(),
            blocks.into_iter().map(place).collect::<Vec<_>>()
        );
        let role: Option<String> = message.last("role").and_then(|role| serde_json::from_str(role.get()).ok());
        let ours = body.messages()[at].role.map(|role| body.text(role).into_owned());
        assert!(role.is_none() || role == ours, "{role:?} {ours:?}");
    }
}

fn elements(value: &RawValue) -> Option<Vec<&RawValue>> {
    serde_json::from_str(value.get()).ok()
}
