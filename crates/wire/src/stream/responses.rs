//! The stream of OpenAI Responses: items that are added, grow and are done; a done item is said again in whole.

mod items;

use std::borrow::Cow;

use self::items::Items;
use super::{
    Heard, StreamError,
    usage::{Bill, parse_responses},
};
use crate::{Delta, Reply, ReplyContent, ReplyPart, ReplyStop, members::Members};

#[derive(Debug, Default)]
pub(super) struct Reading {
    id: Option<String>,
    model: Option<String>,
    bill: Bill,
    stop: Option<ReplyStop>,
    items: Items,
}

impl super::Reading for Reading {
    fn event(&mut self, event: &Members<'_>, deltas: &mut Vec<Delta>) -> Result<Heard, StreamError> {
        let kind = event.text("type").unwrap_or_default();
        if let Some(response) = event.object("response") {
            if kind == "response.failed" {
                let raw = event.get("response").map_or_else(String::new, |response| response.get().to_owned());
                return Err(StreamError::Provider { raw });
            }
            deltas.extend(self.response(&response));
            return Ok(Heard::Nothing);
        }
        let text = event.text("delta").unwrap_or_default();
        let is_content = match kind.as_ref() {
            "response.output_item.added" => self.items.add(event, deltas),
            "response.output_item.done" => self.items.done(event, deltas),
            "response.output_text.delta" => {
                deltas.extend(self.items.text(event, &text));
                !text.is_empty()
            }
            "response.refusal.delta" => {
                self.items.refuse(event, &text);
                !text.is_empty()
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                deltas.extend(self.items.thinking(event, &text));
                !text.is_empty()
            }
            // Summaries have parts, with a blank line between them.
            "response.reasoning_summary_part.added" if event.number("summary_index").unwrap_or(0) > 0 => {
                deltas.extend(self.items.thinking(event, "\n\n"));
                true
            }
            "response.function_call_arguments.delta" => {
                self.items.arguments(event, &text);
                !text.is_empty()
            }
            // Pieces of items that we do not know: the whole of them comes when they are done.
            _ => false,
        };
        Ok(Heard::content_if(is_content))
    }

    fn is_complete(&self) -> bool {
        self.stop.is_some()
    }

    fn finish(self: Box<Self>) -> Reply {
        let (mut parts, refusal) = self.items.finish();
        // Servers that name no status of an item leave half a call behind a limit, too.
        if self.stop.as_ref().is_none_or(|stop| *stop != ReplyStop::End) {
            parts.iter_mut().filter(|part| calls_without_json(part)).for_each(ReplyPart::leave_unfinished);
        }
        let stop = match self.stop.unwrap_or_default() {
            ReplyStop::End | ReplyStop::Refused(_) if !refusal.is_empty() => ReplyStop::Refused(refusal),
            stop => stop,
        };
        Reply { parts, stop, usage: self.bill.total(), id: self.id, model: self.model }
    }
}

impl Reading {
    /// The answer as a whole, at its start or at its end; some servers say its start twice.
    fn response(&mut self, response: &Members<'_>) -> Vec<Delta> {
        self.id = response.text("id").map(Cow::into_owned).or(self.id.take());
        self.model = response.text("model").map(Cow::into_owned).or(self.model.take());
        if let Some(usage) = response.object("usage") {
            self.bill.read(parse_responses(&usage));
        }
        self.stop = parse_stop(response).or(self.stop.take());
        if self.stop.is_some() { self.items.fill(response) } else { Vec::new() }
    }
}

fn calls_without_json(part: &ReplyPart) -> bool {
    match &part.content {
        ReplyContent::Call { arguments, .. } => !arguments.trim().is_empty() && Members::parse(arguments).is_none(),
        _ => false,
    }
}

/// None while it is on its way.
fn parse_stop(response: &Members<'_>) -> Option<ReplyStop> {
    let reason = || response.object("incomplete_details").and_then(|details| details.text("reason"));
    match response.text("status").as_deref() {
        Some("completed") => Some(ReplyStop::End),
        Some("incomplete") if reason().as_deref() == Some("content_filter") => Some(ReplyStop::Refused(String::new())),
        Some("incomplete") => Some(ReplyStop::Limit),
        Some("cancelled") => Some(ReplyStop::Cut),
        _ => None,
    }
}

pub(super) fn parse_body(body: &Members<'_>) -> Option<Reply> {
    body.list("output")?;
    let mut reading = Box::<Reading>::default();
    reading.response(body);
    Some(super::Reading::finish(reading))
}
