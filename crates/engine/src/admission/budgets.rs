//! Sizes: the block's budget, and that a fold saves something.
//!
//! The delta's tokens are the board's to hold, because only it knows how a delta is written.

use super::AdmissionRefused;
use crate::{
    block::{render_block, render_claims},
    configuration::{BlockLimits, Configuration, FoldLimits},
    state::Bench,
    trace::claim::BlockContent,
    trace::decision::TurnRange,
    view::{Source, TOKENS_PER_MESSAGE},
};

/// What a block may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AdmissionLimits {
    /// Tokens of a block without the user's turns: the planner's choice, recorded with the fold.
    pub block_tokens: u32,
    /// What every block is held to.
    pub block: BlockLimits,
}

/// The smallest budget that a planner gives.
impl Default for AdmissionLimits {
    fn default() -> Self {
        Self { block_tokens: FoldLimits::default().block_least as u32, block: BlockLimits::default() }
    }
}

impl From<&Configuration> for AdmissionLimits {
    fn from(configuration: &Configuration) -> Self {
        Self { block_tokens: configuration.fold.block_least as u32, block: configuration.block }
    }
}

pub(super) fn count_claims(content: &BlockContent) -> usize {
    usize::from(content.task.is_some())
        + usize::from(content.now.is_some())
        + content.what_we_learned.len()
        + content.exec_assertions.len()
        + content.said.len()
        + content.anchors.len()
        + content.next_actions.len()
        + content.notes.len()
}

/// A task alone helps nobody to go on: it stands on the board.
pub(crate) fn says_nothing(content: &BlockContent) -> bool {
    count_claims(content) == usize::from(content.task.is_some()) + usize::from(content.now.is_some())
}

pub(super) fn check(
    bench: Bench<'_>,
    range: TurnRange,
    content: &BlockContent,
    limits: &AdmissionLimits,
    count: &dyn Fn(&[u8]) -> u32,
) -> Result<(), AdmissionRefused> {
    let tokens = count(render_claims(content, bench.state.board()).as_bytes());
    if tokens > limits.block_tokens {
        return Err(AdmissionRefused::OverBudget { tokens, budget: limits.block_tokens });
    }
    let replaced = tokens_of(bench, range).ok_or(AdmissionRefused::NotInView { range })?;
    // The claims are counted already; with what stands around them they are never more than the sum.
    let number = bench.history.index().blocks + 1;
    let around = render_block(bench, number, range, &BlockContent::default(), &limits.block, count);
    let tokens = tokens + count(around.as_bytes()) + TOKENS_PER_MESSAGE;
    if u64::from(tokens) > limits.block.most_of(u64::from(replaced), 0) {
        return Err(AdmissionRefused::NotShorter { tokens, replaced });
    }
    Ok(())
}

/// What the view shows from the first to the last turn of the range, notes and board entries between them included.
fn tokens_of(bench: Bench<'_>, range: TurnRange) -> Option<u32> {
    let entries = bench.state.view.entries();
    let inside = |source: Source| matches!(source, Source::Turn(turn) if range.first <= turn && turn <= range.last);
    let first = entries.iter().position(|entry| inside(entry.source))?;
    let last = entries.iter().rposition(|entry| inside(entry.source))?;
    Some(entries[first..=last].iter().map(|entry| entry.tokens).sum())
}
