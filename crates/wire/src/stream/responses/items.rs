//! The items of an answer on their way.

use std::borrow::Cow;

use serde_json::value::RawValue;

use crate::{Delta, ReplyContent, ReplyPart, Seal, members::Members, parse::responses::parse_item};

#[derive(Debug, Default)]
pub(super) struct Items(Vec<Item>);

#[derive(Debug, Default)]
struct Item {
    /// Where it stands in the answer.
    index: Option<u64>,
    id: Option<String>,
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
    pub(super) fn add(&mut self, event: &Members<'_>) -> Option<Delta> {
        let said = event.object("item")?;
        let text = |name| said.text(name).unwrap_or_default().into_owned();
        let item = Item {
            index: event.number("output_index"),
            id: said.text("id").map(Cow::into_owned),
            kind: text("type"),
            call_id: said.text("call_id").or_else(|| said.text("id")).unwrap_or_default().into_owned(),
            name: text("name"),
            arguments: text("arguments"),
            ..Item::default()
        };
        let delta = (item.kind == "function_call").then(|| Delta::Call { name: item.name.clone() });
        self.0.push(item);
        delta
    }

    /// The newest that an event is about.
    fn place_of(&self, event: &Members<'_>) -> Option<usize> {
        let index = event.number("output_index");
        let id = event.text("item_id").or_else(|| event.object("item")?.text("id"));
        self.0.iter().rposition(|item| match (index, &id) {
            (Some(_), _) => item.index == index,
            (None, Some(id)) => item.id.as_deref() == Some(id),
            (None, None) => true,
        })
    }

    /// That item, made if it was never said to be added.
    fn item(&mut self, event: &Members<'_>) -> &mut Item {
        let place = self.place_of(event).unwrap_or_else(|| {
            self.0.push(Item { index: event.number("output_index"), ..Item::default() });
            self.0.len() - 1
        });
        &mut self.0[place]
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

    pub(super) fn done(&mut self, event: &Members<'_>) -> Vec<Delta> {
        match event.get("item") {
            Some(raw) => self.item(event).complete(raw),
            None => Vec::new(),
        }
    }

    /// The end says all items again: those that were never said to be done are taken from there.
    pub(super) fn fill(&mut self, response: &Members<'_>) -> Vec<Delta> {
        let mut deltas = Vec::new();
        // Without places they cannot be told apart.
        if self.0.iter().any(|item| item.index.is_none()) {
            return deltas;
        }
        for (index, raw) in response.list("output").unwrap_or_default().into_iter().enumerate() {
            let index = Some(index as u64);
            let place = self.0.iter().position(|item| item.index == index).unwrap_or_else(|| {
                self.0.push(Item { index, ..Item::default() });
                self.0.len() - 1
            });
            if self.0[place].done.is_none() {
                deltas.extend(self.0[place].complete(raw));
            }
        }
        deltas
    }

    /// The parts in order, and the words of a refusal.
    pub(super) fn finish(mut self) -> (Vec<ReplyPart>, String) {
        self.0.sort_by_key(|item| item.index);
        let refusal = self.0.iter().map(Item::refusal).collect();
        (self.0.into_iter().flat_map(Item::into_parts).collect(), refusal)
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
