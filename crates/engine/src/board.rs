//! The StateBoard: the sum of all state deltas of a session, as a value (docs/seeds.md 5.1; docs/design/model.md, "The
//! board").
//!
//! Recording asks [`Board::check`] and refuses; replay only ever calls [`Board::apply`], which follows. Whether a claim is
//! true was admission's question, where the entries stand in a view is the fold's: neither is known here.

mod anchors;
mod apply;
mod check;
mod goal;
mod render;
mod subject;
mod words;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use apply::{Applied, AppliedFact, Outcome};
pub use check::DeltaRefused;
pub(crate) use render::{render_board, render_delta};

pub(crate) use crate::configuration::BoardLimits;
use crate::{
    trace::TurnNo,
    trace::claim::{Anchor, Assertion, Evidence, Fact, Question, Quote, WorkStatus},
};

/// What is known and to be done: goal, facts, questions, anchors, next actions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Board {
    version: u32,
    /// The request or plan that the present work began with.
    task: Option<Quote>,
    /// What the newest round asks, where that is something else.
    now: Option<Quote>,
    /// Why the task last became another one. A later refinement does not take it away.
    goal_shift_reason: Option<String>,
    /// The turn or the gate that last made another one of it.
    goal_shift: Option<Evidence>,
    facts: Vec<Entry<BoardFact>>,
    questions: Vec<Entry<Question>>,
    anchors: Vec<Entry<Anchor>>,
    /// One per command, in the order in which the commands were first asserted.
    assertions: Vec<BoardAssertion>,
    status: WorkStatus,
    next_actions: Vec<String>,
    /// What the assistant said: not known, only said.
    said: Vec<Entry<Quote>>,
    /// What a person wants kept word for word: pointers.
    #[serde(default)]
    pinned: Vec<String>,
    /// Anchors that blocks of the view show and no edit has touched since.
    /// By their files: a long session has very many.
    in_blocks: BTreeMap<String, Vec<ShownAnchor>>,
    /// Stale anchors that later deltas still have to name.
    stale: Vec<Stale>,
    given: GivenIds,
}

/// An item with its name, which no other item of the session ever gets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry<T> {
    /// `f1`, `q1`, `a1`.
    pub id: String,
    /// The version of the delta that last changed it.
    pub since: u32,
    /// The item.
    pub value: T,
}

/// A fact, and whether it still holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "its line says it")]
pub struct BoardFact {
    pub fact: Fact,
    pub mark: Mark,
    /// [`subject::subject`] of its text, kept because every later addition is compared with it.
    subject: String,
}

/// What became of a fact since it was first stated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "each variant holds what shows it")]
pub enum Mark {
    /// Nothing.
    Plain,
    /// It says something else than before.
    Revised { was: Vec<Evidence> },
    /// It no longer holds. It stays on the board because blocks before it may still show it.
    Retracted { by: Vec<Evidence> },
}

/// A command's outcome, and the version that brought it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "its line says it")]
pub struct BoardAssertion {
    pub since: u32,
    pub assertion: Assertion,
}

/// An anchor that an edit touched: whatever shows it elsewhere shows old text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "its line says it")]
pub struct Stale {
    pub id: String,
    pub since: TurnNo,
}

/// An anchor in a block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ShownAnchor {
    pub block: u32,
    pub id: String,
    /// Where its lines are now; the block says where they were.
    pub anchor: Anchor,
}

/// How many ids of each kind were given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct GivenIds {
    facts: u32,
    questions: u32,
    anchors: u32,
    said: u32,
}

impl Board {
    /// N of the delta applied last; 0 before the first.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// The request or plan that the present work began with.
    pub fn task(&self) -> Option<&Quote> {
        self.task.as_ref()
    }

    /// What the newest round asks, where that is something else.
    pub fn now(&self) -> Option<&Quote> {
        self.now.as_ref()
    }

    /// A person wants what stands there kept word for word, or no longer.
    pub(crate) fn pin(&mut self, pointer: &str) {
        self.pinned.push(pointer.to_owned());
    }

    pub(crate) fn unpin(&mut self, pointer: &str) {
        self.pinned.retain(|pinned| pinned != pointer);
    }

    /// Task and now stay only where they are wanted.
    pub(crate) fn keep_wishes(&mut self, is_wanted: impl Fn(&Quote) -> bool) {
        self.task = self.task.take().filter(&is_wanted);
        self.now = self.now.take().filter(&is_wanted);
    }

    /// Without facts, anchors, results of commands and what was said.
    pub(crate) fn without_what_is_known(self) -> Self {
        let (facts, anchors, assertions, said) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { facts, anchors, assertions, said, ..self }
    }

    /// Why the goal last became another one.
    pub fn goal_shift_reason(&self) -> Option<&str> {
        self.goal_shift_reason.as_deref()
    }

    /// The turn or the gate that last made another task of it.
    pub fn goal_shift(&self) -> Option<&Evidence> {
        self.goal_shift.as_ref()
    }

    /// What the assistant said.
    pub fn said(&self) -> &[Entry<Quote>] {
        &self.said
    }

    /// Oldest id first, those retracted among them.
    pub fn facts(&self) -> &[Entry<BoardFact>] {
        &self.facts
    }

    /// Oldest id first.
    pub fn questions(&self) -> &[Entry<Question>] {
        &self.questions
    }

    /// Oldest id first.
    pub fn anchors(&self) -> &[Entry<Anchor>] {
        &self.anchors
    }

    /// One for each command.
    pub fn assertions(&self) -> &[BoardAssertion] {
        &self.assertions
    }

    /// Where tests and build stand.
    pub fn status(&self) -> &WorkStatus {
        &self.status
    }

    /// What is to be done, first things first.
    pub fn next_actions(&self) -> &[String] {
        &self.next_actions
    }

    /// Whether no delta ever said anything.
    pub fn is_empty(&self) -> bool {
        self.version == 0
    }

    /// Touched anchors that no delta has named yet.
    pub fn stale(&self) -> &[Stale] {
        &self.stale
    }
}

impl BoardFact {
    fn holds(&self) -> bool {
        !matches!(self.mark, Mark::Retracted { .. })
    }
}

#[cfg(test)]
mod tests;
