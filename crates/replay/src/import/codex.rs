//! Codex's rollouts: one JSON object a line.
//!
//! Only response items are the conversation; events repeat it for the client's screen, except for bills, going back and
//! breaking off. No id holds the items of a response together: it is over when one of its outputs, its bill or a turn of
//! the user comes, and what the model says next is another one. Clients write the bill behind the items, behind the
//! outputs, or (the oldest) before the items; the first bill of a file tells.

pub(super) mod lines;
pub(super) mod tools;

use lookback_engine::{
    NewPart,
    trace::{Origin, Stop, Timestamp},
};
use serde::Deserialize;

use self::{
    lines::{Body, Kind, Line, Meta, ResponseItem, TokenCount, TurnContext, Usage, origin_of, text_or_json},
    tools::Tools,
};
use super::{
    LineImporter, Sink,
    fields::{parse_line, parse_text},
    open_call::OpenCall,
    paths::Root,
    time::time_of,
};
use crate::{
    parameters::HELD,
    recording::{About, Billed, CallItem, Compaction, CompactionKind, Item, Skipped, UserItem},
};

#[derive(Debug, Default)]
pub(super) struct Codex {
    about: About,
    root: Root,
    /// Of the turn that runs.
    model: Option<String>,
    directory: String,
    round: Round,
    /// Users and calls so far, the open one included.
    items: usize,
    /// The last item of the conversation as it stands.
    last: Option<usize>,
    /// Each person's turn, and the item before it.
    persons: Vec<Person>,
    open: Option<Step>,
    /// The file has had a response.
    has_called: bool,
    /// What came while the response was open.
    behind: Vec<Item>,
    bills: Bills,
    tools: Tools,
    just_compacted: bool,
}

/// The response whose items and outputs come in.
#[derive(Debug)]
struct Step {
    /// Of its item.
    number: usize,
    call: OpenCall,
    /// Its bill or an output came: what the model says next is another response.
    is_over: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Person {
    number: usize,
    before: Option<usize>,
}

/// Whether the client works on a turn. Old clients do not say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Round {
    #[default]
    Unknown,
    Begun,
    Running,
    Over,
}

#[derive(Debug, Default)]
struct Bills {
    order: Order,
    total: Option<Usage>,
    /// One that no response has: of the next one, or of a call that wrote a summary.
    unclaimed: Option<Billed>,
}

/// Where a file has the bill of a response.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Order {
    #[default]
    Unknown,
    BeforeItems,
    BehindItems,
}

impl LineImporter for Codex {
    fn read(&mut self, _: u64, bytes: &[u8], sink: &mut dyn Sink) -> Result<(), String> {
        let text = parse_text(bytes)?;
        let line: Line<'_> = parse_line(text)?;
        let at = time_of(&line.timestamp);
        match line.body(text) {
            Body::Response(payload) => return self.response(payload, at, sink),
            Body::Event(payload) => return self.event(payload, at, sink),
            Body::Meta(payload) => self.meta(parse_line(payload)?),
            Body::Context(payload) => self.context(parse_line(payload)?),
            Body::Compacted => self.compact(at, sink),
            Body::Other => {}
        }
        Ok(())
    }

    fn flush(&mut self, sink: &mut dyn Sink) {
        match self.open.take() {
            Some(open) if open.says_nothing() => {
                let reason = "a response that was broken off before it said anything";
                sink.skipped(Skipped { line: 0, reason: reason.to_owned() });
                self.forget(open.number);
            }
            Some(open) => sink.item(open.call.close_whole()),
            None => {}
        }
        self.behind.drain(..).for_each(|item| sink.item(item));
    }

    fn about(&self) -> &About {
        &self.about
    }
}

#[derive(Deserialize)]
struct RolledBack {
    num_turns: Option<usize>,
}

#[derive(Deserialize)]
struct PatchEnd {
    call_id: String,
    changes: serde_json::Value,
}

impl Codex {
    fn meta(&mut self, meta: Meta) {
        // A session that was taken up again has one for each time; the first is where it began.
        if self.about.session.is_none() {
            self.about.session.clone_from(&meta.id);
            self.set_root(meta.cwd.clone());
            self.about.is_fork = meta.forked_from_id.is_some();
            self.about.system = meta.system();
        }
    }

    fn context(&mut self, context: TurnContext) {
        if context.model.is_some() {
            self.model = context.model;
        }
        self.set_root(context.cwd.clone());
        self.directory = context.cwd.map(|cwd| self.root.directory(&cwd)).unwrap_or_default();
    }

    fn set_root(&mut self, cwd: Option<String>) {
        if let Some(cwd) = cwd.filter(|_| self.about.cwd.is_none()) {
            self.root = Root::new(&cwd);
            self.about.cwd = Some(cwd);
        }
    }

    fn response(&mut self, payload: &str, at: Option<Timestamp>, sink: &mut dyn Sink) -> Result<(), String> {
        let kind: Kind = parse_line(payload)?;
        let item: ResponseItem<'_> = parse_line(payload)?;
        match kind.kind.as_str() {
            "message" if item.role.as_deref() == Some("assistant") => {
                let text = item.text();
                let open = self.step(at, sink);
                if !text.is_empty() {
                    open.push(NewPart::Text(text), "");
                }
            }
            "message" => {
                let text = item.text();
                let origin = origin_of(item.role.as_deref().unwrap_or("user"), &text);
                self.user(text, origin, at, sink);
            }
            // From another agent.
            "agent_message" => self.user(item.text(), Origin::Machine, at, sink),
            "reasoning" => {
                let open = self.step(at, sink);
                item.thinking().into_iter().for_each(|part| open.push(part, ""));
            }
            "compaction" | "compaction_summary" | "context_compaction" => self.compact(at, sink),
            kind if kind.ends_with("_output") => return self.output(item),
            kind if kind.ends_with("_call") => self.call(kind, item, at, sink),
            // Snapshots and the like.
            _ => {}
        }
        Ok(())
    }

    /// The open response, or a new one where the last is over.
    fn step(&mut self, at: Option<Timestamp>, sink: &mut dyn Sink) -> &mut OpenCall {
        if self.open.as_ref().is_some_and(|open| open.is_over || !self.behind.is_empty()) {
            self.flush(sink);
        }
        let (items, last) = (&mut self.items, &mut self.last);
        let (bills, just_compacted) = (&mut self.bills, &mut self.just_compacted);
        self.has_called = true;
        self.about.see_model(self.model.as_deref());
        let step = self.open.get_or_insert_with(|| {
            let mut call = OpenCall::new(Vec::new(), at, self.model.clone());
            call.item.billed = bills.unclaimed.take().filter(|_| bills.order == Order::BeforeItems);
            let number = *items;
            *last = Some(number);
            *items += 1;
            *just_compacted = false;
            Step { number, call, is_over: false }
        });
        &mut step.call
    }

    fn call(&mut self, kind: &str, item: ResponseItem<'_>, at: Option<Timestamp>, sink: &mut dyn Sink) {
        let name = item.name.clone().unwrap_or_else(|| kind.trim_end_matches("_call").to_owned());
        let arguments = [item.arguments, item.input, item.action].into_iter().find_map(text_or_json);
        let (number, directory) = (self.items, self.directory.clone());
        let waits = item.call_id.is_some();
        let id = item.call_id.or(item.id).unwrap_or_else(|| format!("{name}-{number}"));
        // What the provider ran itself has no output in the file.
        let result = (!waits).then(|| tools::run_by_provider(&name));
        let arguments = arguments.unwrap_or_else(|| "{}".to_owned());
        let open = self.step(at, sink);
        open.push(NewPart::Call { id, name, arguments }, &directory);
        if let Some(call) = open.calls().last_mut() {
            call.result = result;
        }
    }

    fn output(&mut self, item: ResponseItem<'_>) -> Result<(), String> {
        let id = item.call_id.unwrap_or_default();
        let Some(open) = &mut self.open else { return Err(format!("the output of {id}, which no open call has")) };
        let Some(call) = open.call.call(&id) else { return Err(format!("the output of {id}, which no open call has")) };
        if call.result.is_some() {
            return Err(format!("a second output of {id}"));
        }
        call.result = Some(self.tools.result(call, &item.output.unwrap_or_default(), &self.root));
        open.is_over = true;
        Ok(())
    }

    fn event(&mut self, payload: &str, at: Option<Timestamp>, sink: &mut dyn Sink) -> Result<(), String> {
        let kind: Kind = parse_line(payload)?;
        match kind.kind.as_str() {
            "token_count" => {
                if let Some((total, last)) = parse_line::<TokenCount>(payload)?.usage() {
                    self.bill(total, last, sink);
                }
            }
            "task_started" | "turn_started" => self.round = Round::Begun,
            "task_complete" | "turn_complete" => self.round = Round::Over,
            "turn_aborted" => {
                self.round = Round::Over;
                if let Some(open) = self.open.as_mut().filter(|open| !open.is_over) {
                    open.call.item.stop = Stop::Cancelled;
                }
            }
            "thread_rolled_back" => {
                let back: RolledBack = parse_line(payload)?;
                self.roll_back(back.num_turns.unwrap_or(1), sink);
            }
            "context_compacted" if !self.just_compacted => self.compact(at, sink),
            "patch_apply_end" => {
                if let Ok(PatchEnd { call_id, changes }) = serde_json::from_str(payload)
                    && let Some(call) = self.open.as_mut().and_then(|open| open.call.call(&call_id))
                {
                    call.changes = Some(changes);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn bill(&mut self, total: Option<Usage>, last: Usage, sink: &mut dyn Sink) {
        // Repeated when only the limits of the account have changed.
        if total.is_some() && total == self.bills.total {
            return;
        }
        self.bills.total = total;
        if self.bills.order == Order::Unknown {
            self.bills.order = if self.has_called { Order::BehindItems } else { Order::BeforeItems };
        }
        match (self.bills.order, &mut self.open) {
            (Order::BehindItems, Some(open)) if open.call.item.billed.is_none() => {
                open.call.item.billed = Some(last.billed());
                open.is_over = true;
            }
            (Order::BehindItems, _) => self.bills.unclaimed = Some(last.billed()),
            _ => {
                self.flush(sink);
                self.bills.unclaimed = Some(last.billed());
            }
        }
    }

    fn compact(&mut self, at: Option<Timestamp>, sink: &mut dyn Sink) {
        if self.just_compacted || self.items == 0 {
            return;
        }
        self.just_compacted = true;
        let billed = self.bills.unclaimed.take();
        self.put(Item::Compaction(Compaction { kind: CompactionKind::Head, at, billed }), sink);
    }

    fn roll_back(&mut self, turns: usize, sink: &mut dyn Sink) {
        let kept = self.persons.len().saturating_sub(turns);
        let Some(first) = self.persons.get(kept).copied() else { return };
        self.persons.truncate(kept);
        self.last = first.before;
        self.put(Item::Rewind { last: first.before }, sink);
    }

    fn user(&mut self, text: String, origin: Origin, at: Option<Timestamp>, sink: &mut dyn Sink) {
        if text.is_empty() {
            return;
        }
        let origin = match (origin, self.round) {
            // The model still works: its calls are answered, and the turn comes with them.
            (Origin::Person, Round::Running)
                if self.open.as_mut().is_some_and(|open| !open.call.calls().is_empty()) =>
            {
                Origin::Queued
            }
            (Origin::Person, Round::Begun) => {
                self.round = Round::Running;
                Origin::Person
            }
            (origin, _) => origin,
        };
        let number = self.items;
        if origin == Origin::Person {
            self.persons.push(Person { number, before: self.last });
        }
        self.items += 1;
        self.last = Some(number);
        self.just_compacted = false;
        self.put(Item::User(UserItem { text, origin, at }), sink);
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

    /// Takes back the number of a response that is not given out: what came behind it moves up.
    fn forget(&mut self, number: usize) {
        let moved = |known: Option<usize>| match known {
            Some(known) if known >= number => known.checked_sub(1),
            known => known,
        };
        self.items -= 1;
        self.last = moved(self.last);
        for person in self.persons.iter_mut().rev().take_while(|person| person.number > number) {
            *person = Person { number: person.number - 1, before: moved(person.before) };
        }
        for item in &mut self.behind {
            if let Item::Rewind { last } = item {
                *last = moved(*last);
            }
        }
    }
}

impl Step {
    /// Broken off before anything was said: there is nothing that any provider would take back.
    fn says_nothing(&self) -> bool {
        let CallItem { billed, parts, .. } = &self.call.item;
        billed.is_none() && parts.iter().all(|part| matches!(part, NewPart::Thinking { .. }))
    }
}

#[cfg(test)]
mod tests;
