//! Turns as they were said: by a person, by a machine in the user's place, by the model.
//!
//! Tool turns have no type here: their results arrive one by one as events of their own ([`super::result`]), and
//! `step ended` closes them.

use lookback_wire::{Provider, Seal};
use serde::{Deserialize, Serialize};

use super::{
    ids::{CallNo, TurnNo},
    output::Output,
    part::AsCame,
};

/// What was said in the user's place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserTurn {
    /// Its number.
    pub turn: TurnNo,
    /// All its text. Where there are several text parts, each begins a line.
    pub text: String,
    /// The count of it and of what came with it.
    pub tokens: u32,
    /// Who said it.
    pub origin: Origin,
    /// `user#N`, for turns that a person typed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<u32>,
    /// Where it is more than this text: its parts, and its bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_came: Option<Box<AsCame>>,
}

/// Where a turn in the user's role came from. Only a person's turn begins a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Typed by a person, or the headless task: begins a round.
    Person,
    /// Typed by a person while a round ran, and delivered between two of its steps: a turn of that round.
    Queued,
    /// Written by a program: begins no round.
    Machine,
}

/// What the model answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AssistantTurn {
    /// Its number.
    pub turn: TurnNo,
    /// The call that it answers.
    pub call: CallNo,
    /// In their order.
    pub parts: Box<[AssistantPart]>,
    /// Why it ended.
    pub stop: Stop,
    /// The parts whose provider said more than we understand, in its own bytes.
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub native: Box<[NativePart]>,
    /// The message as a client sent it back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<Box<Output>>,
}

/// A part as its provider wrote it. It goes back so to the API that it came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NativePart {
    /// Its place among the parts.
    pub part: u32,
    /// Whose bytes they are.
    pub provider: Provider,
    /// JSON.
    pub raw: String,
}

/// One part of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AssistantPart {
    /// What it said.
    Text {
        /// As the model wrote it.
        text: String,
        /// Its count.
        tokens: u32,
    },
    /// What it thought.
    Thinking {
        /// As far as the provider shows it.
        text: String,
        /// How the provider knows it again.
        seal: Seal,
        /// Its count.
        tokens: u32,
    },
    /// A tool call.
    Call {
        /// Unique in the session.
        id: String,
        /// The tool.
        name: String,
        /// As the model wrote them.
        arguments: String,
        /// The count of name and arguments.
        tokens: u32,
        /// Cut off before its end: kept here, never shown again, never run.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        unfinished: bool,
    },
    /// Of a kind that we do not know: all of it is in `native`.
    Unknown {
        /// Its count.
        tokens: u32,
    },
}

/// Why the model stopped writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// It was done, or wants its tool calls answered.
    End,
    /// The person cancelled. Ends the round.
    Cancelled,
    /// The stream broke.
    Cut,
    /// The output limit was reached.
    Limit,
}

impl Stop {
    /// Whether the answer is not what the model would have said.
    pub fn is_interrupted(self) -> bool {
        self != Self::End
    }
}
