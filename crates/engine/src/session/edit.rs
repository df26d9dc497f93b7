//! Applying recorded folds, unfolds, settles and archives to the view.
//!
//! Each event holds its finished text; here only positions and sizes change. An event whose range the view does not have
//! is refused: the trace is damaged.

use super::{index::Index, state::State};
use crate::{
    ledger::Miss,
    trace::{
        EventNo, TurnNo,
        decision::{Archive, Fold, Settle, TurnRange},
    },
    view::{Entry, Source, TOKENS_PER_MESSAGE},
};

impl State {
    pub(super) fn apply_fold(&mut self, fold: &Fold, event: EventNo) -> Result<(), String> {
        let range = self.entries_of(fold.range)?;
        let block = Entry {
            source: Source::Block(fold.block),
            revision: event,
            tokens: fold.content.tokens.saturating_add(TOKENS_PER_MESSAGE),
        };
        let seam = range.start + 1;
        let removed = self.view.replace(range, vec![block], Miss::Fold(fold.block));
        self.view.set_seam(seam);
        self.folded.insert(fold.block, removed);
        Ok(())
    }

    pub(super) fn apply_unfold(&mut self, block: u32) -> Result<(), String> {
        let position = self
            .view
            .entries()
            .iter()
            .position(|entry| entry.source == Source::Block(block))
            .ok_or_else(|| format!("block {block} is not in the view"))?;
        let entries = self.folded.remove(&block).ok_or_else(|| format!("block {block} was never folded"))?;
        self.view.replace(position..position + 1, entries, Miss::Unfold(block));
        Ok(())
    }

    pub(super) fn apply_settle(&mut self, settle: &Settle, event: EventNo, index: &Index) -> Result<(), String> {
        for (place, result) in settle.results.iter().enumerate() {
            let calls = index.tool_turn(result.turn).map_or(0, |step| step.calls.len());
            let position = self
                .view
                .position(result.turn)
                .filter(|_| (result.index as usize) < calls)
                .ok_or_else(|| format!("result {} of turn {} is not in the view", result.index, result.turn))?;
            self.settled.insert((result.turn, result.index), (event, place as u32));
            let old = self.view.entries()[position];
            let rest = old.tokens.checked_sub(result.replaced_tokens);
            let rest = rest.ok_or_else(|| format!("turn {} has fewer tokens than were settled", result.turn))?;
            let tokens = rest.saturating_add(result.content.tokens);
            self.view.replace(position..position + 1, vec![Entry { revision: event, tokens, ..old }], Miss::Settle);
        }
        Ok(())
    }

    pub(super) fn apply_archive(&mut self, archive: &Archive, event: EventNo) -> Result<(), String> {
        let range = self.entries_of(archive.range)?;
        let summary = Entry {
            source: Source::Archived(archive.archive),
            revision: event,
            tokens: archive.content.tokens.saturating_add(TOKENS_PER_MESSAGE),
        };
        let seam = self.view.seam().max(range.start + 1);
        self.view.replace(range, vec![summary], Miss::Archive(archive.archive));
        self.view.set_seam(seam.min(self.view.entries().len()));
        Ok(())
    }

    fn entries_of(&self, range: TurnRange) -> Result<std::ops::Range<usize>, String> {
        let find = |turn: TurnNo| self.view.position(turn).ok_or_else(|| format!("turn {turn} is not in the view"));
        let (first, last) = (find(range.first)?, find(range.last)?);
        if first <= last { Ok(first..last + 1) } else { Err(format!("turns {range:?} are out of order")) }
    }
}
