//! Changes of layout: the `execute` layout's dialogue comes and goes.

use super::State;
use crate::{
    history::History,
    ledger::Miss,
    planner::Rent,
    trace::{
        EventNo, Layout, TurnNo,
        decision::{Dialogue, LayoutChange},
    },
    view::{Entry, Source},
};

impl State {
    pub(crate) fn apply_layout(&mut self, change: &LayoutChange, event: EventNo, past: &History) -> Result<(), String> {
        self.expect_whole_step("a change of layout")?;
        if self.layout == Layout::Execute {
            self.leave_execute(past);
        }
        self.view.note_change(0, Miss::LayoutChanged);
        if let Some(dialogue) = &change.dialogue {
            self.enter_execute(dialogue, event, past)?;
            if let Some(board) = &change.board {
                self.show(Source::Board, event, board.tokens, past.index());
            }
        }
        self.layout = change.layout;
        self.apply_thinking(change.thinking, 0, event, past);
        Ok(())
    }

    /// The dialogue stands for all turns up to its end; the turns behind it are shown natively and in full, and the one
    /// board entry is the new one.
    fn enter_execute(&mut self, dialogue: &Dialogue, event: EventNo, past: &History) -> Result<(), String> {
        self.put_back_blocks_beyond(dialogue.through, past);
        let places = (0..self.view.entries().len()).rev();
        for place in places.filter(|place| self.view.entries()[*place].source == Source::Board).collect::<Vec<_>>() {
            self.replace(place..place + 1, Vec::new(), Miss::LayoutChanged, past.index());
        }
        let summaries = self.archived_summaries();
        let end = summaries + self.entries_through(summaries, dialogue.through)?;
        let entry = Entry::new(Source::Dialogue, event, dialogue.content.tokens);
        self.seam_aside = self.view.seam().min(end);
        self.set_aside = self.replace(0..end, vec![entry], Miss::LayoutChanged, past.index());
        self.view.set_seam(1);
        self.rents.fold = Rent::default();
        self.rents.settle = Rent::default();
        self.last_fold = Some(event);
        Ok(())
    }

    /// The last unfinished round stands there in full (docs/design/model.md, "Layouts").
    fn put_back_blocks_beyond(&mut self, through: TurnNo, past: &History) {
        let beyond = |state: &Self| {
            state.view.entries().iter().enumerate().find_map(|(place, entry)| match entry.source {
                Source::Block(number) if state.blocks.get(&number)?.range.last > through => Some((number, place)),
                _ => None,
            })
        };
        while let Some((number, place)) = beyond(self) {
            self.put_back(number, place, Miss::LayoutChanged, past);
        }
    }

    /// What the dialogue stood for comes back before what followed it.
    pub(super) fn leave_execute(&mut self, past: &History) {
        let aside = std::mem::take(&mut self.set_aside);
        if self.view.entries().first().is_some_and(|entry| entry.source == Source::Dialogue) {
            // Without a fold since, the hot zone begins where it began before.
            let folded_since = self.view.seam() > 1;
            self.replace(0..1, aside, Miss::LayoutChanged, past.index());
            if !folded_since {
                self.view.set_seam(self.seam_aside);
            }
        }
        self.layout = Layout::Chat;
    }
}
