//! Values that pieces add to: texts and lists grow, anything else is replaced.

use std::collections::BTreeMap;

use serde_json::Value;

use super::super::places::Places;
use crate::render::quote;

/// Texts in a list's entries that come in pieces; others (types, formats, ids) are said again each time.
const GROWING: [&str; 6] = ["text", "summary", "content", "data", "input", "arguments"];

#[derive(Debug, Clone)]
pub(super) enum Growing {
    Text(String),
    List(List),
    Object(BTreeMap<String, Growing>),
    /// A number, a truth or nothing.
    Bare(Value),
}

#[derive(Debug, Clone, Default)]
pub(super) struct List {
    entries: Vec<Growing>,
    /// By the JSON of their index.
    places: Places<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Text {
    Grows,
    IsReplaced,
}

impl From<Value> for Growing {
    fn from(value: Value) -> Self {
        match value {
            Value::String(text) => Self::Text(text),
            Value::Array(entries) => {
                let mut list = List::default();
                entries.into_iter().for_each(|entry| list.push(index_of(&entry), entry));
                Self::List(list)
            }
            Value::Object(members) => {
                Self::Object(members.into_iter().map(|(name, value)| (name, value.into())).collect())
            }
            bare => Self::Bare(bare),
        }
    }
}

impl Growing {
    pub(super) fn grow(&mut self, piece: Value, text: Text) {
        match (self, piece) {
            (Self::Text(known), Value::String(piece)) if text == Text::Grows => known.push_str(&piece),
            (Self::List(known), Value::Array(pieces)) => pieces.into_iter().for_each(|piece| known.add(piece)),
            (Self::Object(known), Value::Object(piece)) => {
                for (name, value) in piece {
                    let text = if GROWING.contains(&name.as_str()) { Text::Grows } else { Text::IsReplaced };
                    match known.get_mut(&name) {
                        Some(known) => known.grow(value, text),
                        None => _ = known.insert(name, value.into()),
                    }
                }
            }
            (_, Value::Null) => {}
            (known, piece) => *known = piece.into(),
        }
    }

    pub(super) fn write(&self, json: &mut String) {
        match self {
            Self::Text(text) => json.push_str(&quote(text)),
            Self::List(list) => enclose(json, ['[', ']'], &list.entries, |json, entry| entry.write(json)),
            Self::Object(members) => enclose(json, ['{', '}'], members, |json, (name, value)| {
                json.push_str(&quote(name));
                json.push(':');
                value.write(json);
            }),
            Self::Bare(value) => json.push_str(&value.to_string()),
        }
    }
}

impl List {
    /// Entries that bear the same index are pieces of one.
    fn add(&mut self, piece: Value) {
        let index = index_of(&piece);
        match index.as_ref().and_then(|index| self.places.of(index)) {
            Some(place) => self.entries[place].grow(piece, Text::IsReplaced),
            None => self.push(index, piece),
        }
    }

    fn push(&mut self, index: Option<String>, entry: Value) {
        if let Some(index) = index {
            self.places.note(index, self.entries.len());
        }
        self.entries.push(entry.into());
    }
}

fn index_of(entry: &Value) -> Option<String> {
    let index = entry.get("index")?;
    (index.is_number() || index.is_string()).then(|| index.to_string())
}

fn enclose<T>(
    json: &mut String,
    [open, close]: [char; 2],
    all: impl IntoIterator<Item = T>,
    write: impl Fn(&mut String, T),
) {
    json.push(open);
    for (place, one) in all.into_iter().enumerate() {
        if place > 0 {
            json.push(',');
        }
        write(json, one);
    }
    json.push(close);
}
