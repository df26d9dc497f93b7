//! opencode's session export: `{info, messages[]}`, each message `{info, parts[]}`.
//!
//! An assistant message can hold several steps, each a call to the model of its own: `step-start` begins one,
//! `step-finish` ends it and has its tokens. A tool part holds both the call and its result.

pub(super) mod tools;

use std::collections::BTreeSet;

use lookback_engine::{
    NewPart,
    trace::{Origin, Stop, Timestamp, ToolResult},
};
use lookback_wire::Seal;
use serde::Deserialize;
use serde_json::Value;

use super::{
    ImportError, Sink,
    bounds::{Bounded, Messages},
    fields::{call_part, count, each_message, list, parse_frame, text},
    open_call::OpenCall,
    paths::Root,
    time::time_of,
};
use crate::recording::{About, Billed, Compaction, CompactionKind, Item, UserItem};

#[derive(Deserialize)]
struct Frame<'a> {
    #[serde(default)]
    info: Bounded<Value>,
    #[serde(borrow)]
    messages: Messages<'a>,
}

pub(super) fn parse(bytes: &[u8], sink: &mut dyn Sink) -> Result<About, ImportError> {
    let frame: Frame<'_> = parse_frame(bytes)?;
    let owned = |key: &str| text(&frame.info.0, key).map(str::to_owned);
    let about = About { session: owned("id"), cwd: owned("directory"), ..About::default() };
    let mut reader = Reader { about, cleared: BTreeSet::new() };
    each_message(&frame.messages.0, sink, |number, message, sink| reader.message(number, message, sink))?;
    Ok(reader.about)
}

struct Reader {
    about: About,
    /// When old results were cleared that were read already, and not said yet.
    cleared: BTreeSet<Timestamp>,
}

/// A step of an assistant message, as far as it was read.
#[derive(Default)]
struct Step {
    parts: Vec<NewPart>,
    results: Vec<ToolResult>,
    at: Option<Timestamp>,
}

impl Reader {
    fn message(&mut self, number: usize, message: &Value, sink: &mut dyn Sink) -> Result<(), String> {
        let (info, parts) = (&message["info"], list(message, "parts"));
        let at = time_of(&info["time"]["created"]);
        self.say_cleared(at, sink);
        match text(info, "role") {
            Some("user") => self.user(parts, at, sink),
            Some("assistant") => {
                if self.about.cwd.is_none() {
                    self.about.cwd = text(&info["path"], "cwd").map(str::to_owned);
                }
                let is_summary = info["summary"].as_bool() == Some(true) || text(info, "mode") == Some("compaction");
                match is_summary {
                    true => sink.item(Item::Compaction(Compaction {
                        kind: CompactionKind::Head,
                        at,
                        billed: bill(&info["tokens"]),
                    })),
                    false => self.assistant(number, info, parts, at, sink),
                }
            }
            Some(role) => return Err(format!("unknown role \"{role}\"")),
            None => return Err("no role".to_owned()),
        }
        Ok(())
    }

    /// The client clears the oldest results in place and writes down when.
    fn say_cleared(&mut self, now: Option<Timestamp>, sink: &mut dyn Sink) {
        let Some(now) = now else { return };
        while let Some(at) = self.cleared.first().copied().filter(|at| *at <= now) {
            self.cleared.pop_first();
            sink.item(Item::Compaction(Compaction { kind: CompactionKind::Results, at: Some(at), billed: None }));
        }
    }

    /// The parts `synthetic: true` were added by the client, such as the contents of a file that the person named: a turn
    /// of its own behind the person's words. A part that asks for a compaction is no turn.
    fn user(&self, parts: &[Value], at: Option<Timestamp>, sink: &mut dyn Sink) {
        let texts = parts.iter().filter(|part| text(part, "type") == Some("text") && part["ignored"] != true);
        let (added, typed): (Vec<&Value>, Vec<&Value>) = texts.partition(|part| part["synthetic"] == true);
        let joined =
            |parts: &[&Value]| parts.iter().filter_map(|part| text(part, "text")).collect::<Vec<_>>().join("\n");
        let (mut typed, added) = (joined(&typed), joined(&added));
        if typed.is_empty() && added.is_empty() {
            let files = parts.iter().filter(|part| text(part, "type") == Some("file"));
            let named: Vec<String> =
                files.filter_map(|part| Some(format!("[file {}]", text(part, "filename")?))).collect();
            typed = named.join("\n");
        }
        for (said, origin) in [(typed, Origin::Person), (added, Origin::Machine)] {
            if !said.trim().is_empty() {
                sink.item(Item::User(UserItem { text: said, origin, at }));
            }
        }
    }

    fn assistant(&mut self, number: usize, info: &Value, parts: &[Value], at: Option<Timestamp>, sink: &mut dyn Sink) {
        let model = text(info, "modelID");
        let mut step = Step { at, ..Step::default() };
        let mut billed_steps = 0;
        for (index, part) in parts.iter().enumerate() {
            match text(part, "type") {
                Some("step-start") => self.close(std::mem::take(&mut step), None, Stop::End, model, sink),
                Some("step-finish") => {
                    billed_steps += 1;
                    let stop = if text(part, "reason") == Some("length") { Stop::Limit } else { Stop::End };
                    self.close(std::mem::take(&mut step), bill(&part["tokens"]), stop, model, sink);
                }
                _ => self.part(number, index, part, &mut step),
            }
            // What the first step is dated by; later ones begin with their first part.
            if billed_steps == 0 && step.at.is_none() {
                step.at = at;
            }
        }
        let billed = if billed_steps == 0 { bill(&info["tokens"]) } else { None };
        self.close(step, billed, stop_of(info), model, sink);
    }

    fn part(&mut self, number: usize, index: usize, part: &Value, step: &mut Step) {
        let said = || text(part, "text").filter(|said| !said.trim().is_empty()).map(str::to_owned);
        step.at =
            step.at.or_else(|| time_of(&part["time"]["start"])).or_else(|| time_of(&part["state"]["time"]["start"]));
        match text(part, "type") {
            Some("text") => step.parts.extend(said().map(NewPart::Text)),
            Some("reasoning") => {
                let signature = part.pointer("/metadata/anthropic/signature").and_then(Value::as_str);
                let seal = signature.map_or(Seal::None, |signature| Seal::Signature(signature.to_owned()));
                step.parts.extend(said().map(|text| NewPart::Thinking { text, seal }));
            }
            Some("tool") => {
                let state = &part["state"];
                self.cleared.extend(time_of(&state["time"]["compacted"]));
                let arguments = if state["input"].is_null() { &state["raw"] } else { &state["input"] };
                let root = Root::new(self.about.cwd.as_deref().unwrap_or_default());
                step.results.push(tools::result(text(part, "tool").unwrap_or_default(), state, &root));
                let otherwise = format!("call_{number}_{index}");
                step.parts.push(call_part(text(part, "callID"), otherwise, text(part, "tool"), arguments));
            }
            // Snapshots, patches, files: what the client keeps for itself.
            _ => {}
        }
    }

    /// A message without any part is a request that never came back: no call.
    fn close(&mut self, step: Step, billed: Option<Billed>, stop: Stop, model: Option<&str>, sink: &mut dyn Sink) {
        if step.parts.is_empty() {
            return;
        }
        self.about.see_model(model);
        let mut call = OpenCall::new(step.parts, step.at, model.map(str::to_owned));
        (call.item.stop, call.item.billed) = (stop, billed);
        call.calls().iter_mut().zip(step.results).for_each(|(call, result)| call.result = Some(result));
        sink.item(call.close());
    }
}

fn stop_of(info: &Value) -> Stop {
    match text(&info["error"], "name") {
        Some("MessageAbortedError") => Stop::Cancelled,
        Some("MessageOutputLengthError") => Stop::Limit,
        Some(_) => Stop::Cut,
        None if text(info, "finish") == Some("length") => Stop::Limit,
        None => Stop::End,
    }
}

/// `input` excludes what was read from and written to the cache, `output` excludes reasoning. All zero: not billed.
fn bill(tokens: &Value) -> Option<Billed> {
    let cache = |key: &str| count(&tokens["cache"], key).unwrap_or(0);
    let of = |key: &str| count(tokens, key).unwrap_or(0);
    let (uncached, output) = (of("input"), of("output").saturating_add(of("reasoning")));
    Billed { uncached, read: cache("read"), written: cache("write"), output, written_1h: 0 }.known()
}

#[cfg(test)]
mod tests;
