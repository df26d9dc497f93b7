//! Why something was refused: typed for programs, in words for people and for the model's second attempt.

use crate::{
    board::DeltaRefused,
    trace::claim::Question,
    trace::decision::{Refused, TurnRange},
};

/// A claim that was not admitted as it was proposed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// As it was proposed.
    pub claim: String,
    /// Why.
    pub kind: RefusalKind,
    /// What became of it.
    pub fate: Fate,
}

/// What became of a refused claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It stands among the open questions, marked unknown.
    Question,
    /// It is gone.
    Dropped,
}

/// Why a claim was refused, in words by which a model can mend it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the text of each says what it is")]
pub enum RefusalKind {
    #[error("says nothing")]
    Blank,
    #[error("cites no evidence")]
    NoEvidence,
    #[error("cites {pointer}, which does not resolve ({why})")]
    UnresolvedPointer { pointer: String, why: String },
    #[error("says {what}, which is not in {pointers}")]
    NotInEvidence { what: String, pointers: String },
    #[error("cites {pointer}, which ended with {found}")]
    OtherExit { pointer: String, found: String },
    #[error("speaks of files, commands or tests, and only the assistant says so ({pointers})")]
    AssistantOnly { pointers: String },
    #[error("rests on the user's words alone ({pointers}), which prove no success")]
    UserOnly { pointers: String },
    #[error("is not what the user said in {pointers}")]
    NotTheUsersWords { pointers: String },
    #[error("is not what was observed at {pointer}{}", if *.places > 1 { ", and stands in the file more than once" } else { "" })]
    AnchorChanged {
        pointer: String,
        /// How often these lines stand elsewhere in the file.
        places: usize,
    },
    #[error("never ran")]
    CommandNeverRan,
    #[error("names {what}, which neither the user, a gate's decision nor the assistant's own calls named")]
    PlantedAction { what: String },
    #[error("{why}")]
    ForeignGoal { why: String },
    #[error("is more than the {limit} that are allowed")]
    OverBudget { limit: usize },
    #[error("holds the tag that ends a record")]
    ClosesTag,
    #[error("cannot go on the board: {0}")]
    Delta(DeltaRefused),
}

/// Why a whole proposal was refused. The view stays as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the text of each says what it is")]
pub enum AdmissionRefused {
    #[error("the block must replace turns {}–{}{}", .range.first, .range.last, render_claimed(.claimed))]
    RangeMismatch { claimed: Option<TurnRange>, range: TurnRange },
    #[error("turns {}–{} are not in the view", .range.first, .range.last)]
    NotInView { range: TurnRange },
    #[error("nothing could be admitted: {}", if .refused.is_empty() { "nothing was claimed" } else { "every claim was refused" })]
    Empty { refused: Vec<Refusal> },
    #[error("the block has {tokens} tokens, its budget is {budget}")]
    OverBudget { tokens: u32, budget: u32 },
    #[error("the block has {tokens} tokens for the {replaced} that it replaces: it must save at least a quarter")]
    NotShorter { tokens: u32, replaced: u32 },
}

fn render_claimed(claimed: &Option<TurnRange>) -> String {
    claimed.map_or(", and names no turns".into(), |claimed| format!(", not {}–{}", claimed.first, claimed.last))
}

impl Refusal {
    pub(super) fn dropped(claim: impl Into<String>, kind: RefusalKind) -> Self {
        Self { claim: claim.into(), kind, fate: Fate::Dropped }
    }

    pub(super) fn demoted(claim: impl Into<String>, kind: RefusalKind) -> Self {
        Self { claim: claim.into(), kind, fate: Fate::Question }
    }

    pub(super) fn as_question(&self) -> Option<Question> {
        (self.fate == Fate::Question).then(|| Question { text: self.claim.clone(), unknown: true })
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "\"{}\" {}", self.claim, self.kind)?;
        match self.fate {
            Fate::Question => f.write_str(" → kept as an open question"),
            Fate::Dropped => f.write_str(" → left out"),
        }
    }
}

impl From<&Refusal> for Refused {
    fn from(refusal: &Refusal) -> Self {
        Self { claim: refusal.claim.clone(), reason: refusal.kind.to_string() }
    }
}

/// One line per refused claim, the first with the count.
pub fn render_refusals(claims: usize, refused: &[Refusal]) -> String {
    match refused {
        [] => String::new(),
        [single] => format!("refused 1 of {claims} claims: {single}"),
        several => {
            let lines: Vec<String> = several.iter().map(|refusal| format!("  {refusal}")).collect();
            format!("refused {} of {claims} claims:\n{}", several.len(), lines.join("\n"))
        }
    }
}
