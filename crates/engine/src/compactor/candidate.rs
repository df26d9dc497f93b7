//! Candidates for the block: each with what it is worth, what it costs, and how it will be written.
//!
//! Their texts are counted here, once each. Which of them are taken is decided in [`super::fit`].

use crate::{
    block::{render_anchor, render_assertion, render_fact, render_quote},
    configuration::rules::FOCUSED,
    trace::TurnNo,
    trace::claim::{Anchor, Assertion, ClaimKind, Fact, Quote},
};

pub(super) struct Candidate {
    pub(super) item: Item,
    pub(super) value: i32,
    pub(super) tokens: u32,
    pub(super) turn: TurnNo,
}

pub(super) enum Item {
    Fact(Fact),
    Said(Quote),
    Assertion(Assertion),
    Anchor(Anchor),
}

/// Which list of the block an item belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Section {
    Files,
    Said,
    Commands,
    Anchors,
}

impl Item {
    pub(super) fn section(&self) -> Section {
        match self {
            Self::Fact(fact) if fact.kind == ClaimKind::TestChanged => Section::Commands,
            Self::Fact(_) => Section::Files,
            Self::Said(_) => Section::Said,
            Self::Assertion(_) => Section::Commands,
            Self::Anchor(_) => Section::Anchors,
        }
    }

    fn render(&self) -> String {
        match self {
            Self::Fact(fact) => render_fact(fact),
            Self::Said(quote) => render_quote(quote),
            Self::Assertion(assertion) => render_assertion(assertion),
            // Its id is given when the block is written; they are all about as long.
            Self::Anchor(anchor) => render_anchor("a10", anchor),
        }
    }
}

pub(super) struct Candidates<'a> {
    focus: Focus,
    count: &'a dyn Fn(&[u8]) -> u32,
    pub(super) list: Vec<Candidate>,
}

impl<'a> Candidates<'a> {
    pub(super) fn new(focus: Focus, count: &'a dyn Fn(&[u8]) -> u32) -> Self {
        Self { focus, count, list: Vec::new() }
    }

    pub(super) fn push(&mut self, item: Item, value: i32, turn: TurnNo) {
        let mut text = item.render();
        text.push('\n');
        let value = value + if self.focus.is_in(&text) { FOCUSED } else { 0 };
        self.list.push(Candidate { value, tokens: (self.count)(text.as_bytes()), turn, item });
    }
}

/// The words of a person's `/fold focus`.
pub(super) struct Focus {
    words: Vec<String>,
}

impl Focus {
    pub(super) fn new(focus: Option<&str>) -> Self {
        let is_edge = |character: char| !character.is_alphanumeric();
        let words = focus.unwrap_or_default().split_whitespace().map(|word| word.trim_matches(is_edge).to_lowercase());
        // One Chinese character says as much as three letters.
        Self { words: words.filter(|word| word.len() >= 3).collect() }
    }

    pub(super) fn is_in(&self, text: &str) -> bool {
        if self.words.is_empty() {
            return false;
        }
        let text = text.to_lowercase();
        self.words.iter().any(|word| text.contains(word))
    }
}
