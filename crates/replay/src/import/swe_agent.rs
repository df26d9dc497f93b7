//! SWE-agent's `.traj`: `{trajectory[], history[], info, environment}`.
//!
//! The history is what the model was sent and answered; entries of a demonstration are left out, they belong to the
//! prompt. In the layout of 2024 an answer's action is text and the next user entry is its observation; from 1.x on
//! answers can have tool calls with ids. A file without history is read from its trajectory.
//!
//! No entry has a time or a bill: a run knows its totals only.

mod action;
mod observation;

use lookback_engine::{NewPart, trace::Origin};
use lookback_wire::Seal;
use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use self::{action::parse_action, observation::Files};
use super::{
    ImportError, Sink,
    bounds::{Bounded, Messages, parse_within},
    fields::{call_part, content_text, each_message, list, parse_frame, text},
    open_call::{OpenCall, close},
};
use crate::recording::{About, Item, UserItem};

#[derive(Deserialize)]
struct Frame<'a> {
    #[serde(borrow, default)]
    history: Messages<'a>,
    #[serde(borrow, default)]
    trajectory: Messages<'a>,
    replay_config: Option<Bounded<Value>>,
}

pub(super) fn parse(bytes: &[u8], sink: &mut dyn Sink) -> Result<About, ImportError> {
    let Frame { history: Messages(history), trajectory: Messages(trajectory), replay_config } = parse_frame(bytes)?;
    if history.is_empty() && trajectory.is_empty() {
        return Err(ImportError::Unusable("neither history nor trajectory holds anything".to_owned()));
    }
    let about = About { cwd: first_directory(&trajectory), model: model(replay_config), ..About::default() };
    let mut reader = Reader { files: Files::new(about.cwd.as_deref()), about, open: None, seen_task: false };
    match history.is_empty() {
        false => each_message(&history, sink, |number, entry, sink| reader.entry(number, entry, sink))?,
        true => each_message(&trajectory, sink, |number, step, sink| reader.step(number, step, sink))?,
    }
    close(&mut reader.open, sink);
    Ok(reader.about)
}

/// The directory of the first step's state, which is an object or the text of one.
fn first_directory(trajectory: &[&RawValue]) -> Option<String> {
    let step = parse_within(trajectory.first()?.get())?;
    let state = match &step["state"] {
        Value::String(written) => parse_within(written)?,
        state => state.clone(),
    };
    text(&state, "working_dir").filter(|directory| directory.starts_with('/')).map(str::to_owned)
}

/// Only 1.x writes it down: in the configuration, an object or the text of one.
fn model(configuration: Option<Bounded<Value>>) -> Option<String> {
    let configuration = match configuration?.0 {
        Value::String(written) => parse_within(&written)?,
        configuration => configuration,
    };
    configuration.pointer("/agent/model/name").and_then(Value::as_str).map(str::to_owned)
}

struct Reader {
    about: About,
    files: Files,
    open: Option<OpenCall>,
    seen_task: bool,
}

impl Reader {
    fn entry(&mut self, number: usize, entry: &Value, sink: &mut dyn Sink) -> Result<(), String> {
        if entry["is_demo"].as_bool() == Some(true) {
            return Ok(());
        }
        let content = content_text(&entry["content"]);
        match text(entry, "role") {
            Some("system") => self.about.system.get_or_insert_default().push_str(&content),
            Some("assistant") => {
                let parts = self.answer(number, entry, content);
                self.begin(parts, sink);
            }
            Some("user") => self.user(content, sink),
            Some("tool") => return self.result(entry, &content),
            Some(role) => return Err(format!("unknown role \"{role}\"")),
            None => return Err("no role".to_owned()),
        }
        Ok(())
    }

    /// A step of a trajectory without history: what was asked before its first one, then action and observation.
    fn step(&mut self, number: usize, step: &Value, sink: &mut dyn Sink) -> Result<(), String> {
        if !self.seen_task {
            let asked = if list(step, "query").is_empty() { list(step, "messages") } else { list(step, "query") };
            for entry in asked.iter().filter(|entry| text(entry, "role") != Some("assistant")) {
                self.entry(number, entry, sink)?;
            }
            self.seen_task = true;
        }
        let response = text(step, "response").unwrap_or_default().to_owned();
        let parts = self.answer(number, step, response);
        self.begin(parts, sink);
        if let Some(observation) = text(step, "observation") {
            self.user(observation.to_owned(), sink);
        }
        Ok(())
    }

    fn answer(&self, number: usize, entry: &Value, content: String) -> Vec<NewPart> {
        let mut parts = Vec::new();
        for block in list(entry, "thinking_blocks") {
            if let Some(thinking) = text(block, "thinking") {
                parts.push(NewPart::Thinking { text: thinking.to_owned(), seal: Seal::None });
            }
        }
        let calls = list(entry, "tool_calls");
        let action = text(entry, "action").filter(|action| calls.is_empty() && !action.trim().is_empty());
        // The content repeats the action; the thought does not.
        let thought = text(entry, "thought").filter(|_| action.is_some()).map(str::to_owned);
        let said = thought.unwrap_or(content);
        if !said.trim().is_empty() {
            parts.push(NewPart::Text(said));
        }
        if let Some(action) = action {
            let (name, arguments) = parse_action(action);
            parts.push(NewPart::Call { id: format!("step_{number}"), name, arguments: arguments.to_string() });
        }
        for (index, call) in calls.iter().enumerate() {
            let (function, otherwise) = (&call["function"], format!("step_{number}_{index}"));
            parts.push(call_part(text(call, "id"), otherwise, text(function, "name"), &function["arguments"]));
        }
        parts
    }

    fn user(&mut self, content: String, sink: &mut dyn Sink) {
        if let Some(call) = self.open.as_mut().and_then(OpenCall::first_unanswered) {
            call.result = Some(self.files.observed(call, &content));
            return;
        }
        close(&mut self.open, sink);
        if content.trim().is_empty() {
            return;
        }
        let origin = if self.seen_task { Origin::Machine } else { Origin::Person };
        self.seen_task = true;
        sink.item(Item::User(UserItem { text: content, origin, at: None }));
    }

    fn result(&mut self, entry: &Value, content: &str) -> Result<(), String> {
        let open = self.open.as_mut().ok_or("a result before any call")?;
        let ids = list(entry, "tool_call_ids");
        let named = ids.iter().filter_map(Value::as_str).chain(text(entry, "tool_call_id")).next();
        let call = match named {
            Some(id) => open.unanswered(id)?,
            None => open.first_unanswered().ok_or("a result that nobody called for")?,
        };
        call.result = Some(self.files.observed(call, content));
        Ok(())
    }

    fn begin(&mut self, parts: Vec<NewPart>, sink: &mut dyn Sink) {
        close(&mut self.open, sink);
        if !parts.is_empty() {
            self.open = Some(OpenCall::new(parts, None, self.about.model.clone()));
        }
    }
}

#[cfg(test)]
mod tests;
