//! What a state holds: notes, blocks, rents, the model in use, steps and rounds.

use lookback_wire::Provider;

use crate::{
    card::{Alternation, Pictures, PlainThinking},
    planner::Rent,
    trace::{EventNo, TurnNo, decision::TurnRange, event::Rents, start::Counted},
    view::Entry,
};

/// A machine-made line as it was last shown.
#[derive(Debug, Clone)]
pub(crate) struct Note {
    pub(crate) text: String,
    pub(crate) event: EventNo,
    /// An edit may have taken it away since.
    pub(crate) in_view: bool,
}

/// A fold and what it took out of the view.
#[derive(Debug, Clone)]
pub struct Block {
    /// The turns that it stands for.
    pub range: TurnRange,
    /// Whether it is in the view.
    pub standing: BlockStanding,
    /// The fold that wrote it.
    pub(crate) folded: EventNo,
    /// Turns and notes as they stood; board entries never come back.
    pub(crate) entries: Vec<Entry>,
}

/// What became of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockStanding {
    /// It stands where its turns were.
    InView,
    /// Its turns are back.
    Unfolded,
    /// A summary stands for it.
    Archived,
}

/// What was paid since the last fold, settle and archive for not making one.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[allow(missing_docs, reason = "its line says it")]
pub struct PaidRents {
    pub fold: Rent,
    pub settle: Rent,
    pub archive: Rent,
}

impl PaidRents {
    pub(super) fn pay(&mut self, rents: &Rents) {
        let Rents { fold, settle, archive } = *rents;
        for (rent, paid) in [(&mut self.fold, fold), (&mut self.settle, settle), (&mut self.archive, archive)] {
            if paid > 0 {
                rent.pay(paid as f64 / 1_000.0);
            }
        }
    }
}

/// What is asked, through which API, and how much it takes. A person's choice: a rollback leaves it as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelInUse {
    /// The API.
    pub provider: Provider,
    /// As its provider knows it.
    pub name: String,
    /// Tokens of prompt and answer together.
    pub window: u32,
    /// Of them, what is kept free for the answer.
    pub reserve: u32,
    /// Whether it refuses two user messages in a row.
    pub alternation: Alternation,
    /// Whether it gets its plain thinking back.
    pub plain_thinking: PlainThinking,
    /// Whether it is sent pictures.
    pub pictures: Pictures,
}

/// Rules that changed on disk and are not in the view yet.
#[derive(Debug, Clone)]
pub(crate) struct PendingRules {
    pub(crate) rules: Counted,
    /// Whether the model was told.
    pub(crate) announced: bool,
}

/// One model call with the results of its tool calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// The answer.
    pub assistant: TurnNo,
    /// None: an answer without tool calls.
    pub tool: Option<TurnNo>,
}

/// From a person's turn to the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Round {
    /// The person's turn.
    pub first: TurnNo,
    /// Whether the answer is there.
    pub state: RoundState,
}

/// Whether a round goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum RoundState {
    Running,
    Ended,
}
