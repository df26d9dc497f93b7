//! Steps and turns of a view, for strategies that count them.

use std::{fmt, ops::Range};

use lookback_engine::trace::TurnNo;

use crate::conversation::{Conversation, Piece};

/// The results of each step before a call that has any, oldest first. A step is whole or not there: a rewind goes back to
/// the end of one.
pub(super) fn steps(conversation: &Conversation<'_>, call: usize) -> Vec<Range<usize>> {
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

/// What was replaced, and by how much less.
#[derive(Debug, Clone, Default)]
pub(super) struct TurnNote {
    pub(super) before_tokens: u64,
    pub(super) after_tokens: u64,
    turns: Option<(TurnNo, TurnNo)>,
}

impl TurnNote {
    pub(super) fn add(&mut self, piece: &Piece, after: u32) {
        self.before_tokens += u64::from(piece.tokens);
        self.after_tokens += u64::from(after);
        let first = self.turns.map_or(piece.turn, |(first, _)| first);
        self.turns = Some((first, piece.turn));
    }

    pub(super) fn is_some(&self) -> bool {
        self.turns.is_some()
    }
}

/// "turn 4" or "turns 4–9".
impl fmt::Display for TurnNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.turns {
            None => f.write_str("no turn"),
            Some((first, last)) if first == last => write!(f, "turn {first}"),
            Some((first, last)) => write!(f, "turns {first}–{last}"),
        }
    }
}
