//! Responses: items with an event for everything that happens to them.

use lookback_models::script::{StepStop, pieces};
use lookback_wire::{ReplyContent, Seal};
use serde_json::{Value, json};

use super::{Ending, Event, EventKind, Spoken, event};

pub(super) fn render_stream(spoken: &Spoken<'_>) -> Vec<Event> {
    let mut stream = Stream { events: Vec::new(), refuses: spoken.stop() == StepStop::Refused };
    let begun = response(spoken, "in_progress", Vec::new());
    stream.frame("response.created", json!({ "response": begun }));
    stream.frame("response.in_progress", json!({ "response": begun }));
    let mut items = Vec::new();
    for (index, part) in spoken.parts.iter().enumerate() {
        let item = item(spoken, index, part, "completed");
        stream.part(&Place { index, id: item["id"].clone() }, part, &item, spoken.closes(index));
        items.push(item);
    }
    if spoken.ending != Ending::Open {
        let (name, status) = ending(spoken);
        stream.frame(name, json!({ "response": response(spoken, status, items) }));
    }
    stream.events
}

pub(super) fn render_whole(spoken: &Spoken<'_>) -> Value {
    let items = spoken.parts.iter().enumerate().map(|(index, part)| item(spoken, index, part, "completed")).collect();
    response(spoken, ending(spoken).1, items)
}

struct Stream {
    events: Vec<Event>,
    refuses: bool,
}

/// Where an item stands, as its events name it.
struct Place {
    index: usize,
    id: Value,
}

impl Stream {
    fn push(&mut self, name: &'static str, mut data: Value, kind: EventKind) {
        data["type"] = json!(name);
        data["sequence_number"] = json!(self.events.len());
        self.events.push(event(Some(name), &data, kind));
    }

    fn frame(&mut self, name: &'static str, data: Value) {
        self.push(name, data, EventKind::Frame);
    }

    /// An event inside of an item. `inner` says which of the item's lists it concerns.
    fn inside(&mut self, name: &'static str, place: &Place, inner: Option<&str>, data: Value, kind: EventKind) {
        let mut data = data;
        data["item_id"] = place.id.clone();
        data["output_index"] = json!(place.index);
        if let Some(list) = inner {
            data[list] = json!(0);
        }
        self.push(name, data, kind);
    }

    fn part(&mut self, place: &Place, part: &ReplyContent, item: &Value, closes: bool) {
        let mut begun = item.clone();
        begun["status"] = json!("in_progress");
        for member in ["content", "summary"] {
            if begun.get(member).is_some() {
                begun[member] = json!([]);
            }
        }
        if begun.get("arguments").is_some() {
            begun["arguments"] = json!("");
        }
        self.frame("response.output_item.added", json!({ "output_index": place.index, "item": begun }));
        match part {
            ReplyContent::Text(text) => self.text(place, text, &item["content"][0], closes),
            ReplyContent::Thinking { text, .. } => self.summary(place, text, &item["summary"][0], closes),
            ReplyContent::Call { arguments, .. } | ReplyContent::UnfinishedCall { arguments, .. } => {
                self.arguments(place, arguments, closes);
            }
            ReplyContent::Unknown => {}
        }
        if closes {
            self.frame("response.output_item.done", json!({ "output_index": place.index, "item": item }));
        }
    }

    fn text(&mut self, place: &Place, text: &str, whole: &Value, closes: bool) {
        let (delta, done, member) = if self.refuses {
            ("response.refusal.delta", "response.refusal.done", "refusal")
        } else {
            ("response.output_text.delta", "response.output_text.done", "text")
        };
        let around = ["response.content_part.added", "response.content_part.done"];
        self.said(place, Some(("content_index", around, whole)), (delta, done, member), text, closes);
    }

    fn summary(&mut self, place: &Place, text: &str, whole: &Value, closes: bool) {
        let names = ("response.reasoning_summary_text.delta", "response.reasoning_summary_text.done", "text");
        let around = ["response.reasoning_summary_part.added", "response.reasoning_summary_part.done"];
        self.said(place, Some(("summary_index", around, whole)), names, text, closes);
    }

    fn arguments(&mut self, place: &Place, arguments: &str, closes: bool) {
        let names = ("response.function_call_arguments.delta", "response.function_call_arguments.done", "arguments");
        self.said(place, None, names, arguments, closes);
    }

    /// A text piece by piece. `part` is what it stands in: the list, the events around it, and all of it.
    fn said(
        &mut self,
        place: &Place,
        part: Option<(&'static str, [&'static str; 2], &Value)>,
        (delta, done, member): (&'static str, &'static str, &str),
        text: &str,
        closes: bool,
    ) {
        let inner = part.map(|(list, ..)| list);
        if let Some((_, [added, _], whole)) = part {
            let mut begun = whole.clone();
            begun[member] = json!("");
            self.inside(added, place, inner, json!({ "part": begun }), EventKind::Frame);
        }
        for piece in pieces(text) {
            self.inside(delta, place, inner, json!({ "delta": piece }), EventKind::Piece);
        }
        if closes {
            self.inside(done, place, inner, json!({ member: text }), EventKind::Frame);
            if let Some((_, [_, ended], whole)) = part {
                self.inside(ended, place, inner, json!({ "part": whole }), EventKind::Frame);
            }
        }
    }
}

fn item(spoken: &Spoken<'_>, index: usize, part: &ReplyContent, status: &str) -> Value {
    let id = |kind: &str| format!("{kind}_{:024}_{index}", spoken.number);
    match part {
        ReplyContent::Thinking { text, seal } => {
            let mut item = json!({
                "id": id("rs"),
                "type": "reasoning",
                "summary": [{ "type": "summary_text", "text": text }],
            });
            if let Seal::Encrypted { id, content } = seal {
                if let Some(id) = id {
                    item["id"] = json!(id);
                }
                if spoken.shown.encrypted_reasoning {
                    item["encrypted_content"] = json!(content);
                }
            }
            item
        }
        ReplyContent::Call { id: call, name, arguments }
        | ReplyContent::UnfinishedCall { id: call, name, arguments } => {
            let status = if matches!(part, ReplyContent::Call { .. }) { status } else { "incomplete" };
            json!({
                "id": id("fc"),
                "type": "function_call",
                "status": status,
                "arguments": arguments,
                "call_id": call,
                "name": name,
            })
        }
        ReplyContent::Text(text) if spoken.stop() == StepStop::Refused => {
            message(&id("msg"), status, json!({ "type": "refusal", "refusal": text }))
        }
        ReplyContent::Text(text) => {
            message(&id("msg"), status, json!({ "type": "output_text", "annotations": [], "text": text }))
        }
        ReplyContent::Unknown => Value::Null,
    }
}

fn message(id: &str, status: &str, content: Value) -> Value {
    json!({ "id": id, "type": "message", "status": status, "role": "assistant", "content": [content] })
}

/// The last event, and what the answer is called then.
fn ending(spoken: &Spoken<'_>) -> (&'static str, &'static str) {
    match spoken.stop() {
        StepStop::Limit | StepStop::WindowFull => ("response.incomplete", "incomplete"),
        StepStop::End | StepStop::Refused | StepStop::Cut => ("response.completed", "completed"),
    }
}

fn response(spoken: &Spoken<'_>, status: &str, output: Vec<Value>) -> Value {
    let is_over = status != "in_progress";
    let details = (status == "incomplete").then(|| json!({ "reason": "max_output_tokens" }));
    json!({
        "id": format!("resp_{:024}", spoken.number),
        "object": "response",
        "created_at": spoken.created,
        "status": status,
        "error": null,
        "incomplete_details": details,
        "model": spoken.model,
        "output": output,
        "usage": is_over.then(|| usage(spoken)),
    })
}

fn usage(spoken: &Spoken<'_>) -> Value {
    let (input, output) = (spoken.usage.prompt(), spoken.usage.output);
    json!({
        "input_tokens": input,
        "input_tokens_details": spoken.cache_details(),
        "output_tokens": output,
        "output_tokens_details": { "reasoning_tokens": spoken.thinking_tokens },
        "total_tokens": input + u64::from(output),
    })
}
