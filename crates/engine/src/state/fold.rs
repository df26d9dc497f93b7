//! Folds and unfolds.

use super::{Block, BlockStanding, State, entries::turn_of};
use crate::{
    board::Board,
    history::History,
    ledger::Miss,
    planner::Rent,
    trace::{
        EventNo, TurnNo,
        decision::{Author, BoardShown, Fold, Reach, Unfold},
    },
    view::{Entry, Source},
};

impl State {
    pub(crate) fn apply_fold(&mut self, fold: &Fold, event: EventNo, past: &History) -> Result<(), String> {
        // A step may be open: the range ends before it, because a step is never split.
        let covered = match fold.reach {
            Reach::FromSeam => self.view.seam()..self.places_of(fold.range.last, fold.range.last)?.end,
            Reach::Alone => self.places_of(fold.range.first, fold.range.last)?,
        };
        let entries = self.view.entries().get(covered.clone()).unwrap_or_default();
        if entries.iter().find_map(turn_of) != Some(fold.range.first) {
            return Err(format!("the fold does not begin with turn {}", fold.range.first));
        }
        if entries.iter().any(|entry| matches!(entry.source, Source::Block(_) | Source::Archived(_) | Source::Dialogue))
        {
            return Err("the fold covers what was folded or archived before".into());
        }
        for turn in [TurnNo(fold.range.first.0.wrapping_sub(1)), fold.range.last] {
            let next = TurnNo(turn.0.wrapping_add(1));
            let step = past.index().tool_turn(next);
            if step.is_some_and(|step| past.index().event_of(turn) == Some(step.assistant)) {
                return Err(format!("the fold splits the step of turns {turn} and {next}"));
            }
        }
        let mut with = vec![Entry::new(Source::Block(fold.block), event, fold.content.tokens)];
        if fold.reach == Reach::Alone && fold.board.is_none() {
            with.extend(entries.iter().filter(|entry| entry.source == Source::Board));
        }
        with.extend(fold.board.as_ref().map(|entry| Entry::new(Source::Board, event, entry.content.tokens)));
        let moves_seam = covered.end > self.view.seam();
        let behind = covered.start + with.len();
        let seam = covered.start + 1;
        let mut removed = self.replace(covered, with, Miss::Fold(fold.block), past.index());
        removed.retain(|entry| entry.source != Source::Board);
        if moves_seam {
            self.view.set_seam(seam);
            self.rents.fold = Rent::default();
            self.rents.settle = Rent::default();
        }
        if fold.board.as_ref().is_some_and(|board| board.shows == BoardShown::Whole) {
            self.supersede_boards(behind, Miss::Fold(fold.block), past);
        }
        self.apply_thinking(fold.thinking, behind, event, past);
        self.blocks.insert(
            fold.block,
            Block { range: fold.range, standing: BlockStanding::InView, folded: event, entries: removed },
        );
        self.last_fold = Some(event);
        if fold.author == Author::Model {
            self.texts_refused = 0;
        }
        if past.start().is_guest() {
            // Each block of a guest says all of it anew.
            self.board = Board::default();
        }
        self.board.apply_block(fold.block, &fold.claims.anchors);
        match &fold.delta {
            Some(delta) => drop(self.board.apply(delta)),
            None if fold.board.is_some() => drop(self.board.name_stale()),
            None => {}
        }
        Ok(())
    }

    /// The seam does not move: what comes back stays raw until an archive, or until a person folds it.
    pub(crate) fn apply_unfold(&mut self, unfold: &Unfold, event: EventNo, past: &History) -> Result<(), String> {
        self.expect_whole_step("an unfold")?;
        let number = unfold.block;
        let place = self.place_of_block(number).ok_or_else(|| format!("block {number} is not in the view"))?;
        self.put_back(number, place, Miss::Unfold(number), past);
        self.apply_thinking(unfold.thinking, place, event, past);
        Ok(())
    }

    pub(crate) fn place_of_block(&self, number: u32) -> Option<usize> {
        self.view.entries().iter().position(|entry| entry.source == Source::Block(number))
    }

    /// The turns of a block in its place.
    pub(super) fn put_back(&mut self, number: u32, place: usize, why: Miss, past: &History) {
        let Some(block) = self.blocks.get_mut(&number) else { return };
        block.standing = BlockStanding::Unfolded;
        let entries = std::mem::take(&mut block.entries);
        self.replace(place..place + 1, entries, why, past.index());
        self.board.forget_block(number);
    }
}
