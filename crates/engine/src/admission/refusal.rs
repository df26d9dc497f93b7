//! Why something was refused: typed for programs, in words for people and for the model's second attempt.

use crate::{
    board::DeltaRefused,
    trace::decision::{Refused, TurnRange},
};

/// A claim that was not admitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// As it was proposed, on one line.
    pub claim: String,
    /// Why.
    pub kind: RefusalKind,
}

/// Why a claim was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the text of each says what it is")]
pub enum RefusalKind {
    /// Nothing is in it.
    #[error("says nothing")]
    Blank,
    /// Facts are chosen by kind; the engine words them.
    #[error("has no kind that is known: name a kind and pointers, or write a note")]
    NoKind,
    /// No pointer at all.
    #[error("cites no evidence")]
    NoEvidence,
    /// Nothing stands there.
    #[error("cites {pointer}, which does not resolve ({why})")]
    UnresolvedPointer {
        /// As it was written.
        pointer: String,
        /// In words.
        why: String,
    },
    /// What the pointers show is something else.
    #[error("cites {pointers}, which {pointers_are} {needs}", pointers_are = if .pointers.contains(',') { "are not" } else { "is not" })]
    OtherThing {
        /// As they were written.
        pointers: String,
        /// What the kind needs.
        needs: &'static str,
    },
    /// The record says otherwise.
    #[error("says {claimed}, and the record says otherwise: {found}")]
    Contradicted {
        /// What was claimed.
        claimed: String,
        /// What is there, with its pointer: `cmd#8: 11 passed`.
        found: String,
    },
    /// Nobody said these words there.
    #[error("is not what {place} says, word for word")]
    NotSaid {
        /// The pointer, or what was looked through.
        place: String,
    },
    /// It is said, and by somebody who cannot ask for anything.
    #[error("cites {pointer}, and only a person's turn or a decision at a gate says what the user wants")]
    NotThePersons {
        /// As it was written.
        pointer: String,
    },
    /// The lines are others now.
    #[error("is not what was observed at {pointer}{}", if *.places > 1 { ", and stands in the file more than once" } else { "" })]
    AnchorChanged {
        /// Where they were said to stand.
        pointer: String,
        /// How often these lines stand elsewhere in the file.
        places: usize,
    },
    /// Too many of a kind.
    #[error("is more than the {limit} that are allowed")]
    OverBudget {
        /// How many are.
        limit: usize,
    },
    /// Own words take too much of the block.
    #[error("is more than the {limit} tokens that own words may take")]
    TooWordy {
        /// Tokens of all notes.
        limit: u32,
    },
    /// Own words have no place on the board.
    #[error("is worded by its author: that is a note of a block, and never on the board")]
    Worded,
    /// It could speak outside of the record.
    #[error("holds the tag that ends a record")]
    ClosesTag,
    /// The board refuses it.
    #[error("cannot go on the board: {0}")]
    Delta(DeltaRefused),
}

/// Why a whole proposal was refused. The view stays as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the text of each says what it is")]
pub enum AdmissionRefused {
    /// It is written for other turns.
    #[error("the block must replace turns {}–{}{}", .range.first, .range.last, render_claimed(.claimed))]
    RangeMismatch {
        /// What it says.
        claimed: Option<TurnRange>,
        /// What was asked for.
        range: TurnRange,
    },
    /// Those turns are gone.
    #[error("turns {}–{} are not in the view", .range.first, .range.last)]
    NotInView {
        /// Which.
        range: TurnRange,
    },
    /// Nothing is left of it.
    #[error("nothing could be admitted: {}", if .refused.is_empty() { "nothing was claimed" } else { "every claim was refused" })]
    Empty {
        /// Each claim with its reason.
        refused: Vec<Refusal>,
    },
    /// Its claims are too long.
    #[error("the block has {tokens} tokens, its budget is {budget}")]
    OverBudget {
        /// How long it is.
        tokens: u32,
        /// How long it may be.
        budget: u32,
    },
    /// It does not pay.
    #[error("the block has {tokens} tokens for the {replaced} that it replaces: it must save at least a quarter")]
    NotShorter {
        /// How long it is.
        tokens: u32,
        /// What it would take out.
        replaced: u32,
    },
}

fn render_claimed(claimed: &Option<TurnRange>) -> String {
    claimed.map_or(", and names no turns".into(), |claimed| format!(", not {}–{}", claimed.first, claimed.last))
}

impl Refusal {
    pub(super) fn new(claim: impl Into<String>, kind: RefusalKind) -> Self {
        Self { claim: claim.into(), kind }
    }
}

impl RefusalKind {
    /// What of the record speaks against the claim.
    pub fn contradicted_by(&self) -> Option<&str> {
        match self {
            Self::Contradicted { found, .. } => Some(found),
            _ => None,
        }
    }

    /// One word for programs.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Blank => "blank",
            Self::NoKind => "no_kind",
            Self::NoEvidence => "no_evidence",
            Self::UnresolvedPointer { .. } => "unresolved_pointer",
            Self::OtherThing { .. } => "other_thing",
            Self::Contradicted { .. } => "contradicted",
            Self::NotSaid { .. } => "not_said",
            Self::NotThePersons { .. } => "not_the_persons",
            Self::AnchorChanged { .. } => "anchor_changed",
            Self::OverBudget { .. } | Self::TooWordy { .. } => "over_budget",
            Self::Worded => "worded",
            Self::ClosesTag => "closes_tag",
            Self::Delta(_) => "delta",
        }
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "\"{}\" {}", self.claim, self.kind)
    }
}

impl From<&Refusal> for Refused {
    fn from(refusal: &Refusal) -> Self {
        Self { claim: refusal.claim.clone(), reason: refusal.kind.to_string() }
    }
}

impl Refusal {
    /// One line per refused claim, the first with the count.
    pub fn render_all(claims: usize, refused: &[Self]) -> String {
        match refused {
            [] => String::new(),
            [single] => format!("refused 1 of {claims} claims: {single}"),
            several => {
                let lines: Vec<String> = several.iter().map(|refusal| format!("  {refusal}")).collect();
                format!("refused {} of {claims} claims:\n{}", several.len(), lines.join("\n"))
            }
        }
    }
}
