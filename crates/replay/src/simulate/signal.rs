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

use super::Run;
use crate::{
    conversation::{Conversation, STEPS_AHEAD, lines_with},
    shown::{Made, Part, Shown, Stands},
};

/// Tokens of a view that are of use, and all of them.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Signal {
    pub needed_tokens: f64,
    pub all_tokens: f64,
}

impl Signal {
    fn share(&self) -> f64 {
        if self.all_tokens == 0.0 { 0.0 } else { self.needed_tokens / self.all_tokens }
    }
}

pub(crate) fn mean(run: &Run) -> f64 {
    let calls = run.calls.len().max(1) as f64;
    run.calls.iter().map(|call| call.signal.share()).sum::<f64>() / calls
}

/// Judges the views of one run, in order.
#[derive(Debug, Default)]
pub(super) struct Judge {
    /// By their numbers, which strategies give from 1 on.
    made: Vec<Judged>,
}

/// A text that the strategy wrote: the last step known to need each of its lines, for steps below `until`.
#[derive(Debug, Default)]
struct Judged {
    until: usize,
    last: BTreeMap<usize, (usize, usize)>,
}

impl Judge {
    pub(super) fn judge(&mut self, conversation: &Conversation<'_>, shown: &Shown, call: usize) -> Signal {
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
                Part::Made(made) => self.judged(made.id).bytes(conversation, made, call) as f64,
            };
            signal.needed_tokens += if length == 0.0 { 0.0 } else { needed * tokens / length };
        }
        signal
    }

    fn judged(&mut self, id: u64) -> &mut Judged {
        let place = id as usize;
        if self.made.len() <= place {
            self.made.resize_with(place + 1, Judged::default);
        }
        &mut self.made[place]
    }
}

impl Judged {
    fn bytes(&mut self, conversation: &Conversation<'_>, made: &Made, call: usize) -> usize {
        let end = (call + STEPS_AHEAD).min(conversation.calls.len());
        for step in self.until.max(call)..end {
            for need in conversation.calls[step].needs.iter().filter(|need| need.kind.enters_recall()) {
                for (start, length) in lines_with(&memmem::Finder::new(&*need.text), &made.text) {
                    self.last.insert(start, (length, step));
                }
            }
        }
        self.until = end;
        self.last.values().filter(|(_, step)| *step >= call).map(|(length, _)| length).sum()
    }
}

#[cfg(test)]
mod tests;
