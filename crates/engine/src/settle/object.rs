//! A JSON object on one line whose keys stand in the order in which they were written.
//!
//! The order is part of the bytes that a view renders, and `serde_json` orders a map by a feature that any crate of the
//! build may switch on. Which fields there are is not known here.

use serde_json::Value;

pub(super) struct Object(String);

impl Object {
    pub(super) fn new() -> Self {
        Self(String::from("{"))
    }

    /// Keys are the program's own words and need no escape.
    pub(super) fn field(&mut self, key: &'static str, value: impl Into<Value>) {
        self.json(key, &value.into().to_string());
    }

    /// A state mark of a tool: it stands there when it is set (docs/seeds.md C1).
    pub(super) fn mark(&mut self, key: &'static str, set: bool) {
        if set {
            self.field(key, true);
        }
    }

    /// How many were left out, where any were.
    pub(super) fn left_out(&mut self, key: &'static str, count: usize) {
        if count > 0 {
            self.field(key, count);
        }
    }

    /// A value that is JSON already.
    pub(super) fn json(&mut self, key: &'static str, json: &str) {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        self.0.push('"');
        self.0.push_str(key);
        self.0.push_str("\":");
        self.0.push_str(json);
    }

    pub(super) fn end(mut self) -> String {
        self.0.push('}');
        self.0
    }
}
