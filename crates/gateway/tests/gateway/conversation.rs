//! A client's side of a conversation over Anthropic Messages: it sends everything again with every request.

use serde_json::{Value, json};

use crate::started::Started;

#[derive(Debug, Clone)]
pub(crate) struct Conversation {
    pub(crate) messages: Vec<Value>,
    pub(crate) system: String,
}

impl Conversation {
    pub(crate) fn new(task: &str) -> Self {
        let system = "You are a coding agent.\nWorking directory: /srv/project\n".repeat(3);
        Self { messages: vec![json!({"role": "user", "content": task})], system }
    }

    pub(crate) fn body(&self) -> Value {
        json!({
            "model": "example-model", "max_tokens": 1000, "messages": self.messages, "system": self.system,
            "tools": [{"name": "Bash", "description": "runs", "input_schema": {"type": "object"}}],
        })
    }

    /// One request and its answer, and what the tool of that answer printed.
    pub(crate) async fn step(&mut self, gateway: &Started) {
        let reply = gateway.ask(&self.body()).await;
        self.take(&reply);
    }

    pub(crate) fn take(&mut self, reply: &Value) {
        let call = reply["content"].as_array().unwrap().iter().find(|block| block["type"] == "tool_use").unwrap();
        let id = call["id"].as_str().unwrap().to_owned();
        let printed: String = (0..40).map(|line| format!("{id} line {line} of a file that was read\n")).collect();
        self.messages.push(json!({"role": "assistant", "content": reply["content"]}));
        let result = json!({"type": "tool_result", "tool_use_id": id, "content": printed});
        self.messages.push(json!({"role": "user", "content": [result]}));
    }

    pub(crate) async fn steps(&mut self, gateway: &Started, steps: usize) {
        for _ in 0..steps {
            self.step(gateway).await;
        }
    }
}

/// Whether a message is one of ours.
pub(crate) fn is_block(message: &Value) -> bool {
    message.to_string().contains("<lookback-block")
}

/// Which messages of the client's blocks stand for, in the order of the blocks; panics where a kept one was changed or
/// moved.
pub(crate) fn folded(sent: &[Value], got: &[Value]) -> Vec<std::ops::Range<usize>> {
    let (mut at, mut ranges) = (0, Vec::new());
    for (place, message) in got.iter().enumerate() {
        if is_block(message) {
            let next = got[place + 1..].iter().find(|next| !is_block(next)).expect("something is kept behind a block");
            let end = (at..sent.len()).find(|end| sent[*end] == *next).expect("what is kept is the client's");
            ranges.push(at..end);
            at = end;
        } else {
            assert_eq!(*message, sent[at], "message {at} was changed");
            at += 1;
        }
    }
    assert_eq!(at, sent.len(), "nothing is left out without a block");
    ranges
}
