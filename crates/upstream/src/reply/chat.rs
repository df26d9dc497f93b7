//! Chat Completions, with `reasoning_content` for thinking as the servers have it that show any.

use lookback_models::script::{StepStop, pieces};
use lookback_wire::ReplyContent;
use serde_json::{Value, json};

use super::{Ending, Event, EventKind, Spoken, event};

pub(super) fn render_stream(spoken: &Spoken<'_>) -> Vec<Event> {
    let mut events = Vec::new();
    let mut push = |delta: Value, finish: Option<&str>, kind| {
        events.push(event(None, &chunk(spoken, json!([choice(delta, finish)]), Value::Null), kind));
    };
    push(json!({ "role": "assistant", "content": "" }), None, EventKind::Frame);
    let mut calls = 0;
    for part in spoken.parts {
        match part {
            ReplyContent::Thinking { text, .. } => {
                pieces(text).for_each(|piece| push(json!({ "reasoning_content": piece }), None, EventKind::Piece));
            }
            ReplyContent::Text(text) => {
                let member = text_member(spoken);
                pieces(text).for_each(|piece| push(json!({ member: piece }), None, EventKind::Piece));
            }
            ReplyContent::Call { id, name, arguments } | ReplyContent::UnfinishedCall { id, name, arguments } => {
                let function = json!({ "name": name, "arguments": "" });
                let begun = json!({ "index": calls, "id": id, "type": "function", "function": function });
                push(json!({ "tool_calls": [begun] }), None, EventKind::Piece);
                for piece in pieces(arguments) {
                    let more = json!({ "index": calls, "function": { "arguments": piece } });
                    push(json!({ "tool_calls": [more] }), None, EventKind::Piece);
                }
                calls += 1;
            }
            ReplyContent::Unknown => {}
        }
    }
    if spoken.ending == Ending::Open {
        return events;
    }
    push(json!({}), Some(finish_reason(spoken)), EventKind::Frame);
    if spoken.shown.usage_in_stream {
        events.push(event(None, &chunk(spoken, json!([]), usage(spoken)), EventKind::Frame));
    }
    events.push(Event { name: None, data: "[DONE]".to_owned(), kind: EventKind::Frame });
    events
}

pub(super) fn render_whole(spoken: &Spoken<'_>) -> Value {
    let mut message = json!({ "role": "assistant", "content": null, "refusal": null });
    let mut calls = Vec::new();
    for part in spoken.parts {
        match part {
            ReplyContent::Thinking { text, .. } => message["reasoning_content"] = json!(text),
            ReplyContent::Text(text) => message[text_member(spoken)] = json!(text),
            ReplyContent::Call { id, name, arguments } | ReplyContent::UnfinishedCall { id, name, arguments } => {
                let function = json!({ "name": name, "arguments": arguments });
                calls.push(json!({ "id": id, "type": "function", "function": function }));
            }
            ReplyContent::Unknown => {}
        }
    }
    if !calls.is_empty() {
        message["tool_calls"] = json!(calls);
    }
    let choice = json!({
        "index": 0, "message": message, "logprobs": null, "finish_reason": finish_reason(spoken),
    });
    json!({
        "id": id(spoken),
        "object": "chat.completion",
        "created": spoken.created,
        "model": spoken.model,
        "choices": [choice],
        "usage": usage(spoken),
    })
}

/// A refusal has a place of its own.
fn text_member(spoken: &Spoken<'_>) -> &'static str {
    if spoken.stop() == StepStop::Refused { "refusal" } else { "content" }
}

fn id(spoken: &Spoken<'_>) -> String {
    format!("chatcmpl-{:024}", spoken.number)
}

fn chunk(spoken: &Spoken<'_>, choices: Value, usage: Value) -> Value {
    json!({
        "id": id(spoken),
        "object": "chat.completion.chunk",
        "created": spoken.created,
        "model": spoken.model,
        "choices": choices,
        "usage": usage,
    })
}

fn choice(delta: Value, finish: Option<&str>) -> Value {
    json!({ "index": 0, "delta": delta, "logprobs": null, "finish_reason": finish })
}

fn usage(spoken: &Spoken<'_>) -> Value {
    let (prompt, output) = (spoken.usage.prompt(), spoken.usage.output);
    let mut details = json!({ "cached_tokens": spoken.usage.cached });
    if spoken.usage.written > 0 {
        details["cache_write_tokens"] = json!(spoken.usage.written);
    }
    json!({
        "prompt_tokens": prompt,
        "completion_tokens": output,
        "total_tokens": prompt + u64::from(output),
        "prompt_tokens_details": details,
        "completion_tokens_details": { "reasoning_tokens": spoken.thinking_tokens },
    })
}

fn finish_reason(spoken: &Spoken<'_>) -> &'static str {
    match spoken.stop() {
        StepStop::End if spoken.has_calls() => "tool_calls",
        StepStop::End | StepStop::Cut => "stop",
        StepStop::Limit | StepStop::WindowFull => "length",
        StepStop::Refused => "content_filter",
    }
}
