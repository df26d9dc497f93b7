//! pi's session files: one entry a line.
//!
//! Old files are plain lists. From version 2 on every entry has an `id` and a `parentId`: the file is a tree to which
//! entries are only ever added. A turn in the user's voice whose parent is not the newest entry means that the person
//! went back to that parent.

mod tools;

use std::collections::BTreeMap;

use lookback_engine::{
    NewPart,
    trace::{Origin, Stop},
};
use lookback_wire::Seal;
use serde_json::Value;

use super::{
    LineImporter, Sink,
    fields::{call_part, content_text, count, list, text},
    open_call::{OpenCall, close},
    paths::Root,
    time::time_of,
};
use crate::recording::{About, Billed, Compaction, CompactionKind, Item, UserItem};

#[derive(Debug, Default)]
pub(super) struct PiImporter {
    about: About,
    open: Option<OpenCall>,
    /// How many users and calls were given out or are open.
    items: usize,
    /// The newest user or call that is part of the conversation.
    leaf: Option<usize>,
    /// Of each entry, the newest user or call on its way from the root.
    item_of: BTreeMap<String, Option<usize>>,
}

impl PiImporter {
    fn entry(&mut self, entry: &Value, number: u64, sink: &mut dyn Sink) -> Result<(), String> {
        match text(entry, "type").ok_or("an entry without a type")? {
            "session" => {
                let owned = |key: &str| text(entry, key).map(str::to_owned);
                self.about.session = owned("id");
                self.about.cwd = owned("cwd");
                self.about.system = owned("systemPrompt");
            }
            "message" => self.message(entry, number, sink)?,
            "compaction" => {
                close(&mut self.open, sink);
                let at = time_of(&entry["timestamp"]);
                let billed = bill(&entry["usage"]);
                sink.item(Item::Compaction(Compaction { kind: CompactionKind::Head, at, billed }));
            }
            // What the person left behind, told to the model at the place to which they went back.
            "branch_summary" => {
                self.go_back(entry, sink);
                let said = text(entry, "summary").unwrap_or_default().to_owned();
                self.user(said, Origin::Machine, entry, sink);
            }
            // Extensions speak to the model in the user's voice.
            "custom_message" => self.user(content_text(&entry["content"]), Origin::Machine, entry, sink),
            // Settings, labels, names: not conversation.
            _ => {}
        }
        if let Some(id) = text(entry, "id").filter(|_| entry.get("parentId").is_some()) {
            self.item_of.insert(id.to_owned(), self.leaf);
        }
        Ok(())
    }

    fn message(&mut self, entry: &Value, number: u64, sink: &mut dyn Sink) -> Result<(), String> {
        let message = &entry["message"];
        match text(message, "role") {
            Some("user") => {
                self.go_back(entry, sink);
                self.user(content_text(&message["content"]), Origin::Person, entry, sink);
            }
            Some("assistant") => self.assistant(entry, message, number, sink),
            Some("toolResult") => return self.result(message),
            // `!command`: the person ran it, the model is told.
            Some("bashExecution") => {
                let field = |key: &str| text(message, key).unwrap_or_default();
                let said = format!("Ran `{}`\n```\n{}\n```", field("command"), field("output"));
                if message["excludeFromContext"].as_bool() != Some(true) {
                    self.user(said, Origin::Machine, entry, sink);
                }
            }
            Some("custom" | "hookMessage") => {
                self.user(content_text(&message["content"]), Origin::Machine, entry, sink);
            }
            // Copies of entries that have a type of their own.
            Some("compactionSummary" | "branchSummary") => {}
            Some(role) => return Err(format!("unknown role \"{role}\"")),
            None => return Err("a message without a role".to_owned()),
        }
        Ok(())
    }

    /// A branch is a rewind only at a turn that a person typed, or that says what was left.
    fn go_back(&mut self, entry: &Value, sink: &mut dyn Sink) {
        let target = match entry.get("parentId") {
            None => return,
            Some(Value::Null) => None,
            Some(parent) => match parent.as_str().and_then(|parent| self.item_of.get(parent)) {
                Some(target) => *target,
                // Its line was broken: the place is not known.
                None => return,
            },
        };
        if target != self.leaf {
            close(&mut self.open, sink);
            sink.item(Item::Rewind { last: target });
            self.leaf = target;
        }
    }

    fn user(&mut self, said: String, origin: Origin, entry: &Value, sink: &mut dyn Sink) {
        close(&mut self.open, sink);
        if said.trim().is_empty() {
            return;
        }
        self.count();
        sink.item(Item::User(UserItem { text: said, origin, at: time_of(&entry["timestamp"]) }));
    }

    fn assistant(&mut self, entry: &Value, message: &Value, number: u64, sink: &mut dyn Sink) {
        let parts: Vec<NewPart> = list(message, "content")
            .iter()
            .enumerate()
            .filter_map(|(index, block)| part(block, number, index))
            .collect();
        // Cancelled, or refused, before the first token: no response.
        if parts.is_empty() {
            return;
        }
        close(&mut self.open, sink);
        self.count();
        let model = text(message, "model");
        self.about.see_model(model);
        let stop = match text(message, "stopReason") {
            Some("aborted") => Stop::Cancelled,
            Some("error") => Stop::Cut,
            Some("length") => Stop::Limit,
            _ => Stop::End,
        };
        // A line is written when its response is complete; the message itself says when it began.
        let at = time_of(&message["timestamp"]).or_else(|| time_of(&entry["timestamp"]));
        let mut open = OpenCall::new(parts, at, model.map(str::to_owned));
        (open.item.stop, open.item.billed) = (stop, bill(&message["usage"]));
        self.open = Some(open);
    }

    fn result(&mut self, message: &Value) -> Result<(), String> {
        let id = text(message, "toolCallId").ok_or("a result without the id of its call")?;
        let call = self.open.as_mut().ok_or("a result before any call")?.unanswered(id)?;
        let root = Root::new(self.about.cwd.as_deref().unwrap_or_default());
        call.result = Some(tools::result(call, message, &root));
        Ok(())
    }

    fn count(&mut self) {
        self.leaf = Some(self.items);
        self.items += 1;
    }
}

impl LineImporter for PiImporter {
    fn read(&mut self, number: u64, line: &[u8], sink: &mut dyn Sink) -> Result<(), String> {
        let entry = serde_json::from_slice(line).map_err(|error| error.to_string())?;
        self.entry(&entry, number, sink)
    }

    fn flush(&mut self, sink: &mut dyn Sink) {
        close(&mut self.open, sink);
    }

    fn about(&self) -> &About {
        &self.about
    }
}

fn part(block: &Value, number: u64, index: usize) -> Option<NewPart> {
    let said = |key: &str| text(block, key).filter(|said| !said.trim().is_empty()).map(str::to_owned);
    match text(block, "type")? {
        "text" => said("text").map(NewPart::Text),
        "thinking" => {
            let seal = said("thinkingSignature").map_or(Seal::None, Seal::Signature);
            said("thinking").map(|text| NewPart::Thinking { text, seal })
        }
        "toolCall" => {
            let otherwise = format!("call_{number}_{index}");
            Some(call_part(text(block, "id"), otherwise, text(block, "name"), &block["arguments"]))
        }
        _ => None,
    }
}

/// `input` excludes what was read from and written to the cache. All zero: the call was not billed.
fn bill(usage: &Value) -> Option<Billed> {
    let of = |key: &str| count(usage, key).unwrap_or(0);
    let (read, written) = (of("cacheRead"), of("cacheWrite"));
    Billed { uncached: of("input"), read, written, output: of("output"), written_1h: 0 }.known()
}

#[cfg(test)]
mod tests;
