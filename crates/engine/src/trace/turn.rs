//! Turns as they were said: by a person, by a machine in the user's place, by the model.
//!
//! Tool turns have no type here: their results arrive one by one as events of their own ([`super::result`]), and
//! `step ended` closes them.

use lookback_wire::{Provider, Seal};
use serde::{Deserialize, Serialize};

use super::ids::{CallNo, TurnNo};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserTurn {
    pub turn: TurnNo,
    pub text: String,
    pub tokens: u32,
    pub origin: Origin,
    /// `user#N`, for turns that a person typed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<u32>,
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

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AssistantTurn {
    pub turn: TurnNo,
    pub call: CallNo,
    pub parts: Box<[AssistantPart]>,
    pub stop: Stop,
    /// The parts whose provider said more than we understand, in its own bytes.
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub native: Box<[NativePart]>,
}

/// A part as its provider wrote it. It goes back so to the API that it came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NativePart {
    /// Its place among the parts.
    pub part: u32,
    pub provider: Provider,
    pub raw: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AssistantPart {
    Text {
        text: String,
        tokens: u32,
    },
    Thinking {
        text: String,
        seal: Seal,
        tokens: u32,
    },
    Call {
        id: String,
        name: String,
        /// As the model wrote them.
        arguments: String,
        tokens: u32,
        /// Cut off before its end: kept here, never shown again, never run.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        unfinished: bool,
    },
    /// Of a kind that we do not know: all of it is in `native`.
    Unknown {
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
    pub fn is_interrupted(self) -> bool {
        self != Self::End
    }
}
