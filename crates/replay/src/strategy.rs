//! Ways of showing a conversation to the model, side by side.
//!
//! A strategy is asked for the view of each call in turn and sees only what came before it (the oracle apart). It knows
//! nothing of prices and caches; [`crate::simulate`] bills what it shows.

mod append;
mod clear_tools;
pub mod driven;
mod fed;
mod head_summary;
mod made;
mod mask;
mod mask_batched;
mod names;
mod oracle;
#[cfg(test)]
mod tests;
mod turns;
mod validity;

pub use names::{StrategyName, UnknownStrategy, build};

use std::fmt;

use crate::{conversation::Need, shown::Shown};

/// The plain count of a text, as the caller brings it.
#[derive(Clone, Copy)]
pub struct Counter<'a>(&'a dyn Fn(&[u8]) -> u32);

impl<'a> Counter<'a> {
    pub fn new(count: &'a dyn Fn(&[u8]) -> u32) -> Self {
        Self(count)
    }

    pub fn of(&self, text: &[u8]) -> u32 {
        (self.0)(text)
    }
}

impl fmt::Debug for Counter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Counter")
    }
}

/// One way of showing a conversation, in the middle of a run.
pub trait Strategy {
    /// What is sent with this call. Asked once for each call, in order.
    fn show(&mut self, call: usize) -> Step;

    /// How a need that is not in the view can be reached from it.
    fn reach(&self, _need: &Need) -> Reach {
        Reach::Lost
    }

    /// What the provider's own rules say against the view shown last; none where it is valid.
    fn invalid(&self) -> Option<String> {
        None
    }

    /// Facts and anchors in what the strategy wrote, over the whole run.
    fn evidence(&self) -> Evidence {
        Evidence::default()
    }
}

/// A view and what was done for it.
#[derive(Debug, Default)]
pub struct Step {
    pub shown: Shown,
    /// What was folded, masked or summarised right before this call, in words for a person; none: nothing.
    pub did: Vec<Did>,
    /// Calls to a model that wrote a summary.
    pub compactor: Vec<CompactorCall>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Did {
    /// `fold`, `settle`, `archive`, `summary`, `mask`, `clear`.
    pub what: &'static str,
    pub before_tokens: u64,
    pub after_tokens: u64,
    /// For a person: "turns 3–14 into block 1".
    pub note: String,
}

/// A summary asked for with the live prompt: everything of the view before, and an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompactorCall {
    pub output_tokens: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// By a pointer to at most 200 lines.
    Direct,
    /// By a range that the view says it replaces.
    Range,
    Lost,
}

/// The share of facts and anchors that resolve must be 1 (docs/measuring.md, "The rest").
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Evidence {
    pub resolved: u64,
    pub all: u64,
    pub refused: u64,
}
