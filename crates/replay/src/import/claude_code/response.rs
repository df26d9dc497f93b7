//! One response of the model while its lines and results still come in.

use lookback_engine::{
    NewPart,
    trace::{Stop, Timestamp, ToolResult},
};
use lookback_wire::Seal;

use super::lines::{Block, Message};
use crate::recording::{Billed, CallItem};

#[derive(Debug)]
pub(super) struct Response {
    pub(super) id: String,
    /// Of its item.
    pub(super) number: usize,
    at: Option<Timestamp>,
    model: Option<String>,
    parts: Vec<NewPart>,
    stop: Stop,
    calls: Vec<Call>,
    billed: Option<Billed>,
}

/// A call of the response that waits for its result.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) arguments: String,
    /// Where the client stood, relative to the root.
    pub(super) directory: String,
    pub(super) result: Option<ToolResult>,
}

impl Response {
    pub(super) fn new(id: String, number: usize, at: Option<Timestamp>) -> Self {
        let (parts, calls) = (Vec::new(), Vec::new());
        Self { id, number, at, model: None, parts, stop: Stop::End, calls, billed: None }
    }

    /// One more line of it. Usage stands on every line; only the last one's is whole.
    pub(super) fn add(&mut self, message: &Message<'_>, blocks: Vec<Block<'_>>, directory: &str) {
        for block in blocks {
            self.add_block(block, directory);
        }
        if let Some(usage) = &message.usage {
            self.billed = Some(usage.billed());
        }
        if self.model.is_none() {
            self.model.clone_from(&message.model);
        }
        if matches!(message.stop_reason.as_deref(), Some("max_tokens" | "model_context_window_exceeded")) {
            self.stop = Stop::Limit;
        }
    }

    fn add_block(&mut self, block: Block<'_>, directory: &str) {
        match block.kind.as_str() {
            "text" => self.parts.extend(block.text.filter(|text| !text.is_empty()).map(NewPart::Text)),
            "thinking" => {
                let seal = block.signature.filter(|seal| !seal.is_empty()).map_or(Seal::None, Seal::Signature);
                self.parts.push(NewPart::Thinking { text: block.thinking.unwrap_or_default(), seal });
            }
            "redacted_thinking" => {
                let seal = Seal::Redacted(block.data.unwrap_or_default());
                self.parts.push(NewPart::Thinking { text: String::new(), seal });
            }
            "tool_use" => {
                let id = block.id.unwrap_or_default();
                let name = block.name.unwrap_or_default();
                let arguments = block.input.map_or("{}", |input| input.get()).to_owned();
                self.parts.push(NewPart::Call { id: id.clone(), name: name.clone(), arguments: arguments.clone() });
                self.calls.push(Call { id, name, arguments, directory: directory.to_owned(), result: None });
            }
            // What the provider's own tools asked and found stands inside the answer.
            _ => {
                let text = [block.input.map(|raw| raw.get()), block.content.map(|raw| raw.get())];
                let text: Vec<&str> = text.into_iter().flatten().collect();
                self.parts.push(NewPart::Text(format!("[{}] {}", block.kind, text.join("\n"))));
            }
        }
    }

    pub(super) fn call(&mut self, id: &str) -> Option<&mut Call> {
        self.calls.iter_mut().find(|call| call.id == id)
    }

    /// The person stopped it while it was written.
    pub(super) fn cancel(&mut self) {
        self.stop = Stop::Cancelled;
    }

    pub(super) fn model(&self) -> Option<&str> {
        self.model.as_deref()
    }

    pub(super) fn finish(self) -> CallItem {
        // A response whose calls were run was whole, whatever its last line says.
        let stop = if self.calls.is_empty() { self.stop } else { Stop::End };
        let results = self.calls.into_iter().map(|call| call.result.unwrap_or_else(ToolResult::interrupted)).collect();
        CallItem { at: self.at, model: self.model, parts: self.parts, stop, results, billed: self.billed }
    }
}
