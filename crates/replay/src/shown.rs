//! What a strategy shows the model for one call, as a list of parts.
//!
//! Raw pieces are named by their number in the conversation, so that two views can be compared without looking at text;
//! what a strategy wrote itself comes with its text.

use std::rc::Rc;

use lookback_engine::cache::PartId;

use crate::conversation::Conversation;

/// A view without its base (system prompt, tools, rules).
#[derive(Debug, Clone, Default)]
pub struct Shown {
    pub parts: Vec<Part>,
    /// How many parts the strategy expects to find unchanged in later views: a cache mark stands behind them.
    pub stable: usize,
}

#[derive(Debug, Clone)]
pub enum Part {
    /// A piece of the conversation as it was.
    Raw(usize),
    /// Something in the place of others.
    Made(Rc<Made>),
}

/// A text that a strategy wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    /// The same for the same text only, within one run.
    pub id: u64,
    /// Multiplied by the conversation's factor already.
    pub tokens: u32,
    pub text: String,
    pub stands: Stands,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stands {
    /// In the place of the result with this piece number.
    ForResult(usize),
    /// In the place of the answer with this piece number, whose calls it still has.
    ForAnswer(usize),
    /// As a message of its own in the user's voice.
    Alone,
    /// The same, as an entry of the board.
    Board,
}

impl Part {
    pub fn tokens(&self, conversation: &Conversation) -> u32 {
        match self {
            Self::Raw(piece) => conversation.pieces[*piece].tokens,
            Self::Made(made) => made.tokens,
        }
    }

    pub fn text<'a>(&'a self, conversation: &'a Conversation) -> &'a str {
        match self {
            Self::Raw(piece) => &conversation.pieces[*piece].text,
            Self::Made(made) => &made.text,
        }
    }

    /// Raw pieces and made texts have different numbers: the highest bit tells them apart.
    pub fn id(&self) -> PartId {
        match self {
            Self::Raw(piece) => PartId(*piece as u64),
            Self::Made(made) => PartId(made.id | 1 << 63),
        }
    }
}
