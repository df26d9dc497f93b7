//! What a compactor proposes: blocks and deltas as somebody claims them, read from a model's JSON text.
//!
//! A proposal points at things and words none of them: kinds and pointers for facts, quotations for what people said, and
//! notes, which stand apart. Nothing here is true yet. Whether a pointer resolves is admission's business; the parser only
//! knows shapes, and says which fields it dropped and which it missed.

mod citable;
mod fields;
mod parse;
mod schema;
mod written;

pub(crate) use crate::text::one_line;
pub use citable::citable;
pub use parse::ProposalRefused;
pub(crate) use parse::{Parsed, parse_archive, parse_compaction, parse_delta};
pub use schema::Dialect;
pub(crate) use schema::output_schema;
pub(crate) use schema::proposal_schema;

use serde::Serialize;

use crate::{
    evidence::pointer::LineRange,
    trace::{
        TurnNo,
        claim::{Anchor, Assertion, BlockContent, Change, ClaimKind, Delta, Evidence, Fact, Quote, SummariserNote},
        decision::TurnRange,
    },
};

/// `compressed_turns` of docs/seeds.md 7.2. Serialised it reads as the parser wants it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct BlockProposal {
    /// The turns that it is to stand for.
    #[serde(serialize_with = "written::range")]
    pub replaces: Option<TurnRange>,
    /// The request or plan that the work began with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<QuoteProposal>,
    /// What the newest round asks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<QuoteProposal>,
    /// What the trace shows.
    pub facts: Vec<FactProposal>,
    /// What the assistant said.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub said: Vec<QuoteProposal>,
    /// Lines of files.
    pub anchors: Vec<AnchorProposal>,
    /// What comes next, in somebody's words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next_actions: Vec<QuoteProposal>,
    /// The summariser's own words, its open questions among them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<NoteProposal>,
}

/// `archive`: what a model adds to the summary that the rules write (docs/seeds.md A5).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ArchiveProposal {
    /// What the user first asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<QuoteProposal>,
    /// What the trace shows, the user's wishes among them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<FactProposal>,
    /// What the assistant said.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub said: Vec<QuoteProposal>,
    /// The summariser's own words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<NoteProposal>,
}

impl From<ArchiveProposal> for BlockProposal {
    fn from(ArchiveProposal { task, facts, said, notes }: ArchiveProposal) -> Self {
        Self { task, facts, said, notes, ..Self::default() }
    }
}

/// `state_delta` of docs/seeds.md 7.1: only what changed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct DeltaProposal {
    /// The request or plan that the work began with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<QuoteProposal>,
    /// What the newest round asks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<QuoteProposal>,
    /// The user turn or gate that made it another one.
    #[serde(rename = "goal_shift_reason", skip_serializing_if = "Option::is_none")]
    pub goal_shift: Option<String>,
    /// What the trace shows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<Edit<FactProposal>>,
    /// Lines of files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub anchors: Vec<Edit<AnchorProposal>>,
    /// None: unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_actions: Option<Vec<QuoteProposal>>,
    /// Own words, which have no place on the board: refused by name.
    #[serde(skip)]
    pub worded: Vec<String>,
}

/// One proposed change of a list: an item with an `id` revises, one with `retract: true` retracts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit<T> {
    /// A new item.
    Add(T),
    /// Another item in the place of one.
    Revise {
        /// Its id on the board.
        id: String,
        /// The new item.
        to: T,
    },
    /// An item that no longer holds.
    Retract {
        /// Its id on the board.
        id: String,
        /// What speaks against it.
        evidence: Vec<String>,
    },
}

/// A fact by its kind and pointers. What else is claimed of it only ever speaks against it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct FactProposal {
    /// None: a kind that does not exist, or none at all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<ClaimKind>,
    /// Pointers as they were written.
    pub evidence: Vec<String>,
    /// The words of a person or of a line, where some are meant; of a run, what somebody says of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// How a run is said to have ended.
    #[serde(flatten)]
    pub claimed: ClaimedRun,
}

/// What somebody says of a run; held against the record.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ClaimedRun {
    /// Its exit code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit: Option<i32>,
    /// How many tests passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passed: Option<u32>,
    /// How many tests failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<u32>,
}

/// Words of somebody: where they stand, and which of them are meant.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct QuoteProposal {
    /// None: wherever the words are found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
    /// None: whatever the engine takes from there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// What a summariser words itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct NoteProposal {
    /// Its words.
    pub text: String,
    /// What it names for them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
}

/// Lines of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnchorProposal {
    /// Where they stand.
    pub place: AnchorPlace,
    /// None: the engine copies the lines.
    pub snippet: Option<String>,
}

/// Where lines of a file stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnchorPlace {
    /// By path and numbers.
    Lines {
        /// From the root.
        path: String,
        /// Which.
        lines: LineRange,
    },
    /// A `file:` pointer, and the lines within it where not all are meant.
    Pointer {
        /// As it was written.
        pointer: String,
        /// Which of its lines.
        lines: Option<LineRange>,
    },
}

/// Claims that were recorded as they would be proposed, for whoever has them checked again.
impl BlockProposal {
    /// Of a block.
    pub fn of(range: TurnRange, claims: &BlockContent) -> Self {
        let verdicts = claims.exec_assertions.iter().map(FactProposal::of_run);
        Self {
            replaces: Some(range),
            task: claims.task.as_ref().map(QuoteProposal::of),
            now: claims.now.as_ref().map(QuoteProposal::of),
            facts: claims.what_we_learned.iter().map(FactProposal::of).chain(verdicts).collect(),
            said: claims.said.iter().map(QuoteProposal::of).collect(),
            anchors: claims.anchors.iter().map(AnchorProposal::of).collect(),
            next_actions: claims.next_actions.iter().cloned().map(QuoteProposal::of_words).collect(),
            notes: claims.notes.iter().map(NoteProposal::of).collect(),
        }
    }
}

impl ArchiveProposal {
    /// Of what a model added to a summary.
    pub fn of(claims: &BlockContent) -> Self {
        let range = TurnRange { first: TurnNo(0), last: TurnNo(0) };
        let BlockProposal { task, facts, said, notes, .. } = BlockProposal::of(range, claims);
        Self { task, facts, said, notes }
    }
}

impl DeltaProposal {
    /// Of a delta.
    pub fn of(delta: &Delta) -> Self {
        fn edits<T, P>(changes: &[Change<T>], of: impl Fn(&T) -> P) -> Vec<Edit<P>> {
            let edit = |change: &Change<T>| match change {
                Change::Add(item) => Edit::Add(of(item)),
                Change::Revise { id, to } => Edit::Revise { id: id.clone(), to: of(to) },
                Change::Retract { id, evidence } => Edit::Retract { id: id.clone(), evidence: pointers(evidence) },
            };
            changes.iter().map(edit).collect()
        }
        let verdicts = delta.exec_assertions.iter().map(|run| Edit::Add(FactProposal::of_run(run)));
        Self {
            task: delta.task.as_ref().map(QuoteProposal::of),
            now: delta.now.as_ref().map(QuoteProposal::of),
            goal_shift: delta.goal_shift.as_ref().map(|shift| shift.pointer.clone()),
            facts: edits(&delta.confirmed_facts, FactProposal::of).into_iter().chain(verdicts).collect(),
            anchors: edits(&delta.anchors, AnchorProposal::of),
            next_actions: delta
                .next_actions
                .as_ref()
                .map(|all| all.iter().cloned().map(QuoteProposal::of_words).collect()),
            worded: Vec::new(),
        }
    }
}

impl FactProposal {
    /// A kind and its pointers.
    pub fn new(kind: ClaimKind, evidence: Vec<String>) -> Self {
        Self { kind: Some(kind), evidence, ..Self::default() }
    }

    /// Of a fact.
    pub fn of(fact: &Fact) -> Self {
        let text = (fact.kind == ClaimKind::Quoted).then(|| fact.text.clone());
        Self { text, ..Self::new(fact.kind, pointers(&fact.evidence)) }
    }

    fn of_run(run: &Assertion) -> Self {
        Self::new(ClaimKind::Verdict, vec![run.evidence.pointer.clone()])
    }
}

impl QuoteProposal {
    fn of(quote: &Quote) -> Self {
        Self { pointer: Some(quote.evidence.pointer.clone()), text: Some(quote.text.clone()) }
    }

    fn of_words(text: String) -> Self {
        Self { pointer: None, text: Some(text) }
    }
}

impl NoteProposal {
    fn of(note: &SummariserNote) -> Self {
        Self { text: note.text.clone(), evidence: pointers(&note.evidence) }
    }
}

impl AnchorProposal {
    fn of(anchor: &Anchor) -> Self {
        let lines = LineRange { first: anchor.first_line, last: anchor.last_line };
        let place = AnchorPlace::Lines { path: anchor.path.clone(), lines };
        Self { place, snippet: Some(anchor.snippet.clone()) }
    }
}

fn pointers(evidence: &[Evidence]) -> Vec<String> {
    evidence.iter().map(|evidence| evidence.pointer.clone()).collect()
}
