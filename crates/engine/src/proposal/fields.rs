//! Reading fields tolerantly: a string where a list belongs is a list of one, a number may stand in quotes, and what
//! has no place is dropped by name instead of failing the whole.
//!
//! Models, small ones above all, get values right more often than shapes (docs/design/folding.md, "The compactors"); a
//! claim still has to be admitted. What the fields are called is not known here.

use serde_json::{Map, Value};

use crate::text::one_line;

pub(super) type Object = Map<String, Value>;

/// What was dropped and what was missing, by path.
#[derive(Debug, Default)]
pub(super) struct Report {
    pub(super) dropped: Vec<String>,
    pub(super) missing: Vec<String>,
}

/// An object under its path. Known fields are taken out; what remains is unknown.
pub(super) struct Fields<'a> {
    path: String,
    object: Object,
    report: &'a mut Report,
}

impl<'a> Fields<'a> {
    pub(super) fn new(path: String, object: Object, report: &'a mut Report) -> Self {
        Self { path, object, report }
    }

    pub(super) fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    pub(super) fn report(&mut self) -> &mut Report {
        self.report
    }

    pub(super) fn take(&mut self, key: &str) -> Option<Value> {
        self.object.remove(key).filter(|value| !value.is_null())
    }

    /// A field that ought to be there, even if empty.
    pub(super) fn expect(&mut self, key: &str) -> Option<Value> {
        let path = self.path_of(key);
        match self.object.remove(key) {
            Some(value) => Some(value).filter(|value| !value.is_null()),
            None => {
                self.report.missing.push(path);
                None
            }
        }
    }

    pub(super) fn drop_field(&mut self, key: &str) {
        let path = self.path_of(key);
        self.report.dropped.push(path);
    }

    /// Text on one line: line feeds in a claim could imitate the structure of the block around it.
    pub(super) fn text(&mut self, key: &str) -> String {
        match self.take(key) {
            Some(Value::String(text)) => one_line(&text),
            Some(Value::Number(number)) => number.to_string(),
            Some(_) => {
                self.drop_field(key);
                String::new()
            }
            None => String::new(),
        }
    }

    /// Text as it is.
    pub(super) fn verbatim(&mut self, key: &str) -> Option<String> {
        match self.take(key)? {
            Value::String(text) => Some(text),
            _ => {
                self.drop_field(key);
                None
            }
        }
    }

    pub(super) fn number(&mut self, key: &str) -> Option<u32> {
        let number = match self.take(key)? {
            Value::Number(number) => number.as_u64().and_then(|number| u32::try_from(number).ok()),
            Value::String(text) => text.trim().trim_start_matches(['L', '#']).parse().ok(),
            _ => None,
        };
        if number.is_none() {
            self.drop_field(key);
        }
        number
    }

    pub(super) fn signed(&mut self, key: &str) -> Option<i32> {
        let number = match self.take(key)? {
            Value::Number(number) => number.as_i64().and_then(|number| i32::try_from(number).ok()),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        };
        if number.is_none() {
            self.drop_field(key);
        }
        number
    }

    /// One pointer or several, under either name.
    pub(super) fn pointers(&mut self) -> Vec<String> {
        ["pointer", "evidence"].into_iter().flat_map(|key| self.strings(key)).collect()
    }

    pub(super) fn strings(&mut self, key: &str) -> Vec<String> {
        let items = self.take(key).map(listed).unwrap_or_default();
        let mut strings = Vec::new();
        for (place, item) in items.into_iter().enumerate() {
            match item {
                Value::String(text) => strings.push(text.trim().to_owned()),
                _ => self.drop_field(&format!("{key}[{place}]")),
            }
        }
        strings
    }

    /// The items of a list, each read by `read`; None from it drops the item.
    pub(super) fn items<T>(
        &mut self,
        key: &str,
        value: Option<Value>,
        read: impl Fn(Value, String, &mut Report) -> Option<T>,
    ) -> Vec<T> {
        let mut read_items = Vec::new();
        for (place, item) in value.map(listed).unwrap_or_default().into_iter().enumerate() {
            let path = self.path_of(&format!("{key}[{place}]"));
            match read(item, path.clone(), self.report) {
                Some(item) => read_items.push(item),
                None => self.report.dropped.push(path),
            }
        }
        read_items
    }

    /// Reports the fields that were not taken.
    pub(super) fn end(self) {
        for key in self.object.keys() {
            let path = if self.path.is_empty() { key.clone() } else { format!("{}.{key}", self.path) };
            self.report.dropped.push(path);
        }
    }
}

fn listed(value: Value) -> Vec<Value> {
    match value {
        Value::Array(items) => items,
        Value::Null => Vec::new(),
        Value::String(text) if text.trim().is_empty() => Vec::new(),
        single => vec![single],
    }
}
