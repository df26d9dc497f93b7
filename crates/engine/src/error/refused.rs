//! Why an edit of the view was refused, by kind. The view is as it was.

use crate::{
    admission::{AdmissionRefused, Refusal},
    board::DeltaRefused,
    proposal::ProposalRefused,
    trace::{Layout, TurnNo},
};

/// Why there was no fold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the text of each says what it is")]
pub enum FoldRefused {
    #[error("there is nothing to fold: no step behind the last block but the newest {kept}, which stay as they are")]
    NothingToFold { kept: u32 },
    #[error(
        "folding would save nothing: behind the last block and before the newest {kept} steps there is hardly more than \
         the user's own words, which stay"
    )]
    OnlyWords { kept: u32 },
    #[error("folding would save too little: {replaced} tokens would become {block}")]
    TooLittle { replaced: u64, block: u64 },
    #[error("turn {turn} is only half of a step: a fold takes it whole, with turn {whole}")]
    SplitsStep { turn: TurnNo, whole: TurnNo },
    #[error("there is no span \"{span}\"{}", render_have(.have))]
    NoSuchSpan { span: String, have: Vec<String> },
    #[error("span {0} is still open: end it first")]
    SpanOpen(String),
    #[error("{what}: not in the view as raw turns (folded, archived or rolled back)")]
    NotRaw { what: String },
    #[error("the model has not seen the results of turn {turn} yet: they stay until it has")]
    NotSeenYet { turn: TurnNo },
    #[error("the view has changed since this fold was planned: plan it again")]
    OutOfDate,
    #[error(transparent)]
    Proposal(ProposalRefused),
    #[error("the answer lacks {}: answer again, with them", .0.join(", "))]
    MissingFields(Vec<String>),
    #[error(transparent)]
    Admission(AdmissionRefused),
}

/// Why something was not pinned or unpinned.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PinRefused {
    /// Nothing stands there that can be pinned.
    #[error("{pointer} cannot be pinned: {why}")]
    NotThere {
        /// As it was given.
        pointer: String,
        /// In words.
        why: String,
    },
    /// It is one already.
    #[error("{pointer} is pinned already")]
    Already {
        /// Which.
        pointer: String,
    },
    /// All pins together have a bound.
    #[error(
        "{pointer} has {tokens} tokens, and {left} of {most} are left for pins: pin fewer lines, or unpin something"
    )]
    TooMuch {
        /// Which.
        pointer: String,
        /// What it would take.
        tokens: u32,
        /// What is free.
        left: u32,
        /// For all pins.
        most: u32,
    },
    /// It is none.
    #[error("{pointer} is not pinned{}", render_have(.have))]
    NotPinned {
        /// As it was given.
        pointer: String,
        /// What is.
        have: Vec<String>,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the text of each says what it is")]
pub enum UnfoldRefused {
    #[error("there is no block {number}: the session has {blocks}")]
    NoSuchBlock { number: u32, blocks: u32 },
    #[error("block {number} was rolled back with its fold: its turns are in the view, or rolled back too")]
    RolledBack { number: u32 },
    #[error("block {number} is unfolded already")]
    AlreadyUnfolded { number: u32 },
    #[error("block {number} is archived and cannot come back into the view: recall its turns instead")]
    Archived { number: u32 },
    #[error("block {number} stands behind the dialogue of the execute layout: change the layout to chat first")]
    SetAside { number: u32 },
    #[error("block {number} unfolded makes a view of {tokens} tokens, and {limit} fit: recall single turns instead")]
    WouldNotFit { number: u32, tokens: u64, limit: u32 },
}

/// Why nothing was archived.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the text of each says what it is")]
pub enum ArchiveRefused {
    #[error("there is nothing to archive: the newest {kept} rounds stay")]
    NothingToArchive { kept: usize },
    #[error("the view has changed since this archive was planned: plan it again")]
    OutOfDate,
    #[error("the summary has {summary} tokens for the {replaced} that it replaces")]
    NotShorter { replaced: u64, summary: u64 },
    #[error(transparent)]
    Summary(ProposalRefused),
}

/// Why a delta was not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the text of each says what it is")]
pub enum BoardRefused {
    #[error(transparent)]
    Proposal(ProposalRefused),
    #[error(transparent)]
    Delta(DeltaRefused),
    #[error(
        "the delta says nothing{}: give task, now, facts, anchors, next_actions, notes or open_questions",
        render_unknown(.unknown)
    )]
    SaysNothing { unknown: Vec<String> },
    #[error("nothing of the delta could be admitted: {}", Refusal::render_all(.refused.len(), .refused))]
    NothingAdmitted { refused: Vec<Refusal> },
    #[error(transparent)]
    Admission(AdmissionRefused),
}

/// Why the layout stayed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the text of each says what it is")]
pub enum LayoutRefused {
    #[error("there is nothing before the running round that the execute layout could show otherwise")]
    NothingBefore,
    #[error("the {layout} layout would have {tokens} tokens, and {limit} fit")]
    WouldNotFit { layout: Layout, tokens: u64, limit: u32 },
}

fn render_unknown(unknown: &[String]) -> String {
    if unknown.is_empty() { String::new() } else { format!(" that the board knows ({} is not)", unknown.join(", ")) }
}

fn render_have(have: &[String]) -> String {
    if have.is_empty() { ": the session has none".into() } else { format!(": it has {}", have.join(", ")) }
}
