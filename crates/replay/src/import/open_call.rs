//! A response whose parts and results are still coming in.

use std::collections::BTreeMap;

use lookback_engine::{
    NewPart,
    trace::{Status, Stop, Timestamp, ToolResult},
};
use serde_json::Value;

use super::Sink;
use crate::recording::{CallItem, Item, Unpriced};

#[derive(Debug)]
pub(super) struct OpenCall {
    pub(super) item: CallItem,
    calls: Vec<Call>,
    /// Before this one all have their results.
    unanswered: usize,
    /// A file may have any number of calls in a response, and of the same id.
    places: BTreeMap<String, Places>,
}

/// Where the calls of one id stand.
#[derive(Debug, Default)]
struct Places {
    all: Vec<usize>,
    /// Before this one of them all have their results.
    unanswered: usize,
}

/// One finished call of a response.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) arguments: String,
    /// Where the client stood, relative to the root.
    pub(super) directory: String,
    /// The client's own copy of what a patch changed.
    pub(super) changes: Option<Value>,
    pub(super) result: Option<ToolResult>,
}

impl OpenCall {
    pub(super) fn new(parts: Vec<NewPart>, at: Option<Timestamp>, model: Option<String>) -> Self {
        let item = CallItem {
            id: None,
            at,
            model,
            parts: Vec::new(),
            stop: Stop::End,
            results: Vec::new(),
            billed: None,
            unpriced: Unpriced::default(),
        };
        let mut open = Self { item, calls: Vec::new(), unanswered: 0, places: BTreeMap::new() };
        parts.into_iter().for_each(|part| open.push(part, ""));
        open
    }

    /// `directory` is where the client stands.
    pub(super) fn push(&mut self, part: NewPart, directory: &str) {
        if let NewPart::Call { id, name, arguments } = &part {
            let (id, name, arguments) = (id.clone(), name.clone(), arguments.clone());
            let directory = directory.to_owned();
            self.places.entry(id.clone()).or_default().all.push(self.calls.len());
            self.calls.push(Call { id, name, arguments, directory, changes: None, result: None });
        }
        self.item.parts.push(part);
    }

    /// In the order in which they were made.
    pub(super) fn calls(&mut self) -> &mut [Call] {
        &mut self.calls
    }

    pub(super) fn call(&mut self, id: &str) -> Option<&mut Call> {
        self.calls.get_mut(*self.places.get(id)?.all.first()?)
    }

    /// The first call with this id that has no result yet.
    pub(super) fn unanswered(&mut self, id: &str) -> Result<&mut Call, String> {
        let Self { calls, places, .. } = self;
        let place = places.get_mut(id).and_then(|Places { all, unanswered }| {
            *unanswered += all[*unanswered..].iter().take_while(|place| calls[**place].result.is_some()).count();
            all.get(*unanswered).copied()
        });
        place.map(|place| &mut calls[place]).ok_or_else(|| format!("a result for \"{id}\", which nobody called"))
    }

    pub(super) fn first_unanswered(&mut self) -> Option<&mut Call> {
        self.unanswered += self.calls[self.unanswered..].iter().take_while(|call| call.result.is_some()).count();
        self.calls.get_mut(self.unanswered)
    }

    /// What never got a result was interrupted. Of an answer that was broken off no call runs; one whose calls did run
    /// was whole, whatever the file says about its end.
    pub(super) fn close(mut self) -> Item {
        let results = self.calls.iter().filter_map(|call| call.result.as_ref());
        if results.into_iter().any(|result| result.status != Status::Interrupted) {
            self.item.stop = Stop::End;
        }
        // Some clients write down an empty name.
        self.item.model = self.item.model.filter(|name| !name.is_empty());
        let missing = if self.item.stop.is_interrupted() { ToolResult::never_ran } else { ToolResult::interrupted };
        self.item.results = self.calls.into_iter().map(|call| call.result.unwrap_or_else(missing)).collect();
        Item::Call(Box::new(self.item))
    }

    /// For clients that write a call down only when it is whole: then the response was whole, too.
    pub(super) fn close_whole(mut self) -> Item {
        if !self.calls.is_empty() {
            self.item.stop = Stop::End;
        }
        self.close()
    }
}

/// Gives out the response that is open, if there is one.
pub(super) fn close(open: &mut Option<OpenCall>, sink: &mut dyn Sink) {
    open.take().into_iter().for_each(|open| sink.item(open.close()));
}
