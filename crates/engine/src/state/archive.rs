//! Archives: old rounds leave the head of the view, blocks and all.

use super::{BlockStanding, State};
use crate::{
    history::History,
    ledger::Miss,
    planner::Rent,
    trace::{
        EventNo, Layout,
        decision::{Archive, Author},
    },
    view::{Entry, Source},
};

impl State {
    pub(crate) fn apply_archive(&mut self, archive: &Archive, event: EventNo, past: &History) -> Result<(), String> {
        self.expect_whole_step("an archive")?;
        // docs/design/model.md, "Layouts": the session returns to `chat` at its next archive.
        if self.layout == Layout::Execute {
            self.leave_execute(past);
        }
        let start = self.archived_summaries();
        let end = start + self.entries_through(start, archive.range.last)?;
        let entries = &self.view.entries()[start..end];
        let first = entries.iter().find_map(|entry| self.first_turn(entry));
        if first != Some(archive.range.first) {
            return Err(format!("the archive does not begin with turn {}", archive.range.first));
        }
        let mut with = vec![Entry::new(Source::Archived(archive.archive), event, archive.content.tokens)];
        with.extend(archive.board.as_ref().map(|entry| Entry::new(Source::Board, event, entry.tokens)));
        let behind = start + with.len();
        let covers_seam = self.view.seam() <= end;
        let removed = self.replace(start..end, with, Miss::Archive(archive.archive), past.index());
        if covers_seam {
            self.view.set_seam(start + 1);
            self.rents.fold = Rent::default();
            self.rents.settle = Rent::default();
        }
        if archive.board.is_some() {
            self.supersede_boards(behind, Miss::Archive(archive.archive), past);
        }
        self.apply_thinking(archive.thinking, behind, event, past);
        for entry in removed {
            if let Source::Block(number) = entry.source
                && let Some(block) = self.blocks.get_mut(&number)
            {
                block.standing = BlockStanding::Archived;
                block.entries = Vec::new();
                self.board.forget_block(number);
            }
        }
        self.last_fold = Some(event);
        if archive.author == Author::Model {
            self.texts_refused = 0;
        }
        self.rents.archive = Rent::default();
        Ok(())
    }
}
