//! A response whose results are still coming in.

use lookback_engine::{
    NewPart,
    trace::{Status, Stop, Timestamp, ToolResult},
};

use crate::recording::{Billed, CallItem, Item};

#[derive(Debug)]
pub(super) struct OpenCall {
    item: CallItem,
    /// In the order of the finished calls.
    results: Vec<Option<ToolResult>>,
}

/// One finished call of a response.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked<'a> {
    pub index: usize,
    pub id: &'a str,
    pub name: &'a str,
    pub arguments: &'a str,
}

impl OpenCall {
    pub(super) fn new(parts: Vec<NewPart>, at: Option<Timestamp>, model: Option<String>) -> Self {
        let results = parts.iter().filter(|part| matches!(part, NewPart::Call { .. })).map(|_| None).collect();
        let item = CallItem { at, model, parts, stop: Stop::End, results: Vec::new(), billed: None };
        Self { item, results }
    }

    pub(super) fn stopped(mut self, stop: Stop) -> Self {
        self.item.stop = stop;
        self
    }

    pub(super) fn billed(mut self, billed: Option<Billed>) -> Self {
        self.item.billed = billed;
        self
    }

    pub(super) fn asked(&self) -> impl Iterator<Item = Asked<'_>> {
        let calls = self.item.parts.iter().filter_map(|part| match part {
            NewPart::Call { id, name, arguments } => Some((id, name, arguments)),
            _ => None,
        });
        calls.enumerate().map(|(index, (id, name, arguments))| Asked { index, id, name, arguments })
    }

    /// The first call with this id that has no result yet.
    pub(super) fn unanswered(&self, id: &str) -> Option<Asked<'_>> {
        self.asked().find(|asked| asked.id == id && self.results[asked.index].is_none())
    }

    pub(super) fn first_unanswered(&self) -> Option<Asked<'_>> {
        self.asked().find(|asked| self.results[asked.index].is_none())
    }

    pub(super) fn is_unanswered(&self, index: usize) -> bool {
        self.results.get(index).is_some_and(Option::is_none)
    }

    pub(super) fn answer(&mut self, index: usize, result: ToolResult) {
        if let Some(place) = self.results.get_mut(index) {
            *place = Some(result);
        }
    }

    /// What never got a result was interrupted. Of an answer that was broken off no call runs; one whose calls did run
    /// was whole, whatever the file says about its end.
    pub(super) fn close(self) -> Item {
        let Self { mut item, results } = self;
        if results.iter().flatten().any(|result| result.status != Status::Interrupted) {
            item.stop = Stop::End;
        }
        let missing = if item.stop.is_interrupted() { ToolResult::never_ran } else { ToolResult::interrupted };
        item.results = results.into_iter().map(|result| result.unwrap_or_else(missing)).collect();
        Item::Call(Box::new(item))
    }
}
