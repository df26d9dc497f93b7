//! Decisions about the view, with their finished results: replay applies these and decides nothing again.
//!
//! Each holds the very text that stands in the view from then on. What makes them (triggers, planner, compactors, admission)
//! is not known here.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::claim::{BlockContent, Delta, Quote};
use super::{
    ids::TurnNo,
    start::{Counted, Layout},
};

/// Turns `first..=last`. Folds cover whole steps, archives whole rounds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnRange {
    /// The first of them.
    pub first: TurnNo,
    /// The last of them.
    pub last: TurnNo,
}

impl TurnRange {
    /// Whether a turn is one of them.
    pub fn contains(&self, turn: TurnNo) -> bool {
        self.first <= turn && turn <= self.last
    }
}

/// Who wrote a block, a delta or a summary.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Author {
    /// The rules, from the trace alone.
    #[default]
    Rules,
    /// A model; what was admitted of its text.
    Model,
    /// A person, or another program; what was admitted of its text.
    Given,
    /// Rules, because the model did not answer in time.
    TimedOut,
}

/// What becomes of the thinking in the steps behind an edit of the view (`docs/design/folding.md`, "Thinking").
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThinkingBehind {
    /// It stays.
    #[default]
    Kept,
    /// Gone whole from every step that stands behind the edit when it is made, for ever.
    Dropped,
}

/// `STATE_DELTA vN`: what changed on the board.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateDelta {
    /// N.
    pub version: u32,
    /// Who wrote it.
    pub author: Author,
    /// What changed.
    pub delta: Delta,
    /// The entry appended to the stream; none where the model's own call shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<Counted>,
    /// What was not admitted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<Refused>,
}

/// `COMPRESSED_TURNS vK` stands for a range of turns.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Fold {
    /// K, never reused.
    pub block: u32,
    /// The turns that it stands for.
    pub range: TurnRange,
    /// What else it covers.
    #[serde(default)]
    pub reach: Reach,
    /// Who wrote it.
    pub author: Author,
    /// What was admitted.
    pub claims: BlockContent,
    /// The block as it is shown.
    pub content: Counted,
    /// What the fold changes on the board.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delta: Option<Delta>,
    /// The entry right behind the block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub board: Option<BoardEntry>,
    /// What becomes of the thinking behind it.
    #[serde(default, skip_serializing_if = "crate::trace::is_default")]
    pub thinking: ThinkingBehind,
    /// What proposed it.
    pub trigger: String,
    /// The planner's answer with its prices; `null` where nothing was asked.
    #[serde(default)]
    pub decision: Value,
    /// Claims that admission refused, each with its reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<Refused>,
}

impl Fold {
    /// A fold that says nothing but its text, for whoever fills in the rest.
    pub fn bare(block: u32, range: TurnRange, content: Counted) -> Self {
        Self { block, range, content, ..Self::default() }
    }
}

/// The board's entry behind a block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoardEntry {
    /// As it is shown.
    #[serde(flatten)]
    pub content: Counted,
    /// How much of the board that is.
    #[serde(default, skip_serializing_if = "crate::trace::is_default")]
    pub shows: BoardShown,
}

/// How much of the board an entry shows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BoardShown {
    /// What changed.
    #[default]
    Delta,
    /// All of it, because the fold covered earlier entries: no other entry stands beside it.
    Whole,
}

/// Which entries of the view a fold covers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// All from the seam to the last turn, notes and board entries among them; the seam moves behind the block.
    #[default]
    FromSeam,
    /// The turns of the range and the notes between them; board entries stay, behind the block, unless the fold has its
    /// own, which then shows the whole board.
    Alone,
}

/// A claim that was not admitted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// As it was proposed.
    pub claim: String,
    /// Why not.
    pub reason: String,
}

/// A block leaves the view and its turns come back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unfold {
    /// Which block.
    pub block: u32,
    /// What becomes of the thinking behind it.
    #[serde(default, skip_serializing_if = "crate::trace::is_default")]
    pub thinking: ThinkingBehind,
}

/// The results of ended rounds in their short forms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settle {
    /// Which ones.
    pub results: Vec<SettledResult>,
    /// What becomes of the thinking behind them.
    #[serde(default, skip_serializing_if = "crate::trace::is_default")]
    pub thinking: ThinkingBehind,
    /// The planner's answer with its prices; absent where nothing was asked.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub decision: Value,
}

/// A result in its short form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettledResult {
    /// The tool turn that holds it.
    pub turn: TurnNo,
    /// Its place among that turn's results.
    pub index: u32,
    /// The short form.
    pub content: Counted,
    /// The count of what it replaces.
    pub replaced_tokens: u32,
}

/// Old blocks keep only their heads. A cold cache has lost them anyway, so it costs nothing then.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stub {
    /// Which ones, oldest first.
    pub blocks: Vec<StubbedBlock>,
    /// What becomes of the thinking behind them.
    #[serde(default, skip_serializing_if = "crate::trace::is_default")]
    pub thinking: ThinkingBehind,
    /// The planner's answer with its prices.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub decision: Value,
}

/// A block as a stub.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StubbedBlock {
    /// Its number, which it keeps.
    pub block: u32,
    /// The stub as it is shown.
    pub content: Counted,
    /// The count of what it replaces.
    pub replaced_tokens: u32,
}

/// Whole old rounds leave the view; one summary stands for them, behind the earlier ones.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Archive {
    /// Counted from 1, never reused.
    pub archive: u32,
    /// The turns that it stands for.
    pub range: TurnRange,
    /// Who wrote it.
    pub author: Author,
    /// The summary as it is shown.
    pub content: Counted,
    /// The whole board, where the archive covered its entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub board: Option<Counted>,
    /// What becomes of the thinking behind it.
    #[serde(default, skip_serializing_if = "crate::trace::is_default")]
    pub thinking: ThinkingBehind,
    /// What proposed it.
    pub trigger: String,
    /// The planner's answer with its prices; absent where nothing was asked.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub decision: Value,
    /// What was not admitted of a model's text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<Refused>,
    /// What was admitted of a model's text, beside what the rules write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claims: Option<Box<BlockContent>>,
    /// What is pinned of its turns, word for word.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pinned: Vec<Quote>,
}

/// The view in another layout, from the next call on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayoutChange {
    /// The new one.
    pub layout: Layout,
    /// For `execute`: what stands for all turns up to and including this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialogue: Option<Dialogue>,
    /// The whole board, behind the newest turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub board: Option<Counted>,
    /// What becomes of the thinking.
    #[serde(default, skip_serializing_if = "crate::trace::is_default")]
    pub thinking: ThinkingBehind,
}

/// The real dialogue in one message (`docs/design/model.md`, "Layouts").
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dialogue {
    /// The last turn that it stands for.
    pub through: TurnNo,
    /// As it is shown.
    pub content: Counted,
}
