//! An unfold: a block's turns come back, if they can.

use super::{Desk, window};
use crate::{context::Context, error::UnfoldRefused, report::UnfoldReport, state::BlockStanding};

/// What putting the turns of block `number` back would do, or why it cannot be done.
pub(crate) fn plan_unfold(desk: Desk<'_>, number: u32, context: &Context<'_>) -> Result<UnfoldReport, UnfoldRefused> {
    let blocks = desk.history.index().blocks;
    if number == 0 || number > blocks {
        return Err(UnfoldRefused::NoSuchBlock { number, blocks });
    }
    let block = desk.state.blocks.get(&number).ok_or(UnfoldRefused::RolledBack { number })?;
    match block.standing {
        BlockStanding::InView => {}
        BlockStanding::Unfolded => return Err(UnfoldRefused::AlreadyUnfolded { number }),
        BlockStanding::Archived => return Err(UnfoldRefused::Archived { number }),
    }
    let place = desk.state.place_of_block(number).ok_or(UnfoldRefused::SetAside { number })?;
    let entries = desk.state.view.entries();
    let back: u64 = block.entries.iter().map(|entry| u64::from(entry.tokens)).sum();
    let report = UnfoldReport {
        block: number,
        range: block.range,
        block_tokens: u64::from(entries[place].tokens),
        turns_tokens: back,
        behind: entries[place + 1..].iter().map(|entry| u64::from(entry.tokens)).sum(),
        tariff: desk.tariff(),
        warmth: desk.warmth(context.now),
    };
    let after = desk.state.view.tokens() - report.block_tokens + back;
    match window::fits(desk, after) {
        true => Ok(report),
        false => Err(UnfoldRefused::WouldNotFit { number, tokens: after, limit: window::input_limit(desk.state) }),
    }
}
