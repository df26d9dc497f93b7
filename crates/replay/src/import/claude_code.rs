//! Claude Code's sessions: one JSON object a line.
//!
//! A response is written block by block, and its lines interleave with the results of its first calls; all lines with one
//! `message.id` are one call. It stays open, and with it the turns that came in the meantime, until another response
//! begins: in recorded sessions nothing but results ever stands between lines of the same response. A line that comes
//! later still is left out and said.
//!
//! Lines are taken in the order of the file. The tree of `parentUuid` also branches at parallel results, so only a person's
//! turn whose parent had gone on already, or had been left, counts as going back.

pub(super) mod lines;
mod places;
mod queue;
pub(super) mod tools;
mod true_lines;

use std::collections::BTreeSet;

use lookback_engine::trace::{Origin, Stop, Timestamp};

use self::{
    lines::{Block, Line, Message, beside, is_interruption, parse_blocks, parse_some, text_of},
    places::{Places, hash},
    queue::Queue,
    tools::{Given, Tools},
};
use super::{
    LineImporter, Sink,
    fields::{parse_line, parse_text},
    open_call::OpenCall,
    paths::Root,
};
use crate::{
    parameters::HELD,
    recording::{About, Compaction, CompactionKind, Item, Skipped, UserItem},
};

/// No model's name is as long: what stays of each of a sub-agent's calls is small.
const LONGEST_NAME: usize = 200;

#[derive(Debug, Default)]
pub(super) struct ClaudeCode {
    about: About,
    root: Root,
    thread: Thread,
    /// Lines of sub-agents.
    left_out: u64,
    places: Places,
    /// Users and calls so far, the open one included.
    items: usize,
    open: Option<Response>,
    /// What came while the response was open.
    behind: Vec<Item>,
    /// Ids of responses that were given out, hashed.
    ended: BTreeSet<u64>,
    queue: Queue,
    tools: Tools,
    /// Nothing was said since the last compaction.
    just_compacted: bool,
}

/// The response whose lines come in.
#[derive(Debug)]
struct Response {
    id: String,
    /// Of its item.
    number: usize,
    call: OpenCall,
}

/// Whose lines are read. A sub-agent's own file holds lines of sub-agents only, so its first line tells.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Thread {
    #[default]
    Unknown,
    Main,
    SubAgent,
}

impl LineImporter for ClaudeCode {
    fn read(&mut self, number: u64, line: &[u8], sink: &mut dyn Sink) -> Result<(), String> {
        let line: Line<'_> = parse_line(parse_text(line)?)?;
        let kind = line.kind.as_deref().unwrap_or_default();
        let is_conversation = matches!(kind, "user" | "assistant");
        if is_conversation && !self.is_ours(&line, number, sink) || line.is_sidechain() && self.thread == Thread::Main {
            if kind == "assistant" {
                self.note_bill(&line);
            }
            return Ok(());
        }
        if is_conversation && line.uuid.as_deref().is_some_and(|uuid| self.places.has(uuid)) {
            return Err("the same line stands in the file twice".to_owned());
        }
        match kind {
            "assistant" => self.assistant(&line, sink)?,
            "user" => self.user(&line, number, sink)?,
            "system" => self.system(&line, sink),
            "queue-operation" => {
                let content: Option<String> = parse_some(line.content);
                if let Some(text) = self.queue.operate(line.operation.as_deref().unwrap_or_default(), content) {
                    self.say(text, Origin::Queued, &line, sink);
                }
            }
            "attachment" => {
                if let Some(text) = self.queue.attached(line.attachment) {
                    self.say(text, Origin::Queued, &line, sink);
                }
            }
            _ => {}
        }
        if let Some(uuid) = &line.uuid {
            let open = self.open.as_ref().filter(|_| kind == "assistant").map(|open| open.number + 1);
            self.places.note(uuid, open.unwrap_or(self.items));
        }
        Ok(())
    }

    fn flush(&mut self, sink: &mut dyn Sink) {
        if let Some(open) = self.open.take() {
            self.ended.insert(hash(&open.id));
            sink.item(open.call.close_whole());
        }
        self.behind.drain(..).for_each(|item| sink.item(item));
    }

    fn finish(&mut self, sink: &mut dyn Sink) {
        self.flush(sink);
        if self.left_out > 0 {
            let reason = format!("{} lines of sub-agents left out", self.left_out);
            sink.skipped(Skipped { line: 0, reason });
        }
    }

    fn about(&self) -> &About {
        &self.about
    }
}

impl ClaudeCode {
    /// Whether a line of the conversation belongs to the thread that is read.
    fn is_ours(&mut self, line: &Line<'_>, number: u64, sink: &mut dyn Sink) -> bool {
        match (self.thread, line.is_sidechain()) {
            (Thread::Main, true) => {
                self.left_out += 1;
                return false;
            }
            (Thread::Unknown, true) => self.thread = Thread::SubAgent,
            (Thread::Unknown, false) => self.thread = Thread::Main,
            (Thread::SubAgent, false) => {
                // What was given out cannot be taken back; it can leave the conversation.
                self.thread = Thread::Main;
                let reason = "the main thread begins here; the lines of a sub-agent before it are no part of it";
                sink.skipped(Skipped { line: number, reason: reason.to_owned() });
                self.put(Item::Rewind { last: None }, sink);
                self.places.begin_again(self.items);
            }
            (Thread::Main, false) | (Thread::SubAgent, true) => {}
        }
        if self.about.session.is_none() {
            let agent = line.agent_id.as_ref().filter(|_| self.thread == Thread::SubAgent);
            self.about.session = match (&line.session_id, agent) {
                (Some(session), Some(agent)) => Some(format!("{session}/{agent}")),
                (session, agent) => session.as_ref().or(agent).cloned(),
            };
        }
        if let Some(cwd) = line.cwd.as_ref().filter(|_| self.about.cwd.is_none()) {
            self.about.cwd = Some(cwd.clone());
            self.root = Root::new(cwd);
        }
        true
    }

    /// What a sub-agent's call was billed. As for other calls only the last line's usage is whole.
    fn note_bill(&mut self, line: &Line<'_>) {
        let Ok(message) = parse_message(line) else { return };
        let Some(id) = message.id.as_ref().or(line.uuid.as_ref()).filter(|_| message.is_of_a_model(line)) else {
            return;
        };
        let aside = self.about.sub_agents.entry(hash(id)).or_default();
        aside.billed = message.billed().or(aside.billed);
        aside.model = aside.model.take().or(message.model.filter(|model| model.len() <= LONGEST_NAME));
    }

    fn assistant(&mut self, line: &Line<'_>, sink: &mut dyn Sink) -> Result<(), String> {
        let message = parse_message(line)?;
        if !message.is_of_a_model(line) {
            return Ok(());
        }
        let blocks = parse_blocks(message.content).map_err(|error| error.to_string())?;
        let Some(id) = message.id.clone().or_else(|| line.uuid.clone()) else {
            return Err("an answer without an id".to_owned());
        };
        if self.open.as_ref().is_none_or(|open| open.id != id) {
            if self.ended.contains(&hash(&id)) {
                return Err(format!("a line of response {id} behind other responses"));
            }
            self.flush(sink);
            let mut call = OpenCall::new(Vec::new(), line.time(), None);
            call.item.id = Some(hash(&id));
            self.open = Some(Response { id, number: self.items, call });
            self.items += 1;
            self.just_compacted = false;
        }
        let directory = line.cwd.as_deref().map(|cwd| self.root.directory(cwd)).unwrap_or_default();
        if let Some(Response { call, .. }) = &mut self.open {
            blocks.into_iter().filter_map(Block::part).for_each(|part| call.push(part, &directory));
            // Usage stands on every line; only the last one's is whole.
            if let Some(billed) = message.billed() {
                (call.item.billed, call.item.unpriced) = (Some(billed), message.unpriced());
            }
            call.item.model = call.item.model.take().or(message.model);
            self.about.see_model(call.item.model.as_deref());
            if matches!(message.stop_reason.as_deref(), Some("max_tokens" | "model_context_window_exceeded")) {
                call.item.stop = Stop::Limit;
            }
        }
        self.places.go_on(line.parent_uuid.as_deref());
        Ok(())
    }

    fn user(&mut self, line: &Line<'_>, number: u64, sink: &mut dyn Sink) -> Result<(), String> {
        let message = parse_message(line)?;
        let blocks = parse_blocks(message.content).map_err(|error| error.to_string())?;
        let (results, said): (Vec<Block<'_>>, Vec<Block<'_>>) = blocks.into_iter().partition(Block::is_result);
        for block in &results {
            // The client's own copy is one for the line.
            let client = line.tool_use_result.filter(|_| results.len() == 1);
            if let Err(reason) = self.result(block, client) {
                sink.skipped(Skipped { line: number, reason });
            }
        }
        let text = text_of(&said);
        if text.is_empty() {
            return Ok(());
        }
        if line.is_compact_summary == Some(true) && self.items > 0 {
            // Clients before the boundary lines wrote the summary alone.
            if !self.just_compacted {
                self.compact(CompactionKind::Head, line.time(), sink);
            }
            return Ok(());
        }
        let typed = beside(&text).map_or_else(|| text.clone(), |(words, _)| words);
        let origin = match line.origin(&typed) {
            // Typed when a call was refused: it came with the call's result, inside the round.
            Origin::Person if !results.is_empty() => Origin::Queued,
            origin => origin,
        };
        if is_interruption(&text)
            && self.behind.is_empty()
            && let Some(open) = &mut self.open
        {
            open.call.item.stop = Stop::Cancelled;
        }
        // What the client put beside a person's words is a turn of its own, behind them.
        match beside(&text).filter(|_| origin != Origin::Machine) {
            Some((words, beside)) => {
                self.say(words, origin, line, sink);
                self.say(beside, Origin::Machine, line, sink);
            }
            None => self.say(text, origin, line, sink),
        }
        Ok(())
    }

    fn result(&mut self, block: &Block<'_>, client: Option<&serde_json::value::RawValue>) -> Result<(), String> {
        let id = block.tool_use_id.as_deref().unwrap_or_default();
        let call = self.open.as_mut().and_then(|open| open.call.call(id));
        let Some(call) = call else { return Err(format!("the result of {id}, which no open call has")) };
        if call.result.is_some() {
            return Err(format!("a second result of {id}"));
        }
        let text = block.result_text().map_err(|error| error.to_string())?;
        let given = Given { text, failed: block.is_error == Some(true), client };
        call.result = Some(self.tools.result(call, given, &self.root));
        Ok(())
    }

    fn system(&mut self, line: &Line<'_>, sink: &mut dyn Sink) {
        match line.subtype.as_deref() {
            Some("compact_boundary") if self.items > 0 => self.compact(CompactionKind::Head, line.time(), sink),
            Some("microcompact_boundary") => self.compact(CompactionKind::Results, line.time(), sink),
            _ => {}
        }
    }

    fn compact(&mut self, kind: CompactionKind, at: Option<Timestamp>, sink: &mut dyn Sink) {
        self.just_compacted = kind == CompactionKind::Head;
        self.put(Item::Compaction(Compaction { kind, at, billed: None }), sink);
    }

    fn say(&mut self, text: String, origin: Origin, line: &Line<'_>, sink: &mut dyn Sink) {
        if origin == Origin::Person {
            let parent = line.parent_uuid.as_deref();
            if let Some(place) = self.places.parent(parent)
                && place.last.map_or(0, |last| last + 1) < self.items
                && (place.went_on || self.places.was_left(place.last, self.items))
            {
                self.put(Item::Rewind { last: place.last }, sink);
                self.places.branch(place.last, self.items);
            }
            self.places.go_on(parent);
        }
        self.just_compacted = false;
        self.items += 1;
        self.put(Item::User(UserItem { text, origin, at: line.time() }), sink);
    }

    fn put(&mut self, item: Item, sink: &mut dyn Sink) {
        if self.open.is_none() {
            return sink.item(item);
        }
        self.behind.push(item);
        if self.behind.len() >= HELD {
            self.flush(sink);
        }
    }
}

fn parse_message<'a>(line: &Line<'a>) -> Result<Message<'a>, String> {
    let raw = line.message.ok_or("a turn without a message")?;
    serde_json::from_str(raw.get()).map_err(|error| format!("a message of an unknown form: {error}"))
}

#[cfg(test)]
mod tests;
