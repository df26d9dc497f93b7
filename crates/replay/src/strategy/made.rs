//! The texts that strategies write: counted like pieces, numbered once.
//!
//! Knows nothing of why something was replaced.

use std::{collections::BTreeMap, rc::Rc};

use lookback_engine::view::TOKENS_PER_MESSAGE;

use super::Counter;
use crate::{
    conversation::Conversation,
    shown::{Made, Part, Stands},
};

/// Where a strategy's own texts come from.
#[derive(Debug)]
pub(super) struct Maker<'a> {
    conversation: &'a Conversation<'a>,
    count: Counter<'a>,
    next: u64,
}

impl<'a> Maker<'a> {
    pub(super) fn new(conversation: &'a Conversation<'a>, count: Counter<'a>) -> Self {
        Self { conversation, count, next: 0 }
    }

    /// A text with a number of its own.
    pub(super) fn make(&mut self, text: String, stands: Stands) -> Rc<Made> {
        self.next += 1;
        Rc::new(Made { id: self.next, tokens: self.tokens(&text), text, stands })
    }

    /// What a text costs as a message of its own, by the same measure as the pieces.
    pub(super) fn tokens(&self, text: &str) -> u32 {
        self.conversation.scale.apply(self.count.of(text.as_bytes()) + TOKENS_PER_MESSAGE)
    }
}

/// Placeholders for results, one for each: hiding a result again shows the same text.
#[derive(Debug)]
pub(super) struct Placeholders<'a> {
    maker: Maker<'a>,
    made: BTreeMap<usize, Rc<Made>>,
}

impl<'a> Placeholders<'a> {
    pub(super) fn new(conversation: &'a Conversation<'a>, count: Counter<'a>) -> Self {
        Self { maker: Maker::new(conversation, count), made: BTreeMap::new() }
    }

    /// The placeholder of a result. `text` is asked once.
    pub(super) fn of(&mut self, result: usize, text: impl FnOnce() -> String) -> &Rc<Made> {
        let maker = &mut self.maker;
        self.made.entry(result).or_insert_with(|| maker.make(text(), Stands::ForResult(result)))
    }

    pub(super) fn part(&mut self, result: usize, text: impl FnOnce() -> String) -> Part {
        Part::Made(Rc::clone(self.of(result, text)))
    }
}
