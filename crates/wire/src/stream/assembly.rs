//! Objects that come in pieces. What a piece adds is told by its form: texts and lists grow, anything else is replaced.
//! Does not know the members that we understand; those who read them put them together themselves.

#[cfg(test)]
mod tests;

use serde_json::{Map, Value, value::RawValue};

use crate::{
    members::{Members, is_void},
    render::quote,
};

/// Texts in a list's entries that come in pieces; others (types, formats, ids) are said again each time.
const GROWING: [&str; 6] = ["text", "summary", "content", "data", "input", "arguments"];

/// An object's members in the order in which they were first said.
#[derive(Debug, Clone, Default)]
pub(super) struct Assembly(Vec<(String, Held)>);

/// A member that was said once keeps its bytes. One that grows is held open, so that a piece costs no more than itself.
#[derive(Debug, Clone)]
enum Held {
    Json(String),
    Open(Value),
    Entries(Vec<String>),
}

impl Assembly {
    pub(super) fn set(&mut self, name: &str, json: impl Into<String>) {
        *self.held(name) = Held::Json(json.into());
    }

    pub(super) fn set_text(&mut self, name: &str, text: &str) {
        self.set(name, quote(text));
    }

    /// All members of an object but these, as pieces of ours.
    pub(super) fn add_all(&mut self, members: &Members<'_>, except: &[&str]) {
        for (name, value) in members.iter().filter(|(name, _)| !except.contains(name)) {
            self.add(name, value);
        }
    }

    pub(super) fn add(&mut self, name: &str, piece: &RawValue) {
        if !self.0.iter().any(|(known, _)| known == name) {
            return self.set(name, piece.get());
        }
        if is_void(piece) {
            return;
        }
        let held = self.held(name);
        if let Held::Json(_) | Held::Entries(_) = held {
            *held = Held::Open(serde_json::from_str(&held.to_json()).unwrap_or_default());
        }
        if let (Held::Open(known), Ok(piece)) = (held, serde_json::from_str(piece.get())) {
            grow(known, piece, Text::Grows);
        }
    }

    /// One entry more for a list.
    pub(super) fn append(&mut self, name: &str, entry: &RawValue) {
        let held = self.held(name);
        if let Held::Entries(entries) = held {
            entries.push(entry.get().to_owned());
            return;
        }
        let known: Vec<Box<RawValue>> = serde_json::from_str(&held.to_json()).unwrap_or_default();
        let entries = known.iter().map(AsRef::as_ref).chain([entry]).map(|entry| entry.get().to_owned());
        *held = Held::Entries(entries.collect());
    }

    /// The members of another, but those that this one has.
    pub(super) fn extend(&mut self, other: Self) {
        for (name, value) in other.0 {
            if !self.0.iter().any(|(known, _)| *known == name) {
                self.0.push((name, value));
            }
        }
    }

    pub(super) fn to_json(&self) -> String {
        let members: Vec<_> = self.0.iter().map(|(name, held)| format!("{}:{}", quote(name), held.to_json())).collect();
        format!("{{{}}}", members.join(","))
    }

    fn held(&mut self, name: &str) -> &mut Held {
        let place = self.0.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
            self.0.push((name.to_owned(), Held::Json("null".to_owned())));
            self.0.len() - 1
        });
        &mut self.0[place].1
    }
}

impl Held {
    fn to_json(&self) -> String {
        match self {
            Self::Json(json) => json.clone(),
            Self::Open(value) => value.to_string(),
            Self::Entries(entries) => format!("[{}]", entries.join(",")),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Text {
    Grows,
    IsReplaced,
}

fn grow(known: &mut Value, piece: Value, text: Text) {
    match (known, piece) {
        (Value::String(known), Value::String(piece)) if text == Text::Grows => known.push_str(&piece),
        (Value::Array(known), Value::Array(pieces)) => grow_list(known, pieces),
        (Value::Object(known), Value::Object(piece)) => grow_object(known, piece),
        (_, Value::Null) => {}
        (known, piece) => *known = piece,
    }
}

fn grow_object(known: &mut Map<String, Value>, piece: Map<String, Value>) {
    for (name, value) in piece {
        let text = if GROWING.contains(&name.as_str()) { Text::Grows } else { Text::IsReplaced };
        match known.get_mut(&name) {
            Some(known) => grow(known, value, text),
            None => {
                known.insert(name, value);
            }
        }
    }
}

/// Entries that bear the same index are pieces of one.
fn grow_list(known: &mut Vec<Value>, pieces: Vec<Value>) {
    for piece in pieces {
        let index = piece.get("index").filter(|index| !index.is_null());
        let place = index.and_then(|index| known.iter().rposition(|entry| entry.get("index") == Some(index)));
        match place {
            Some(place) => grow(&mut known[place], piece, Text::IsReplaced),
            None => known.push(piece),
        }
    }
}
