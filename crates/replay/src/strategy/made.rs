//! The texts that strategies write: counted like pieces, numbered once. And results that stand behind such texts, for
//! strategies that hide some; which ones and why is theirs.

use std::{fmt, ops::Range, rc::Rc};

use lookback_engine::{configuration::TOKENS_PER_MESSAGE, trace::TurnNo};

use super::Counter;
use crate::{
    conversation::Conversation,
    shown::{Did, Made, Part, Shown, Stands},
};

/// Where a strategy's own texts come from.
pub(super) struct Maker<'a> {
    conversation: &'a Conversation<'a>,
    count: Counter<'a>,
    next: u64,
}

impl<'a> Maker<'a> {
    pub(super) fn new(conversation: &'a Conversation<'a>, count: Counter<'a>) -> Self {
        Self { conversation, count, next: 0 }
    }

    /// A text with a number of its own, counted as a message by the same measure as the pieces.
    pub(super) fn make(&mut self, text: String, stands: Stands) -> Rc<Made> {
        self.next += 1;
        let tokens = self.conversation.scale.apply((self.count)(text.as_bytes()) + TOKENS_PER_MESSAGE);
        Rc::new(Made { id: self.next, tokens, text, stands })
    }
}

/// The results of a conversation, some of them hidden behind placeholders. Whoever hides a result again shows the same
/// text.
pub(super) struct Results<'a> {
    conversation: &'a Conversation<'a>,
    maker: Maker<'a>,
    placeholder: fn(&str) -> String,
    /// By piece.
    made: Vec<Option<Rc<Made>>>,
    /// By piece.
    hidden: Vec<bool>,
}

impl<'a> Results<'a> {
    /// `placeholder` is what stands for a text.
    pub(super) fn new(conversation: &'a Conversation<'a>, count: Counter<'a>, placeholder: fn(&str) -> String) -> Self {
        let pieces = conversation.pieces.len();
        let (made, hidden) = (vec![None; pieces], vec![false; pieces]);
        Self { conversation, maker: Maker::new(conversation, count), placeholder, made, hidden }
    }

    fn made(&mut self, result: usize) -> &Rc<Made> {
        let text = || (self.placeholder)(&self.conversation.pieces[result].text);
        self.made[result].get_or_insert_with(|| self.maker.make(text(), Stands::ForResult(result)))
    }

    /// What hiding these would do, as far as they are not hidden yet; none where all are.
    pub(super) fn hiding(&mut self, results: &[usize]) -> Option<Hiding> {
        let mut hiding: Option<Hiding> = None;
        for result in results.iter().copied().filter(|result| !self.hidden[*result]).collect::<Vec<_>>() {
            let piece = &self.conversation.pieces[result];
            let after = self.made(result).tokens;
            let hiding = hiding.get_or_insert(Hiding { before: 0, after: 0, first: piece.turn, last: piece.turn });
            hiding.before += u64::from(piece.tokens);
            hiding.after += u64::from(after);
            hiding.last = piece.turn;
        }
        hiding
    }

    pub(super) fn hide(&mut self, results: &[usize]) {
        results.iter().for_each(|result| self.hidden[*result] = true);
    }

    pub(super) fn show_all(&mut self) {
        self.hidden.fill(false);
    }

    /// The view of a call. Behind the first result that is not hidden it may change.
    pub(super) fn shown(&mut self, call: usize) -> Shown {
        let conversation = self.conversation;
        let (mut parts, mut stable) = (Vec::new(), None);
        for piece in conversation.before(call) {
            if self.hidden[piece] {
                parts.push(Part::Made(Rc::clone(self.made(piece))));
                continue;
            }
            if conversation.pieces[piece].is_result() {
                stable.get_or_insert(parts.len());
            }
            parts.push(Part::Raw(piece));
        }
        let stable = stable.unwrap_or(parts.len());
        Shown { parts, stable, hour: 0 }
    }
}

/// The results of each step before a call that has any, oldest first. A step is whole or not there: a rewind goes back to
/// the end of one.
pub(super) fn results_of_steps(conversation: &Conversation<'_>, call: usize) -> Vec<Range<usize>> {
    let mut steps: Vec<Range<usize>> = Vec::new();
    for piece in conversation.before(call).filter(|piece| conversation.pieces[*piece].is_result()) {
        match steps.last_mut() {
            Some(step) if conversation.pieces[step.start].turn == conversation.pieces[piece].turn => {
                step.end = piece + 1;
            }
            _ => steps.push(piece..piece + 1),
        }
    }
    steps
}

/// Tokens of results before and after they are hidden, and the turns that they lie in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hiding {
    pub(super) before: u64,
    pub(super) after: u64,
    first: TurnNo,
    last: TurnNo,
}

impl Hiding {
    pub(super) fn did(&self, what: &'static str, note: String) -> Did {
        Did { what, before_tokens: self.before, after_tokens: self.after, note }
    }
}

/// "turn 4" or "turns 4–9".
impl fmt::Display for Hiding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.first == self.last {
            true => write!(f, "turn {}", self.first),
            false => write!(f, "turns {}–{}", self.first, self.last),
        }
    }
}
