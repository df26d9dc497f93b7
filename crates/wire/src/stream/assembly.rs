//! Objects that come in pieces. What a piece adds is told by its form: texts and lists grow, anything else is replaced.
//! Does not know the members that we understand; those who read them put them together themselves.

mod growing;
#[cfg(test)]
mod tests;

use serde_json::{Value, value::RawValue};

use self::growing::{Growing, Text};
use super::places::Places;
use crate::{
    members::{Members, is_void},
    render::quote,
};

/// An object's members in the order in which they were first said.
#[derive(Debug, Clone, Default)]
pub(super) struct Assembly {
    members: Vec<(String, Held)>,
    places: Places<String>,
}

/// A member that was said once keeps its bytes. One that grows is held open, so that a piece costs no more than itself.
#[derive(Debug, Clone)]
enum Held {
    Json(String),
    Open(Growing),
    Entries(Vec<String>),
}

impl Assembly {
    pub(super) fn set(&mut self, name: &str, json: impl Into<String>) {
        *self.held(name) = Held::Json(json.into());
    }

    pub(super) fn set_text(&mut self, name: &str, text: &str) {
        self.set(name, quote(text));
    }

    /// All members of an object but these, as pieces of ours. Whether any of them was not there before.
    pub(super) fn add_all(&mut self, members: &Members<'_>, except: &[&str]) -> bool {
        let added = members.iter().filter(|(name, _)| !except.contains(name));
        added.fold(false, |is_new, (name, value)| self.add(name, value) || is_new)
    }

    /// Whether it was not there before.
    pub(super) fn add(&mut self, name: &str, piece: &RawValue) -> bool {
        if self.places.of(name).is_none() {
            self.set(name, piece.get());
            return true;
        }
        if is_void(piece) {
            return false;
        }
        let held = self.held(name);
        if let Held::Json(_) | Held::Entries(_) = held {
            *held = Held::Open(serde_json::from_str::<Value>(&held.to_json()).unwrap_or_default().into());
        }
        if let (Held::Open(known), Ok(piece)) = (held, serde_json::from_str(piece.get())) {
            known.grow(piece, Text::Grows);
        }
        false
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
        for (name, value) in other.members {
            if self.places.of(&name).is_none() {
                *self.held(&name) = value;
            }
        }
    }

    pub(super) fn to_json(&self) -> String {
        let members: Vec<_> =
            self.members.iter().map(|(name, held)| format!("{}:{}", quote(name), held.to_json())).collect();
        format!("{{{}}}", members.join(","))
    }

    fn held(&mut self, name: &str) -> &mut Held {
        let place = self.places.of(name).unwrap_or_else(|| {
            let place = self.members.len();
            self.members.push((name.to_owned(), Held::Json("null".to_owned())));
            self.places.note(name.to_owned(), place);
            place
        });
        &mut self.members[place].1
    }
}

impl Held {
    fn to_json(&self) -> String {
        match self {
            Self::Json(json) => json.clone(),
            Self::Open(value) => {
                let mut json = String::new();
                value.write(&mut json);
                json
            }
            Self::Entries(entries) => format!("[{}]", entries.join(",")),
        }
    }
}
