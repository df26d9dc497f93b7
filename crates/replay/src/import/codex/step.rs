//! One response of the model while its items and outputs still come in.

use lookback_engine::{
    NewPart,
    trace::{Stop, Timestamp, ToolResult},
};
use lookback_wire::Seal;
use serde_json::Value;

use super::lines::{ResponseItem, content_text};
use crate::recording::{Billed, CallItem};

#[derive(Debug)]
pub(super) struct Step {
    /// Of its item.
    pub(super) number: usize,
    pub(super) billed: Option<Billed>,
    at: Option<Timestamp>,
    model: Option<String>,
    parts: Vec<NewPart>,
    stop: Stop,
    calls: Vec<Call>,
    /// Its bill or an output came: what the model says next is another response.
    pub(super) is_over: bool,
}

#[derive(Debug)]
pub(super) struct Call {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) arguments: String,
    /// Where the client stood, relative to the root.
    pub(super) directory: String,
    /// The client's own copy of what a patch changed.
    pub(super) changes: Option<Value>,
    pub(super) result: Option<ToolResult>,
}

impl Step {
    pub(super) fn new(number: usize, at: Option<Timestamp>, model: Option<String>, billed: Option<Billed>) -> Self {
        let (parts, calls) = (Vec::new(), Vec::new());
        Self { number, billed, at, model, parts, stop: Stop::End, calls, is_over: false }
    }

    pub(super) fn say(&mut self, text: String) {
        if !text.is_empty() {
            self.parts.push(NewPart::Text(text));
        }
    }

    /// Most clients keep the thoughts sealed and the summary empty.
    pub(super) fn think(&mut self, item: &ResponseItem<'_>) {
        let parse = |raw: Option<&serde_json::value::RawValue>| serde_json::from_str(raw?.get()).ok();
        let texts = [parse(item.summary), parse(item.content)].into_iter().flatten();
        let texts: Vec<String> =
            texts.map(|value: Value| content_text(&value)).filter(|text| !text.is_empty()).collect();
        let seal = match &item.encrypted_content {
            Some(content) => Seal::Encrypted { id: item.id.clone(), content: content.clone() },
            None => Seal::None,
        };
        if seal != Seal::None || !texts.is_empty() {
            self.parts.push(NewPart::Thinking { text: texts.join("\n"), seal });
        }
    }

    pub(super) fn call(&mut self, call: Call) {
        let (id, name, arguments) = (call.id.clone(), call.name.clone(), call.arguments.clone());
        self.parts.push(NewPart::Call { id, name, arguments });
        self.calls.push(call);
    }

    pub(super) fn find(&mut self, id: &str) -> Option<&mut Call> {
        self.calls.iter_mut().find(|call| call.id == id)
    }

    pub(super) fn has_calls(&self) -> bool {
        !self.calls.is_empty()
    }

    /// The person stopped it while it was written.
    pub(super) fn cancel(&mut self) {
        if !self.is_over {
            self.stop = Stop::Cancelled;
        }
    }

    /// Broken off before anything was said: there is nothing that any provider would take back.
    pub(super) fn says_nothing(&self) -> bool {
        self.billed.is_none() && self.parts.iter().all(|part| matches!(part, NewPart::Thinking { .. }))
    }

    pub(super) fn finish(self) -> CallItem {
        // A response whose calls were run was whole.
        let stop = if self.calls.is_empty() { self.stop } else { Stop::End };
        let results = self.calls.into_iter().map(|call| call.result.unwrap_or_else(ToolResult::interrupted)).collect();
        CallItem { at: self.at, model: self.model, parts: self.parts, stop, results, billed: self.billed }
    }
}
