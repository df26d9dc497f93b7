//! **Task-SNR**: how much of a view is of use. Per call, the tokens of those lines that hold an item needed in the next 20
//! steps, plus the newest board entry, over all tokens of the conversation part (L3) of the view; the mean over calls.
//!
//! The next 20 steps begin with the one that the view is sent for. Items are those of recall: paths, symbols, edit lines. A
//! line's tokens are its share of its part: bytes of the line, its line feed included, / bytes of the part × tokens of the
//! part.
//!
//! Example: a view holds a file of two lines, `let hinge = oil();` (19 bytes) and `let nothing = 0;` (17 bytes), 18 tokens
//! together, and a board entry of 10 tokens. The next step replaces the first line: 18 × 19/36 = 9.5 tokens are needed, and
//! the board's 10, of 28: 0.696. In the four calls of the example it is 0.1, 0.2, 0.4 and 0.5: Task-SNR 0.3.

use std::collections::BTreeMap;

use memchr::memmem;

use super::ratio;
use crate::{
    conversation::{Conversation, Need},
    shown::{Made, Part, Shown, Stands},
    simulate::{Run, Signal},
};

/// How far ahead a view is judged.
const STEPS: usize = 20;

pub(super) fn mean(run: &Run) -> f64 {
    let shares = run.calls.iter().map(|call| ratio(call.signal.needed_tokens, call.signal.all_tokens, 0.0));
    ratio(shares.sum(), run.calls.len() as f64, 0.0)
}

/// What of each piece the steps ahead need. The same for every strategy, so a conversation makes it once.
#[derive(Debug, Default)]
pub(crate) struct Ahead {
    /// By piece: from this call on, so many bytes are needed. Rising; nothing before the first.
    needed: Vec<Vec<(usize, usize)>>,
}

impl Ahead {
    pub(crate) fn new(conversation: &Conversation<'_>) -> Self {
        // The steps that need a line of a piece, by the line's first byte.
        let mut lines: Vec<BTreeMap<usize, (usize, Vec<usize>)>> = vec![BTreeMap::new(); conversation.pieces.len()];
        let mut known: BTreeMap<(&str, usize), Vec<(usize, usize)>> = BTreeMap::new();
        for (step, call) in conversation.calls.iter().enumerate() {
            for need in counted(&call.needs) {
                let finder = memmem::Finder::new(&need.text);
                for piece in &need.seen {
                    let text = &conversation.pieces[*piece].text;
                    let found = known.entry((&need.text, *piece)).or_insert_with(|| lines_with(&finder, text));
                    for (start, length) in found {
                        lines[*piece].entry(*start).or_insert((*length, Vec::new())).1.push(step);
                    }
                }
            }
        }
        Self { needed: lines.into_iter().map(|lines| steps_of(lines.into_values())).collect() }
    }

    fn bytes(&self, piece: usize, call: usize) -> usize {
        let needed = &self.needed[piece];
        needed.partition_point(|(from, _)| *from <= call).checked_sub(1).map_or(0, |at| needed[at].1)
    }
}

/// From the steps that need each line to how many bytes each call has use for.
fn steps_of(lines: impl Iterator<Item = (usize, Vec<usize>)>) -> Vec<(usize, usize)> {
    let mut changes: BTreeMap<usize, isize> = BTreeMap::new();
    for (length, steps) in lines {
        let mut end = 0;
        for step in steps {
            let start = (step + 1).saturating_sub(STEPS).max(end);
            *changes.entry(start).or_default() += length as isize;
            end = step + 1;
            *changes.entry(end).or_default() -= length as isize;
        }
    }
    let mut bytes = 0;
    changes
        .into_iter()
        .map(|(call, change)| {
            (call, {
                bytes += change;
                bytes as usize
            })
        })
        .collect()
}

/// The lines that hold a text, as first byte and length.
fn lines_with(finder: &memmem::Finder<'_>, text: &str) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let mut lines: Vec<(usize, usize)> = Vec::new();
    let mut from = 0;
    while let Some(at) = bytes.get(from..).and_then(|rest| finder.find(rest)) {
        let start = memchr::memrchr(b'\n', &bytes[..from + at]).map_or(0, |feed| feed + 1);
        let end = memchr::memchr(b'\n', &bytes[from + at..]).map_or(bytes.len(), |feed| from + at + feed + 1);
        lines.push((start, end - start));
        from = end;
    }
    lines
}

/// Judges the views of one run, in order.
#[derive(Debug, Default)]
pub(crate) struct Judge {
    made: BTreeMap<u64, Judged>,
}

/// A text that the strategy wrote: the last step known to need each of its lines, for steps below `until`.
#[derive(Debug, Default)]
struct Judged {
    until: usize,
    last: BTreeMap<usize, (usize, usize)>,
}

impl Judge {
    pub(crate) fn judge(&mut self, conversation: &Conversation<'_>, shown: &Shown, call: usize) -> Signal {
        let mut signal = Signal::default();
        let board =
            shown.parts.iter().rposition(|part| matches!(part, Part::Made(made) if made.stands == Stands::Board));
        for (place, part) in shown.parts.iter().enumerate() {
            let tokens = f64::from(part.tokens(conversation));
            signal.all_tokens += tokens;
            let length = part.text(conversation).len() as f64;
            let needed = match part {
                _ if Some(place) == board => length,
                Part::Raw(piece) => conversation.ahead().bytes(*piece, call) as f64,
                Part::Made(made) => self.made.entry(made.id).or_default().bytes(conversation, made, call) as f64,
            };
            signal.needed_tokens += ratio(needed * tokens, length, 0.0);
        }
        signal
    }
}

impl Judged {
    fn bytes(&mut self, conversation: &Conversation<'_>, made: &Made, call: usize) -> usize {
        let end = (call + STEPS).min(conversation.calls.len());
        for step in self.until.max(call)..end {
            for need in counted(&conversation.calls[step].needs) {
                for (start, length) in lines_with(&memmem::Finder::new(&need.text), &made.text) {
                    self.last.insert(start, (length, step));
                }
            }
        }
        self.until = end;
        self.last.values().filter(|(_, step)| *step >= call).map(|(length, _)| length).sum()
    }
}

fn counted(needs: &[Need]) -> impl Iterator<Item = &Need> {
    needs.iter().filter(|need| need.kind.enters_recall())
}

#[cfg(test)]
mod tests;
