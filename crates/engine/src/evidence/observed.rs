//! What was observed of a file, put together from the reads, edits and writes that showed it.
//!
//! Going back through time, line numbers are mapped back through each edit, and the newest sight of a line wins. How
//! the observations lie in a trace is not known here; where the file changed in a way that nobody saw, the caller ends
//! the iterator, because what lies before that says nothing about the lines of today.

use std::{borrow::Cow, collections::BTreeMap};

use super::pointer::LineRange;
use crate::trace::{TurnNo, result::Hunk};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Observation<'a> {
    /// Some lines, each with its number.
    Lines(Vec<(u32, Cow<'a, str>)>),
    /// A change of some places; what it added was seen.
    Edit(Cow<'a, [Hunk]>),
    /// The whole file, from its first line to its last.
    Whole(Vec<Cow<'a, str>>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ObservedLine {
    pub number: u32,
    /// Without its line ending, as in [`super::lines`].
    pub text: String,
    /// The turn that showed it.
    pub turn: TurnNo,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("never observed: {}", render_ranges(missing))]
pub(crate) struct Unobserved {
    /// From the top of the file to its end.
    pub missing: Vec<LineRange>,
}

/// Whether a search has to be shown what lies before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    Older,
    Enough,
}

/// A search for lines as they were last observed, shown one observation after another, the newest first. Open lines are held as stretches, so that a range of millions costs nothing.
#[derive(Debug)]
pub(crate) struct Search {
    wanted: LineRange,
    /// Stretches not found yet, by the number that their first line had at the point in time now reached.
    open: BTreeMap<u32, Stretch>,
    /// The open stretch behind the line found last, taken out of `open`: the next line is most often its first.
    next: Option<(u32, Stretch)>,
    /// Each number of today once.
    found: Vec<ObservedLine>,
}

#[derive(Debug, Clone, Copy)]
struct Stretch {
    /// Today's number of the first line.
    today: u32,
    length: u32,
}

impl Search {
    pub(crate) fn new(wanted: LineRange) -> Self {
        let first = wanted.first.max(1);
        let stretch =
            wanted.last.checked_sub(first).map(|more| Stretch { today: first, length: more.saturating_add(1) });
        Self {
            wanted,
            open: stretch.map(|stretch| (first, stretch)).into_iter().collect(),
            next: None,
            found: Vec::new(),
        }
    }

    pub(crate) fn see(&mut self, turn: TurnNo, observation: Observation<'_>) -> Next {
        let goes_on = match observation {
            Observation::Lines(lines) => {
                lines.iter().for_each(|(number, text)| self.find(*number, text, turn));
                true
            }
            Observation::Edit(hunks) => self.undo(&hunks, turn),
            Observation::Whole(lines) => {
                (1..=u32::MAX).zip(&lines).for_each(|(number, text)| self.find(number, text, turn));
                false
            }
        };
        self.put_back();
        if goes_on && !self.open.is_empty() { Next::Older } else { Next::Enough }
    }

    /// Those of the wanted lines that were observed at all, in their order.
    pub(crate) fn known(mut self) -> Vec<ObservedLine> {
        self.found.sort_by_key(|line| line.number);
        self.found
    }

    /// Line `number`, as counted at this point in time, had this text.
    fn find(&mut self, number: u32, text: &str, turn: TurnNo) {
        if self.next.is_none_or(|(first, _)| first != number) {
            self.put_back();
            let Some((&first, &stretch)) = self.open.range(..=number).next_back() else { return };
            let before = number - first;
            if before >= stretch.length {
                return;
            }
            self.open.remove(&first);
            self.keep_open(first, Stretch { length: before, ..stretch });
            self.next = Some((number, Stretch { today: stretch.today + before, length: stretch.length - before }));
        }
        let Some((_, Stretch { today, length })) = self.next.take() else { return };
        if length > 1 {
            self.next = Some((number + 1, Stretch { today: today + 1, length: length - 1 }));
        }
        let text = text.strip_suffix('\r').unwrap_or(text).to_owned();
        self.found.push(ObservedLine { number: today, text, turn });
    }

    fn put_back(&mut self) {
        if let Some((first, stretch)) = self.next.take() {
            self.keep_open(first, stretch);
        }
    }

    fn keep_open(&mut self, first: u32, stretch: Stretch) {
        if stretch.length > 0 {
            self.open.insert(first, stretch);
        }
    }

    /// Takes what an edit added, and renumbers the rest to the time before it. False where the hunks make no sense:
    /// then nothing before them can be trusted to lie where it seems to.
    fn undo(&mut self, hunks: &[Hunk], turn: TurnNo) -> bool {
        let mut ends = 1;
        for hunk in hunks {
            if hunk.first_line < ends {
                return false;
            }
            let Some(end) = u32::try_from(hunk.added.len()).ok().and_then(|added| hunk.first_line.checked_add(added))
            else {
                return false;
            };
            ends = end;
        }
        for hunk in hunks {
            (hunk.first_line..=u32::MAX).zip(&hunk.added).for_each(|(number, text)| self.find(number, text, turn));
        }
        self.put_back();
        self.renumber(hunks);
        true
    }

    /// Nothing open lies inside a hunk any more, so each stretch is cut at the hunks and its pieces are moved.
    fn renumber(&mut self, hunks: &[Hunk]) {
        let mut hunks = hunks.iter().peekable();
        let mut shift = 0_i64;
        for (mut first, mut stretch) in std::mem::take(&mut self.open) {
            while stretch.length > 0 {
                while let Some(hunk) = hunks.next_if(|hunk| hunk.first_line <= first) {
                    shift += hunk.removed.len() as i64 - hunk.added.len() as i64;
                }
                let until_hunk = hunks.peek().map_or(stretch.length, |hunk| hunk.first_line - first);
                let piece = Stretch { length: until_hunk.min(stretch.length), ..stretch };
                // A line that would lie outside all numbers was never observed; it stays unfound.
                if let Ok(moved) = u32::try_from(i64::from(first) + shift) {
                    let room = u32::MAX - moved;
                    self.keep_open(moved, Stretch { length: piece.length.min(room), ..piece });
                }
                first = first.saturating_add(piece.length);
                stretch = Stretch {
                    today: stretch.today.saturating_add(piece.length),
                    length: stretch.length - piece.length,
                };
            }
        }
    }

    /// All wanted lines, or which of them were not observed.
    pub(crate) fn end(self) -> Result<Vec<ObservedLine>, Unobserved> {
        let wanted = self.wanted;
        let found = self.known();
        let mut missing = Vec::new();
        let mut next = Some(wanted.first.max(1));
        for number in found.iter().map(|line| line.number) {
            if let Some(first) = next.filter(|first| *first < number) {
                missing.push(LineRange { first, last: number - 1 });
            }
            next = number.checked_add(1);
        }
        if let Some(first) = next.filter(|first| *first <= wanted.last) {
            missing.push(LineRange { first, last: wanted.last });
        }
        if missing.is_empty() { Ok(found) } else { Err(Unobserved { missing }) }
    }
}

pub(crate) fn render_ranges(ranges: &[LineRange]) -> String {
    ranges.iter().map(LineRange::to_string).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
