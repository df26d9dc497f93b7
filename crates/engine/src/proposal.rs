//! What a compactor proposes: blocks and deltas as somebody claims them, read from a model's JSON text.
//!
//! Nothing here is true yet. Whether a pointer resolves or a line was ever seen is admission's business; the parser only
//! knows shapes, and says which fields it dropped and which it missed.

mod citable;
mod fields;
mod parse;
mod schema;

pub(crate) use crate::text::one_line;
pub use citable::citable;
pub use parse::ProposalRefused;
pub(crate) use parse::{parse_compaction, parse_delta};
pub use schema::Dialect;
pub(crate) use schema::output_schema;

use crate::{
    evidence::pointer::LineRange,
    trace::{
        claim::{Anchor, Assertion, BlockContent, Change, Delta, Evidence, Fact, Goal},
        decision::TurnRange,
    },
};

/// `compressed_turns` of docs/seeds.md 7.2.
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

/// `state_delta` of docs/seeds.md 7.1: only what changed.
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
    /// The seed's goal is a bare text: then admission looks for the user turn behind it.
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

/// Claims that were recorded as they would be proposed, for whoever has them checked again.
impl BlockProposal {
    pub fn of(range: TurnRange, claims: &BlockContent) -> Self {
        Self {
            replaces: Some(range),
            goal: claims.goal.as_ref().map(GoalProposal::of),
            what_we_learned: claims.what_we_learned.iter().map(FactProposal::of).collect(),
            anchors: claims.anchors.iter().map(AnchorProposal::of).collect(),
            exec_assertions: claims.exec_assertions.iter().map(AssertionProposal::of).collect(),
            open_questions: claims.open_questions.iter().map(|question| question.text.clone()).collect(),
            next_actions: claims.next_actions.clone(),
        }
    }
}

impl DeltaProposal {
    pub fn of(delta: &Delta) -> Self {
        fn edits<T, P>(changes: &[Change<T>], of: impl Fn(&T) -> P) -> Vec<Edit<P>> {
            let edit = |change: &Change<T>| match change {
                Change::Add(item) => Edit::Add(of(item)),
                Change::Revise { id, to } => Edit::Revise { id: id.clone(), to: of(to) },
                Change::Retract { id, evidence } => Edit::Retract { id: id.clone(), evidence: pointers(evidence) },
            };
            changes.iter().map(edit).collect()
        }
        Self {
            current_goal: delta.current_goal.as_ref().map(GoalProposal::of),
            goal_shift_reason: delta.goal_shift_reason.clone(),
            confirmed_facts: edits(&delta.confirmed_facts, FactProposal::of),
            open_questions: edits(&delta.open_questions, |question| question.text.clone()),
            anchors: edits(&delta.anchors, AnchorProposal::of),
            exec_assertions: delta.exec_assertions.iter().map(AssertionProposal::of).collect(),
            status: delta.status.as_ref().map(|status| StatusProposal {
                tests: status.tests.clone(),
                build: status.build.clone(),
                errors_left: status.errors_left,
            }),
            next_actions: delta.next_actions.clone(),
        }
    }
}

impl GoalProposal {
    fn of(goal: &Goal) -> Self {
        Self { text: goal.text.clone(), evidence: vec![goal.evidence.pointer.clone()] }
    }
}

impl FactProposal {
    fn of(fact: &Fact) -> Self {
        Self { text: fact.text.clone(), evidence: pointers(&fact.evidence) }
    }
}

impl AnchorProposal {
    fn of(anchor: &Anchor) -> Self {
        let lines = LineRange { first: anchor.first_line, last: anchor.last_line };
        let place = AnchorPlace::Lines { path: anchor.path.clone(), lines };
        Self { place, snippet: Some(anchor.snippet.clone()) }
    }
}

impl AssertionProposal {
    fn of(assertion: &Assertion) -> Self {
        let Assertion { command, result, evidence } = assertion;
        Self { command: command.clone(), result: result.clone(), evidence: Some(evidence.pointer.clone()) }
    }
}

fn pointers(evidence: &[Evidence]) -> Vec<String> {
    evidence.iter().map(|evidence| evidence.pointer.clone()).collect()
}
