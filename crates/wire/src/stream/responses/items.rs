//! The items of an answer on their way.

use serde_json::value::RawValue;

use super::super::places::Places;
use crate::{Delta, ReplyContent, ReplyPart, Seal, members::Members, parse::responses::parse_item};

#[derive(Debug, Default)]
pub(super) struct Items {
    items: Vec<Item>,
    by_index: Places<u64>,
    by_id: Places<String>,
    /// Whether one came without a place in the answer.
    is_any_unplaced: bool,
}

#[derive(Debug, Default)]
struct Item {
    /// Where it stands in the answer.
    index: Option<u64>,
    kind: String,
    call_id: String,
    name: String,
    text: String,
    thinking: String,
    refusal: String,
    arguments: String,
    /// The whole item, once it is done.
    done: Option<String>,
}

impl Items {
    /// Whether there is one more.
    pub(super) fn add(&mut self, event: &Members<'_>, deltas: &mut Vec<Delta>) -> bool {
        let Some(said) = event.object("item") else { return false };
        let text = |name| said.text(name).unwrap_or_default().into_owned();
        let item = Item {
            index: event.number("output_index"),
            kind: text("type"),
            call_id: said.text("call_id").or_else(|| said.text("id")).unwrap_or_default().into_owned(),
            name: text("name"),
            arguments: text("arguments"),
            ..Item::default()
        };
        deltas.extend((item.kind == "function_call").then(|| Delta::Call { name: item.name.clone() }));
        let place = self.push(item);
        if let Some(id) = said.text("id") {
            self.by_id.note(id.into_owned(), place);
        }
        true
    }

    fn push(&mut self, item: Item) -> usize {
        let place = self.items.len();
        match item.index {
            Some(index) => self.by_index.note(index, place),
            None => self.is_any_unplaced = true,
        }
        self.items.push(item);
        place
    }

    /// The newest that an event is about.
    fn place_of(&self, event: &Members<'_>) -> Option<usize> {
        let id = || event.text("item_id").or_else(|| event.object("item")?.text("id"));
        match event.number("output_index") {
            Some(index) => self.by_index.of(&index),
            None => match id() {
                Some(id) => self.by_id.of(id.as_ref()),
                None => self.items.len().checked_sub(1),
            },
        }
    }

    /// That item, made if it was never said to be added.
    fn item(&mut self, event: &Members<'_>) -> &mut Item {
        let place = self
            .place_of(event)
            .unwrap_or_else(|| self.push(Item { index: event.number("output_index"), ..Item::default() }));
        &mut self.items[place]
    }

    pub(super) fn text(&mut self, event: &Members<'_>, piece: &str) -> Option<Delta> {
        self.item(event).text += piece;
        (!piece.is_empty()).then(|| Delta::Text(piece.to_owned()))
    }

    pub(super) fn thinking(&mut self, event: &Members<'_>, piece: &str) -> Option<Delta> {
        self.item(event).thinking += piece;
        (!piece.is_empty()).then(|| Delta::Thinking(piece.to_owned()))
    }

    pub(super) fn refuse(&mut self, event: &Members<'_>, piece: &str) {
        self.item(event).refusal += piece;
    }

    pub(super) fn arguments(&mut self, event: &Members<'_>, piece: &str) {
        self.item(event).arguments += piece;
    }

    /// Whether it was not done before.
    pub(super) fn done(&mut self, event: &Members<'_>, deltas: &mut Vec<Delta>) -> bool {
        let Some(raw) = event.get("item") else { return false };
        let item = self.item(event);
        let is_first = item.done.is_none();
        deltas.extend(item.complete(raw));
        is_first
    }

    /// The end says all items again: those that were never said to be done are taken from there.
    pub(super) fn fill(&mut self, response: &Members<'_>) -> Vec<Delta> {
        let mut deltas = Vec::new();
        // Without places they cannot be told apart.
        if self.is_any_unplaced {
            return deltas;
        }
        let said = response.list("output").unwrap_or_default().into_iter().enumerate();
        for (index, raw) in said.filter(|(_, raw)| raw.get().starts_with('{')) {
            let index = index as u64;
            let place =
                self.by_index.of(&index).unwrap_or_else(|| self.push(Item { index: Some(index), ..Item::default() }));
            if self.items[place].done.is_none() {
                deltas.extend(self.items[place].complete(raw));
            }
        }
        deltas
    }

    /// The parts in order, and the words of a refusal.
    pub(super) fn finish(mut self) -> (Vec<ReplyPart>, String) {
        self.items.sort_by_key(|item| item.index);
        let refusal = self.items.iter().map(Item::refusal).collect();
        (self.items.into_iter().flat_map(Item::into_parts).collect(), refusal)
    }
}

impl Item {
    /// Says what was not streamed before.
    fn complete(&mut self, raw: &RawValue) -> Vec<Delta> {
        self.done = Some(raw.get().to_owned());
        if self.kind == "function_call" || !self.text.is_empty() || !self.thinking.is_empty() {
            return Vec::new();
        }
        done_parts(raw).iter().filter_map(|part| part.content.shown()).collect()
    }

    fn refusal(&self) -> String {
        let done = self.done.as_deref().and_then(Members::parse);
        let pieces = done.and_then(|item| serde_json::from_str::<Vec<Members<'_>>>(item.get("content")?.get()).ok());
        match pieces {
            Some(pieces) => pieces.iter().filter_map(|piece| piece.text("refusal")).collect(),
            None => self.refusal.clone(),
        }
    }

    fn into_parts(self) -> Vec<ReplyPart> {
        match self.done.as_deref().and_then(|done| serde_json::from_str::<&RawValue>(done).ok()) {
            Some(raw) => done_parts(raw),
            None => self.unfinished_part().into_iter().collect(),
        }
    }

    /// What was shown of an item that did not come to its end. Of a kind that we do not know, nothing was.
    fn unfinished_part(self) -> Option<ReplyPart> {
        let content = if self.kind == "function_call" {
            ReplyContent::UnfinishedCall { id: self.call_id, name: self.name, arguments: self.arguments }
        } else if !self.thinking.is_empty() {
            ReplyContent::Thinking { text: self.thinking, seal: Seal::None }
        } else if !self.text.is_empty() {
            ReplyContent::Text(self.text)
        } else {
            return None;
        };
        Some(ReplyPart { content, native: None })
    }
}

fn done_parts(raw: &RawValue) -> Vec<ReplyPart> {
    let item = Members::parse(raw.get()).unwrap_or_default();
    let is_cut = item.text("status").as_deref() == Some("incomplete");
    let is_custom = item.text("type").is_some_and(|kind| kind == "custom_tool_call");
    let parts = parse_item(raw).into_iter().map(ReplyPart::from);
    parts
        .filter_map(|mut part| {
            match &part.content {
                // A refusal alone: its words are in the reply's `stop`.
                ReplyContent::Text(text) if text.is_empty() => return None,
                // Its answer is of another kind than that of the tools that we declare.
                ReplyContent::Call { .. } if is_custom => part.content = ReplyContent::Unknown,
                ReplyContent::Call { .. } if is_cut => part.leave_unfinished(),
                _ => {}
            }
            Some(part)
        })
        .collect()
}
