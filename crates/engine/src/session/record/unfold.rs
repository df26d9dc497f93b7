//! Recording an unfold: a block's turns come back, if they can.

use crate::{
    report::UnfoldReport,
    session::{Context, Session, SessionError, UnfoldRefused, state::BlockStanding},
    trace::{EventBody, decision::Unfold},
};

impl Session {
    /// Puts the turns of block `number` back in place. Board and later blocks stay, and the seam does not move.
    pub fn unfold(&mut self, number: u32, context: &Context<'_>) -> Result<UnfoldReport, SessionError> {
        self.expect_idle()?;
        let report = self.plan_unfold(number, context)?;
        let thinking = self.thinking_behind();
        self.record(EventBody::Unfold(Unfold { block: number, thinking }), context)?;
        Ok(report)
    }

    fn plan_unfold(&self, number: u32, context: &Context<'_>) -> Result<UnfoldReport, UnfoldRefused> {
        let blocks = self.index.blocks;
        if number == 0 || number > blocks {
            return Err(UnfoldRefused::NoSuchBlock { number, blocks });
        }
        let block = self.state.blocks.get(&number).ok_or(UnfoldRefused::RolledBack { number })?;
        match block.standing {
            BlockStanding::InView => {}
            BlockStanding::Unfolded => return Err(UnfoldRefused::AlreadyUnfolded { number }),
            BlockStanding::Archived => return Err(UnfoldRefused::Archived { number }),
        }
        let place = self.state.place_of_block(number).ok_or(UnfoldRefused::SetAside { number })?;
        let entries = self.view().entries();
        let back: u64 = block.entries.iter().map(|entry| u64::from(entry.tokens)).sum();
        let report = UnfoldReport {
            block: number,
            range: block.range,
            block_tokens: u64::from(entries[place].tokens),
            turns_tokens: back,
            behind: entries[place + 1..].iter().map(|entry| u64::from(entry.tokens)).sum(),
            tariff: self.tariff(),
            warmth: self.warmth(context.now),
        };
        let after = self.view().tokens() - report.block_tokens + back;
        match self.fits(after) {
            true => Ok(report),
            false => Err(UnfoldRefused::WouldNotFit { number, tokens: after, limit: self.input_limit() }),
        }
    }

    /// A provider refused the thinking of earlier steps: it goes from all of the view, and edits drop it from now on
    /// (design 3-folding, "Thinking").
    pub fn drop_thinking(&mut self, context: &Context<'_>) -> Result<(), SessionError> {
        self.expect_idle()?;
        self.record(EventBody::ThinkingRefused, context)
    }
}
