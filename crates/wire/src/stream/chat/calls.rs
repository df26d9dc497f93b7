//! Tool calls in pieces, by the ways in which servers cut them: by index, without one, whole at once, with the name and
//! the id in the first piece or in all.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::super::{assembly::Assembly, places::Places};
use crate::{
    Delta, ReplyContent, ReplyPart, ReplyStop,
    members::{Members, parse_text},
    parse::chat::parse_call,
};

#[derive(Debug, Default)]
pub(super) struct Calls {
    calls: Vec<Growing>,
    by_index: Places<u64>,
    by_id: Places<String>,
}

#[derive(Debug, Default)]
struct Growing {
    id: String,
    name: String,
    arguments: String,
    rest: Assembly,
    /// What its `function` says besides name and arguments.
    function_rest: Assembly,
}

impl Calls {
    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Whether it added anything: a call, bytes of one, or a member that it did not have.
    pub(super) fn piece(&mut self, piece: &Members<'_>, deltas: &mut Vec<Delta>) -> bool {
        let function = piece.object("function").unwrap_or_default();
        let id = piece.text("id").unwrap_or_default();
        let name = function.text("name").unwrap_or_default();
        let index = piece.number("index");
        let known = self.place_of(index, &id, &name);
        let mut is_content = known.is_none();
        let place = known.unwrap_or_else(|| {
            self.calls.push(Growing::default());
            self.calls.len() - 1
        });
        if let Some(index) = index {
            self.by_index.note(index, place);
        }
        let call = &mut self.calls[place];
        let was_nameless = call.name.is_empty();
        if call.id.is_empty() && !id.is_empty() {
            call.id = id.into_owned();
            self.by_id.note(call.id.clone(), place);
            is_content = true;
        }
        // The name comes whole, whole again each time, or in pieces before the arguments.
        if call.name != name && call.arguments.is_empty() {
            call.name += &name;
            is_content |= !name.is_empty();
        }
        if let Some(arguments) = function.get("arguments").filter(|arguments| arguments.get() != "null") {
            // Some servers send an object instead of its text.
            let text = parse_text(arguments).unwrap_or(Cow::Borrowed(arguments.get()));
            call.arguments += &text;
            is_content |= !text.is_empty();
        }
        is_content |= call.rest.add_all(piece, &["index", "id", "function"]);
        is_content |= call.function_rest.add_all(&function, &["name", "arguments"]);
        if was_nameless && !call.name.is_empty() {
            deltas.push(Delta::Call { name: call.name.clone() });
        }
        is_content
    }

    /// The call that a piece belongs to. An index that comes again with another id is another call: some servers number
    /// every call 0.
    fn place_of(&self, index: Option<u64>, id: &str, name: &str) -> Option<usize> {
        let is_same = |call: &Growing| id.is_empty() || call.id.is_empty() || call.id == id;
        match index {
            Some(index) => self.by_index.of(&index).filter(|&place| is_same(&self.calls[place])),
            None if !id.is_empty() => self.by_id.of(id),
            None if !name.is_empty() => None,
            None => self.calls.len().checked_sub(1),
        }
    }

    /// A cut answer leaves its last call unfinished, whatever it looks like; one that hit a limit leaves what is no JSON.
    pub(super) fn finish(self, stop: &ReplyStop, reply: Option<&str>) -> Vec<ReplyPart> {
        let count = self.calls.len();
        let is_end = *stop == ReplyStop::End;
        let parts = self.calls.into_iter().enumerate().map(|(place, mut call)| {
            if call.id.is_empty() {
                call.id = format!("{}-{}", reply.unwrap_or("call"), place + 1);
            }
            let is_json = call.arguments.trim().is_empty() || Members::parse(&call.arguments).is_some();
            let is_cut = *stop == ReplyStop::Cut && place + 1 == count;
            let mut part = call.into_part();
            if is_cut || (!is_end && !is_json) {
                part.leave_unfinished();
            }
            part
        });
        parts.collect()
    }
}

impl Growing {
    fn into_part(self) -> ReplyPart {
        let mut function = Assembly::default();
        function.set_text("name", &self.name);
        function.set_text("arguments", &self.arguments);
        function.extend(self.function_rest);
        let mut call = Assembly::default();
        call.set_text("id", &self.id);
        call.set("type", "\"function\"");
        call.set("function", function.to_json());
        call.extend(self.rest);
        let json = call.to_json();
        match serde_json::from_str::<&RawValue>(&json) {
            Ok(raw) => ReplyPart::from(parse_call(raw)),
            Err(_) => {
                let Self { id, name, arguments, .. } = self;
                ReplyPart { content: ReplyContent::Call { id, name, arguments }, native: None }
            }
        }
    }
}
