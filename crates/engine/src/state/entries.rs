//! Replacing entries of the view: what every recorded edit is made of.
//!
//! Each event holds its finished text; here only positions and sizes change. An event whose range the view does not have
//! is refused: the trace is damaged.

use std::ops::Range;

use super::State;
use crate::{
    card::Alternation,
    history::{
        History,
        index::{Index, TurnRecord},
    },
    ledger::Miss,
    trace::{EventBody, EventNo, TurnNo, decision::BoardShown},
    view::{Entry, Source, TOKENS_PER_MESSAGE},
};

/// The separator between two user messages where the model refuses two in a row (docs/design/model.md, "The voice of a
/// record").
pub(crate) const SEPARATOR: &str = "Noted.";

/// The size of its message. Replay counts nothing, so this is an upper bound for every tokenizer in use.
const SEPARATOR_TOKENS: u32 = SEPARATOR.len() as u32 + TOKENS_PER_MESSAGE;

impl State {
    /// Puts `with` in the place of `range` and gives back what stood there.
    pub(super) fn replace(&mut self, range: Range<usize>, with: Vec<Entry>, why: Miss, index: &Index) -> Vec<Entry> {
        let affected = range.start..range.start + with.len() + 1;
        let removed = self.view.replace(range, with, why);
        for entry in removed.iter().filter(|entry| entry.source == Source::Note) {
            let taken = self.notes.values_mut().filter(|note| note.event == entry.revision);
            taken.for_each(|note| note.in_view = false);
        }
        self.last_usage = None;
        self.separate_users(affected, index);
        removed
    }

    /// Says of each entry in `places` whether it needs a separator before it. Gives the first place that changed.
    pub(super) fn separate_users(&mut self, places: Range<usize>, index: &Index) -> Option<usize> {
        let mut first = None;
        let strict = self.model.alternation == Alternation::Strict;
        for place in places.start..places.end.min(self.view.entries().len()) {
            let entry = self.view.entries()[place];
            let follows_user = || place > 0 && is_user(&self.view.entries()[place - 1], index);
            let separated = strict && is_user(&entry, index) && follows_user();
            if separated != entry.separated {
                let tokens = match separated {
                    true => entry.tokens.saturating_add(SEPARATOR_TOKENS),
                    false => entry.tokens - SEPARATOR_TOKENS,
                };
                self.view.set_entry(place, Entry { separated, tokens, ..entry });
                first = first.or(Some(place));
            }
        }
        first
    }

    /// A whole board that was just written stands alone: older ones from `behind` on leave the view.
    pub(super) fn supersede_boards(&mut self, behind: usize, why: Miss, past: &History) {
        for place in (behind..self.view.entries().len()).rev() {
            let entry = self.view.entries()[place];
            if entry.source == Source::Board && shows_whole_board(past, entry.revision) {
                self.replace(place..place + 1, Vec::new(), why, past.index());
            }
        }
    }

    /// How many summaries the view begins with.
    pub(crate) fn archived_summaries(&self) -> usize {
        self.view.entries().iter().take_while(|entry| matches!(entry.source, Source::Archived(_))).count()
    }

    /// How many entries from `start` on belong to turns up to `last`; a block that goes beyond cannot be split.
    pub(super) fn entries_through(&self, start: usize, last: TurnNo) -> Result<usize, String> {
        let entries = &self.view.entries()[start..];
        let crossing = entries.iter().find_map(|entry| match entry.source {
            Source::Block(number) => {
                let range = self.blocks.get(&number)?.range;
                (range.first <= last && last < range.last).then_some(number)
            }
            _ => None,
        });
        if let Some(number) = crossing {
            return Err(format!("block {number} goes beyond turn {last}"));
        }
        let inside = |entry: &Entry| self.first_turn(entry).is_some_and(|turn| turn <= last);
        Ok(entries.iter().rposition(inside).map_or(0, |place| place + 1))
    }

    /// The first turn that an entry shows or stands for.
    pub(crate) fn first_turn(&self, entry: &Entry) -> Option<TurnNo> {
        match entry.source {
            Source::Block(number) => self.blocks.get(&number).map(|block| block.range.first),
            _ => turn_of(entry),
        }
    }

    /// From the first to the last turn of a range; the view has both.
    pub(super) fn places_of(&self, first: TurnNo, last: TurnNo) -> Result<Range<usize>, String> {
        let find = |turn: TurnNo| self.view.position(turn).ok_or_else(|| format!("turn {turn} is not in the view"));
        let (start, end) = (find(first)?, find(last)?);
        if start <= end { Ok(start..end + 1) } else { Err(format!("turns {first} to {last} are out of order")) }
    }
}

/// Whether the board entry that an event wrote shows the whole board; else it shows one delta.
pub(crate) fn shows_whole_board(history: &History, event: EventNo) -> bool {
    match history.body_at(event) {
        Some(EventBody::Fold(fold)) => fold.board.as_ref().is_some_and(|board| board.shows == BoardShown::Whole),
        Some(EventBody::Archive(archive)) => archive.board.is_some(),
        Some(EventBody::LayoutChanged(change)) => change.board.is_some(),
        _ => false,
    }
}

fn is_user(entry: &Entry, index: &Index) -> bool {
    match entry.source {
        Source::Turn(turn) => matches!(index.turn(turn), Some(TurnRecord::User { .. })),
        Source::Note | Source::Board | Source::Block(_) | Source::Archived(_) | Source::Dialogue => true,
    }
}

/// The turn of a turn's entry.
pub(super) fn turn_of(entry: &Entry) -> Option<TurnNo> {
    match entry.source {
        Source::Turn(turn) => Some(turn),
        _ => None,
    }
}
