//! gemini-cli's chat recordings: one document `{sessionId, …, messages[]}`, or a log of lines in newer clients.
//!
//! A message of type `gemini` is one response with its tool calls and their results. The log ([`log`]) is replayed into
//! the same messages first. Messages of the types info, warning and error are for the person only.

mod log;
pub(super) mod tools;

use lookback_engine::{NewPart, trace::Origin};
use lookback_wire::Seal;
use serde::Deserialize;
use serde_json::Value;

use super::{
    ImportError, Sink,
    bounds::{Bounded, Messages},
    fields::{call_part, content_text, count, each_message, list, parse_frame, text},
    open_call::OpenCall,
    paths::Root,
    time::time_of,
};
use crate::recording::{About, Billed, Item, UserItem};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Frame<'a> {
    session_id: Option<String>,
    #[serde(default)]
    directories: Bounded<Vec<String>>,
    #[serde(borrow, default)]
    messages: Messages<'a>,
}

pub(super) fn parse(bytes: &[u8], sink: &mut dyn Sink) -> Result<About, ImportError> {
    if log::is_log(bytes) {
        return log::replay(bytes, sink);
    }
    let frame: Frame<'_> = parse_frame(bytes)?;
    let cwd = frame.directories.0.into_iter().next();
    let mut reader = Reader { about: About { session: frame.session_id, cwd, ..About::default() } };
    each_message(&frame.messages.0, sink, |number, message, sink| reader.message(number, message, sink).map(drop))?;
    Ok(reader.about)
}

struct Reader {
    about: About,
}

/// Whether a message became a turn.
enum Given {
    Turn,
    Nothing,
}

impl Reader {
    fn message(&mut self, number: usize, message: &Value, sink: &mut dyn Sink) -> Result<Given, String> {
        let at = time_of(&message["timestamp"]);
        match text(message, "type") {
            Some("user") => {
                let said = content_text(&message["content"]);
                if said.trim().is_empty() {
                    return Ok(Given::Nothing);
                }
                sink.item(Item::User(UserItem { text: said, origin: Origin::Person, at }));
                Ok(Given::Turn)
            }
            Some("gemini") => Ok(self.response(number, message, sink)),
            Some("info" | "warning" | "error") => Ok(Given::Nothing),
            Some(other) => Err(format!("unknown type \"{other}\"")),
            None => Err("no type".to_owned()),
        }
    }

    fn response(&mut self, number: usize, message: &Value, sink: &mut dyn Sink) -> Given {
        let mut parts = Vec::new();
        let thoughts: Vec<String> = list(message, "thoughts").iter().filter_map(thought).collect();
        if !thoughts.is_empty() {
            parts.push(NewPart::Thinking { text: thoughts.join("\n"), seal: Seal::None });
        }
        let said = content_text(&message["content"]);
        if !said.trim().is_empty() {
            parts.push(NewPart::Text(said));
        }
        let calls = list(message, "toolCalls");
        for (index, call) in calls.iter().enumerate() {
            let otherwise = format!("call_{number}_{index}");
            parts.push(call_part(text(call, "id"), otherwise, text(call, "name"), &call["args"]));
        }
        if parts.is_empty() {
            return Given::Nothing;
        }
        let model = text(message, "model");
        self.about.see_model(model);
        let mut open = OpenCall::new(parts, time_of(&message["timestamp"]), model.map(str::to_owned));
        open.item.billed = bill(&message["tokens"]);
        let root = Root::new(self.about.cwd.as_deref().unwrap_or_default());
        for (open, call) in open.calls().iter_mut().zip(calls) {
            open.result = tools::result(call, &root);
        }
        sink.item(open.close());
        Given::Turn
    }
}

fn thought(thought: &Value) -> Option<String> {
    let (subject, description) = (text(thought, "subject"), text(thought, "description"));
    let said: Vec<&str> = [subject, description].into_iter().flatten().filter(|said| !said.is_empty()).collect();
    (!said.is_empty()).then(|| said.join(": "))
}

/// `input` includes what was cached; thoughts are billed as output, tool prompts as input.
fn bill(tokens: &Value) -> Option<Billed> {
    let of = |key: &str| count(tokens, key).unwrap_or(0);
    let mut billed = Billed::of_prompt(of("input"), of("cached"), 0, of("output").saturating_add(of("thoughts")));
    billed.uncached = billed.uncached.saturating_add(of("tool"));
    billed.known()
}

#[cfg(test)]
mod tests;
