//! What a compactor proposes: blocks and deltas as somebody claims them, read from a model's JSON text.
//!
//! Nothing here is true yet. Whether a pointer resolves or a line was ever seen is the gate's business; the parser only
//! knows shapes, and says which fields it dropped and which it missed.

mod citable;
mod fields;
mod parse;
mod schema;

pub use citable::citable;
pub(crate) use fields::one_line;
pub use parse::ProposalRefused;
pub(crate) use parse::{parse_compaction, parse_delta};
pub use schema::Dialect;
pub(crate) use schema::output_schema;

use crate::{evidence::pointer::LineRange, trace::decision::TurnRange};

/// `compressed_turns` of seed 7.2.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BlockProposal {
    pub replaces: Option<TurnRange>,
    pub goal: Option<GoalProposal>,
    pub what_we_learned: Vec<FactProposal>,
    pub anchors: Vec<AnchorProposal>,
    pub exec_assertions: Vec<AssertionProposal>,
    pub open_questions: Vec<String>,
    pub next_actions: Vec<String>,
}

/// `state_delta` of seed 7.1: only what changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeltaProposal {
    pub current_goal: Option<GoalProposal>,
    pub goal_shift_reason: Option<String>,
    pub confirmed_facts: Vec<Edit<FactProposal>>,
    pub open_questions: Vec<Edit<String>>,
    pub anchors: Vec<Edit<AnchorProposal>>,
    pub exec_assertions: Vec<AssertionProposal>,
    pub status: Option<StatusProposal>,
    /// None: unchanged.
    pub next_actions: Option<Vec<String>>,
}

/// One proposed change of a list: an item with an `id` revises, one with `retract: true` retracts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit<T> {
    Add(T),
    Revise { id: String, to: T },
    Retract { id: String, evidence: Vec<String> },
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FactProposal {
    pub text: String,
    /// Pointers as they were written.
    pub evidence: Vec<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GoalProposal {
    pub text: String,
    /// The seed's goal is a bare text: then the gate looks for the user turn behind it.
    pub evidence: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnchorProposal {
    pub place: AnchorPlace,
    /// None: the engine copies the lines.
    pub snippet: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnchorPlace {
    Lines {
        path: String,
        lines: LineRange,
    },
    /// A `file:` pointer, and the lines within it where not all are meant.
    Pointer {
        pointer: String,
        lines: Option<LineRange>,
    },
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AssertionProposal {
    pub command: String,
    pub result: String,
    /// Which run is meant; the newest one where none is named.
    pub evidence: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StatusProposal {
    pub tests: String,
    pub build: String,
    pub errors_left: Option<u32>,
}
