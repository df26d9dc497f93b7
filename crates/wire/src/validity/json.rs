//! Reading JSON bodies lightly: texts are borrowed, and what no rule asks about is skipped.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Rule, Violation};

/// A string that stays in the body it was read from. Serde borrows a bare `Cow`, but not one inside an `Option`.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(transparent)]
pub(super) struct Text<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);

impl Text<'_> {
    pub(super) fn is_blank(&self) -> bool {
        self.0.trim().is_empty()
    }
}

/// Reads bytes or a part of them that belongs to message `at`.
pub(super) fn parse<'a, T: Deserialize<'a>>(at: usize, bytes: &'a [u8]) -> Result<T, Violation> {
    serde_json::from_slice(bytes).map_err(|error| Violation::new(at, Rule::NotJson { reason: error.to_string() }))
}

pub(super) fn is_object(value: Option<&RawValue>) -> bool {
    value.is_some_and(|value| value.get().starts_with('{'))
}

/// A call's id and name against what all JSON providers accept.
pub(super) fn check_names(at: usize, id: &str, name: &str, violations: &mut Vec<Violation>) {
    if !is_identifier(id) {
        violations.push(Violation::new(at, Rule::BadCallId { id: id.to_owned() }));
    }
    if !is_identifier(name) {
        violations.push(Violation::new(at, Rule::BadToolName { name: name.to_owned() }));
    }
}

pub(super) fn is_identifier(text: &str) -> bool {
    (1..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b))
}
