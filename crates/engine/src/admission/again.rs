//! Claims that were admitted elsewhere, put to the same questions again.
//!
//! What was admitted once is admitted again, word for word, against the same history: anything else was never admitted.

use super::{AdmissionLimits, admit_block, admit_delta};
use crate::{
    configuration::Configuration,
    proposal::{BlockProposal, DeltaProposal},
    state::Bench,
    trace::{
        Blobs,
        claim::{Anchor, BlockContent, Change, Delta},
        decision::TurnRange,
    },
};

/// Whether every claim of a block holds against what happened before it.
pub(crate) fn block_holds(
    bench: Bench<'_>,
    range: TurnRange,
    content: &BlockContent,
    configuration: &Configuration,
    count: &dyn Fn(&[u8]) -> u32,
    blobs: &dyn Blobs,
) -> bool {
    let proposal = BlockProposal::of(range, content);
    // The budget was the planner's choice, and says nothing about what is true.
    let limits = AdmissionLimits { block_tokens: u32::MAX, ..AdmissionLimits::from(configuration) };
    let Ok(admitted) = admit_block(bench, range, proposal, &limits, count, blobs) else { return false };
    let mut claimed = content.clone();
    // A person chose these, not the block's author.
    claimed.pinned.clear();
    claimed.anchors.iter_mut().for_each(forget_move);
    admitted.refused.is_empty() && admitted.content == claimed
}

/// The same for what a delta brings to the board.
pub(crate) fn delta_holds(bench: Bench<'_>, delta: &Delta, configuration: &Configuration, blobs: &dyn Blobs) -> bool {
    let proposal = DeltaProposal::of(delta);
    let Ok((admitted, refused)) = admit_delta(bench, proposal, &AdmissionLimits::from(configuration), blobs) else {
        return false;
    };
    let mut claimed = delta.clone();
    claimed.anchors.iter_mut().filter_map(stated).for_each(forget_move);
    refused.is_empty() && admitted == claimed
}

/// That it was once claimed elsewhere in the file proves nothing; where it is now was compared.
fn forget_move(anchor: &mut Anchor) {
    anchor.moved = false;
}

fn stated<T>(change: &mut Change<T>) -> Option<&mut T> {
    match change {
        Change::Add(to) | Change::Revise { to, .. } => Some(to),
        Change::Retract { .. } => None,
    }
}
