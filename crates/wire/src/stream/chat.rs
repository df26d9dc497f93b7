//! Streams of Chat Completions: one message in pieces. Servers differ in how they cut calls; each of their ways is read
//! as what it means. Only the first choice is looked at: we never ask for two.

mod calls;

use std::borrow::Cow;

use serde_json::value::RawValue;

use self::calls::Calls;
use super::{
    Heard, StreamError,
    assembly::Assembly,
    usage::{Bill, parse_chat},
};
use crate::{
    Delta, Reply, ReplyContent, ReplyPart, ReplyStop, Seal,
    members::{Members, is_void, parse_text},
    parse::chat::{Origin, parse_assistant},
    render::quote,
};

#[derive(Debug, Default)]
pub(super) struct Reading {
    id: Option<String>,
    model: Option<String>,
    bill: Bill,
    finish_reason: Option<String>,
    thinking: Thought,
    text: String,
    calls: Calls,
    refusal: String,
    /// Members of the message that we do not know.
    rest: Assembly,
    is_done: bool,
}

/// What the model thought, under the name that its server has for it. Some say it twice, under both.
#[derive(Debug, Default)]
struct Thought {
    name: Option<&'static str>,
    text: String,
}

impl super::Reading for Reading {
    fn event(&mut self, chunk: &Members<'_>, deltas: &mut Vec<Delta>) -> Result<Heard, StreamError> {
        let said = |name, known: &mut Option<String>| {
            if known.is_none() {
                *known = chunk.text(name).filter(|text| !text.is_empty()).map(Cow::into_owned);
            }
        };
        said("id", &mut self.id);
        said("model", &mut self.model);
        if let Some(usage) = chunk.object("usage") {
            self.bill.read(parse_chat(&usage));
        }
        let choices: Vec<Members<'_>> =
            chunk.get("choices").and_then(|choices| serde_json::from_str(choices.get()).ok()).unwrap_or_default();
        let Some(choice) = choices.iter().find(|choice| choice.number("index").unwrap_or(0) == 0) else {
            return Ok(Heard::Nothing);
        };
        // Some put the usage here.
        if let Some(usage) = choice.object("usage") {
            self.bill.read(parse_chat(&usage));
        }
        let heard = if let Some(delta) = choice.object("delta") {
            self.delta(&delta, deltas)
        } else if let (Some(message), true) = (choice.object("message"), self.is_empty()) {
            self.delta(&message, deltas)
        } else {
            Heard::Nothing
        };
        if let Some(reason) = choice.text("finish_reason").filter(|reason| !reason.is_empty()) {
            self.finish_reason = Some(reason.into_owned());
        }
        Ok(heard)
    }

    fn done(&mut self) {
        self.is_done = true;
    }

    fn is_complete(&self) -> bool {
        self.is_done
    }

    fn has_stopped(&self) -> bool {
        self.is_done || self.finish_reason.is_some()
    }

    fn finish(self: Box<Self>) -> Reply {
        // Some servers end without a reason, but say that they end.
        let reason = self.finish_reason.as_deref().or(self.is_done.then_some("stop"));
        let stop = parse_stop(reason, &self.refusal);
        let mut parts = Vec::new();
        // Thinking with nothing behind it may be incomplete.
        let is_whole = stop != ReplyStop::Cut || !self.text.is_empty() || !self.calls.is_empty();
        if let Some(name) = self.thinking.name {
            let seal = if is_whole { Seal::Plain } else { Seal::None };
            // Goes back under the name that its server knows.
            let native = (name != "reasoning_content").then(|| format!("\"{name}\":{}", quote(&self.thinking.text)));
            parts.push(ReplyPart { content: ReplyContent::Thinking { text: self.thinking.text, seal }, native });
        }
        if !self.text.is_empty() {
            parts.push(ReplyPart { content: ReplyContent::Text(self.text), native: None });
        }
        parts.extend(self.calls.finish(&stop, self.id.as_deref()));
        parts.extend(parse_rest(&self.rest.to_json()));
        Reply { parts, stop, usage: self.bill.total(), id: self.id, model: self.model }
    }
}

impl Reading {
    fn is_empty(&self) -> bool {
        self.text.is_empty() && self.thinking.text.is_empty() && self.calls.is_empty()
    }

    fn delta(&mut self, delta: &Members<'_>, deltas: &mut Vec<Delta>) -> Heard {
        let mut is_content = false;
        for (name, value) in delta.iter().filter(|(_, value)| !is_void(value)) {
            is_content |= match name {
                "role" => false,
                "content" => self.text(value, deltas),
                "reasoning_content" | "reasoning" if parse_text(value).is_some() => {
                    let name = if name == "reasoning" { "reasoning" } else { "reasoning_content" };
                    self.thought(name, parse_text(value).unwrap_or_default(), deltas)
                }
                "refusal" => {
                    let words = parse_text(value).unwrap_or_default();
                    self.refusal += words.as_ref();
                    !words.is_empty()
                }
                "tool_calls" => {
                    let calls: Vec<Members<'_>> = serde_json::from_str(value.get()).unwrap_or_default();
                    calls.iter().map(|call| u32::from(self.calls.piece(call, deltas))).sum::<u32>() > 0
                }
                _ => self.rest.add(name, value),
            };
        }
        Heard::content_if(is_content)
    }

    /// Whether it says anything, as what follows does.
    fn text(&mut self, content: &RawValue, deltas: &mut Vec<Delta>) -> bool {
        let text = parse_text(content).unwrap_or_else(|| {
            let parts: Vec<Members<'_>> = serde_json::from_str(content.get()).unwrap_or_default();
            parts.iter().filter_map(|part| part.text("text")).collect::<String>().into()
        });
        let is_content = !text.is_empty();
        if is_content {
            self.text += &text;
            deltas.push(Delta::Text(text.into_owned()));
        }
        is_content
    }

    fn thought(&mut self, name: &'static str, text: Cow<'_, str>, deltas: &mut Vec<Delta>) -> bool {
        let is_content = *self.thinking.name.get_or_insert(name) == name;
        if is_content {
            self.thinking.text += &text;
            deltas.push(Delta::Thinking(text.into_owned()));
        }
        is_content
    }
}

/// The members that we do not know and that may go back.
fn parse_rest(json: &str) -> Vec<ReplyPart> {
    let Some(members) = Members::parse(json) else { return Vec::new() };
    parse_assistant(&members, Origin::Answer).into_iter().map(ReplyPart::from).collect()
}

fn parse_stop(reason: Option<&str>, refusal: &str) -> ReplyStop {
    match reason {
        // DeepSeek broke off for want of machines; OpenRouter's upstream broke off.
        None | Some("insufficient_system_resource" | "error") => ReplyStop::Cut,
        Some("length") => ReplyStop::Limit,
        Some("model_length" | "model_context_window_exceeded") => ReplyStop::WindowFull,
        Some("content_filter" | "refusal" | "safety") => ReplyStop::Refused(refusal.to_owned()),
        Some(_) if !refusal.is_empty() => ReplyStop::Refused(refusal.to_owned()),
        Some(_) => ReplyStop::End,
    }
}

/// A whole body is a stream of one chunk, whose choice has a `message`.
pub(super) fn parse_body(body: &Members<'_>) -> Option<Reply> {
    body.list("choices").filter(|choices| !choices.is_empty())?;
    let mut reading: Box<dyn super::Reading> = Box::<Reading>::default();
    reading.event(body, &mut Vec::new()).ok()?;
    Some(reading.finish())
}
