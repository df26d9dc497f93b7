//! Reading JSON bodies lightly: texts are borrowed, and what no rule asks about is skipped.

use std::{borrow::Cow, collections::BTreeMap};

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

/// Calls that wait for their results: where each stands, and whether it was answered.
#[derive(Debug, Default)]
pub(super) struct Calls<'a>(BTreeMap<Text<'a>, (usize, bool)>);

impl<'a> Calls<'a> {
    /// Says whether one of this id was waiting already.
    pub(super) fn open(&mut self, at: usize, id: Text<'a>) -> bool {
        self.0.insert(id, (at, false)).is_some()
    }

    pub(super) fn answer(&mut self, at: usize, id: &Text<'a>, violations: &mut Vec<Violation>) {
        let id_text = || id.0.clone().into_owned();
        match self.0.get_mut(id) {
            Some((_, answered @ false)) => *answered = true,
            Some(_) => violations.push(Violation::new(at, Rule::DuplicateResult { id: id_text() })),
            None => violations.push(Violation::new(at, Rule::ResultWithoutCall { id: id_text() })),
        }
    }

    /// Once reported, a call is forgotten: a result that comes later still has no call.
    pub(super) fn report_open(&mut self, violations: &mut Vec<Violation>) {
        self.0.retain(|id, (at, answered)| {
            if !*answered {
                violations.push(Violation::new(*at, Rule::CallWithoutResult { id: id.0.clone().into_owned() }));
            }
            *answered
        });
    }

    /// The step is over: none of its calls can be answered any more.
    pub(super) fn close(&mut self, violations: &mut Vec<Violation>) {
        std::mem::take(self).report_open(violations);
    }
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
