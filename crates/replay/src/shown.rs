//! What a strategy shows the model for one call, as a list of parts, and what it did for it.
//!
//! Raw pieces are named by their number in the conversation, so that two views can be compared without looking at text;
//! what a strategy wrote itself comes with its text. Which strategies there are is not known here.

use std::rc::Rc;

use lookback_engine::cache::PartId;

use crate::conversation::{Conversation, Need};

/// A view without its base (system prompt, tools, rules).
#[derive(Debug, Clone, Default)]
pub struct Shown {
    pub parts: Vec<Part>,
    /// How many parts the strategy expects to find unchanged in later views: a cache mark stands behind them.
    pub stable: usize,
    /// How many parts are asked to be held for an hour; the base is the first. Where the run is billed for an hour, all
    /// are.
    pub hour: usize,
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

impl Shown {
    pub fn tokens(&self, conversation: &Conversation) -> u64 {
        self.parts.iter().map(|part| u64::from(part.tokens(conversation))).sum()
    }
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

/// One way of showing a conversation, in the middle of a run.
pub trait Strategy {
    /// What is sent with this call. Asked once for each call, in order.
    fn show(&mut self, call: usize) -> Step;

    /// How a need that is not in the view can be reached from it.
    fn reach(&self, _need: &Need) -> Reach {
        Reach::Lost
    }

    /// What the provider's own rules say against the view shown last; none where it is valid.
    fn invalid(&self) -> Option<String> {
        None
    }

    /// Facts and anchors in what the strategy wrote, over the whole run.
    fn evidence(&self) -> Evidence {
        Evidence::default()
    }
}

/// A view and what was done for it.
#[derive(Debug, Default)]
pub struct Step {
    /// The view.
    pub shown: Shown,
    /// What was folded, masked or summarised right before this call, in words for a person; none: nothing.
    pub did: Vec<Did>,
    /// Calls to a model that wrote a summary.
    pub compactor: Vec<CompactorCall>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Did {
    /// `fold`, `settle`, `archive`, `summary`, `mask`, `clear`.
    pub what: &'static str,
    pub before_tokens: u64,
    pub after_tokens: u64,
    /// For a person: "turns 3–14 into block 1".
    pub note: String,
}

/// A summary asked for with the live prompt: everything of the view before, and an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompactorCall {
    pub output_tokens: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// By a pointer to at most 200 lines.
    Direct,
    /// By a range that the view says it replaces.
    Range,
    Lost,
}

/// Facts and anchors in what a strategy wrote; all of them must resolve.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Evidence {
    pub resolved: u64,
    pub all: u64,
    pub refused: u64,
}
