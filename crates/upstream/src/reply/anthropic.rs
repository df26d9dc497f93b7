//! Anthropic Messages.

use lookback_models::script::{StepStop, pieces};
use lookback_wire::{ReplyContent, Seal};
use serde_json::{Value, json};

use super::{Ending, Event, EventKind, Spoken, event};

pub(super) fn render_stream(spoken: &Spoken<'_>) -> Vec<Event> {
    let mut stream = Stream(Vec::new());
    let mut usage = usage(spoken);
    // What was written so far; the end says how much it became.
    usage["output_tokens"] = json!(1);
    stream.frame("message_start", json!({ "message": message(spoken, Vec::new(), None, usage) }));
    stream.frame("ping", json!({}));
    for (index, part) in spoken.parts.iter().enumerate() {
        stream.part(index, part, spoken.closes(index));
    }
    if spoken.ending != Ending::Open {
        let delta = json!({ "stop_reason": stop_reason(spoken), "stop_sequence": null });
        stream.frame("message_delta", json!({ "delta": delta, "usage": self::usage(spoken) }));
        stream.frame("message_stop", json!({}));
    }
    stream.0
}

pub(super) fn render_whole(spoken: &Spoken<'_>) -> Value {
    let content = spoken.parts.iter().map(block).collect();
    message(spoken, content, Some(stop_reason(spoken)), usage(spoken))
}

struct Stream(Vec<Event>);

impl Stream {
    fn push(&mut self, name: &'static str, mut data: Value, kind: EventKind) {
        data["type"] = json!(name);
        self.0.push(event(Some(name), &data, kind));
    }

    fn frame(&mut self, name: &'static str, data: Value) {
        self.push(name, data, EventKind::Frame);
    }

    fn delta(&mut self, index: usize, delta: Value) {
        self.push("content_block_delta", json!({ "index": index, "delta": delta }), EventKind::Piece);
    }

    fn part(&mut self, index: usize, part: &ReplyContent, closes: bool) {
        let start = match part {
            ReplyContent::Thinking { .. } => json!({ "type": "thinking", "thinking": "", "signature": "" }),
            ReplyContent::Call { id, name, .. } | ReplyContent::UnfinishedCall { id, name, .. } => {
                json!({ "type": "tool_use", "id": id, "name": name, "input": {} })
            }
            ReplyContent::Text(_) | ReplyContent::Unknown => json!({ "type": "text", "text": "" }),
        };
        self.frame("content_block_start", json!({ "index": index, "content_block": start }));
        match part {
            ReplyContent::Text(text) => {
                pieces(text).for_each(|piece| self.delta(index, json!({ "type": "text_delta", "text": piece })));
            }
            ReplyContent::Thinking { text, seal } => {
                for piece in pieces(text) {
                    self.delta(index, json!({ "type": "thinking_delta", "thinking": piece }));
                }
                if let (Seal::Signature(signature), true) = (seal, closes) {
                    self.delta(index, json!({ "type": "signature_delta", "signature": signature }));
                }
            }
            ReplyContent::Call { arguments, .. } | ReplyContent::UnfinishedCall { arguments, .. } => {
                let pieces = std::iter::once("").chain(pieces(arguments));
                pieces.for_each(|piece| {
                    self.delta(index, json!({ "type": "input_json_delta", "partial_json": piece }));
                });
            }
            ReplyContent::Unknown => {}
        }
        if closes {
            self.frame("content_block_stop", json!({ "index": index }));
        }
    }
}

fn message(spoken: &Spoken<'_>, content: Vec<Value>, stop_reason: Option<&str>, usage: Value) -> Value {
    json!({
        "id": format!("msg_{:024}", spoken.number),
        "type": "message",
        "role": "assistant",
        "model": spoken.model,
        "content": content,
        "stop_reason": stop_reason,
        "stop_sequence": null,
        "usage": usage,
    })
}

fn block(part: &ReplyContent) -> Value {
    match part {
        ReplyContent::Text(text) => json!({ "type": "text", "text": text }),
        ReplyContent::Thinking { text, seal } => {
            let signature = if let Seal::Signature(signature) = seal { signature } else { "" };
            json!({ "type": "thinking", "thinking": text, "signature": signature })
        }
        ReplyContent::Call { id, name, arguments } | ReplyContent::UnfinishedCall { id, name, arguments } => {
            // One body has room for an object only.
            let input = serde_json::from_str(arguments).ok().filter(Value::is_object).unwrap_or_else(|| json!({}));
            json!({ "type": "tool_use", "id": id, "name": name, "input": input })
        }
        ReplyContent::Unknown => Value::Null,
    }
}

fn usage(spoken: &Spoken<'_>) -> Value {
    let usage = &spoken.usage;
    let mut told = json!({
        "input_tokens": usage.uncached,
        "cache_creation_input_tokens": usage.written,
        "cache_read_input_tokens": usage.cached,
        "output_tokens": usage.output,
    });
    if usage.written_1h > 0 {
        told["cache_creation"] = json!({
            "ephemeral_5m_input_tokens": usage.written_5m,
            "ephemeral_1h_input_tokens": usage.written_1h,
        });
    }
    told
}

fn stop_reason(spoken: &Spoken<'_>) -> &'static str {
    match spoken.stop() {
        StepStop::End if spoken.has_calls() => "tool_use",
        StepStop::End | StepStop::Cut => "end_turn",
        StepStop::Limit => "max_tokens",
        StepStop::Refused => "refusal",
        StepStop::WindowFull => "model_context_window_exceeded",
    }
}
