//! Decisions about the view, with their finished results: replay applies these and decides nothing again.
//!
//! Each holds the very text that stands in the view from then on. What makes them (triggers, planner, compactors, gate)
//! is not known here.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{ids::TurnNo, start::Counted};

/// Turns `first..=last`. Folds cover whole steps, archives whole rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnRange {
    pub first: TurnNo,
    pub last: TurnNo,
}

/// `STATE_DELTA vN`, or the whole board: an entry appended to the stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateDelta {
    pub version: u32,
    pub entry: Counted,
}

/// `COMPRESSED_TURNS vK` stands for a range from the seam on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fold {
    /// K, never reused.
    pub block: u32,
    pub range: TurnRange,
    pub content: Counted,
    /// What proposed it.
    pub trigger: String,
    /// The planner's answer with its prices; `null` where nothing was asked.
    #[serde(default)]
    pub decision: Value,
    /// Claims that the gate refused, each with its reason.
    #[serde(default)]
    pub refused: Vec<Refused>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    pub claim: String,
    pub reason: String,
}

/// The results of a round in their short forms.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settle {
    pub results: Vec<SettledResult>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettledResult {
    /// The tool turn that holds it.
    pub turn: TurnNo,
    /// Its place among that turn's results.
    pub index: u32,
    pub content: Counted,
    /// The count of what it replaces.
    pub replaced_tokens: u32,
}

/// Whole old rounds leave the view; one summary stands for them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Archive {
    pub archive: u32,
    pub range: TurnRange,
    pub content: Counted,
}
