//! Old blocks as stubs: the same turns, still under their number, in a few lines.

use super::{BlockStanding, State};
use crate::{
    history::History,
    ledger::Miss,
    trace::{EventBody, EventNo, decision::Stub},
    view::{Entry, Source},
};

impl State {
    pub(crate) fn apply_stub(&mut self, stub: &Stub, event: EventNo, past: &History) -> Result<(), String> {
        self.expect_whole_step("a stub")?;
        let mut behind = None;
        for stubbed in &stub.blocks {
            let number = stubbed.block;
            let place = self.place_of_block(number).ok_or_else(|| format!("block {number} is not in the view"))?;
            if !matches!(past.body_of(self.view.entries()[place].revision), EventBody::Fold(_)) {
                return Err(format!("block {number} is a stub already"));
            }
            let entry = Entry::new(Source::Block(number), event, stubbed.content.tokens);
            self.replace(place..place + 1, vec![entry], Miss::Stub, past.index());
            // Its anchors are no longer shown, so nobody has to be told when they go stale.
            self.board.forget_block(number);
            behind = behind.or(Some(place + 1));
        }
        self.apply_thinking(stub.thinking, behind.unwrap_or(usize::MAX), event, past);
        Ok(())
    }

    /// The event that folded a block.
    pub fn fold_of(&self, block: u32) -> Option<EventNo> {
        self.blocks.get(&block).map(|block| block.folded)
    }

    /// The blocks that the view shows, oldest first, each with its entry.
    pub(crate) fn shown_blocks(&self) -> impl DoubleEndedIterator<Item = (u32, &Entry)> {
        self.view.entries().iter().filter_map(|entry| match entry.source {
            Source::Block(number) => {
                let stands = self.blocks.get(&number).is_some_and(|block| block.standing == BlockStanding::InView);
                stands.then_some((number, entry))
            }
            _ => None,
        })
    }
}
