//! Scripts: what a model says, step by step, in a file that a person can read and write.
//!
//! A script plays the same for whoever asks: `--model script:FILE` inside a session, `lookback upstream` over HTTP. It is
//! always played from a request's body alone: the conversation itself says which step comes next, so a run that was
//! stopped anywhere and resumed goes on at the right one. How a reply travels (streams, status lines, errors) is not
//! known here. The format, with examples: `docs/upstream.md`.

mod conversation;
mod fault;
mod model;
mod parse;
mod piece;
mod player;
mod position;
mod record;
mod render;

use std::{fmt, time::Duration};

use lookback_wire::TokenUsage;
use serde::Deserialize;

pub use conversation::{Conversation, is_react_prompt};
pub use fault::{Fault, UnknownFault};
pub use model::{Billing, ScriptModel};
pub use parse::ScriptError;
pub use piece::{cut_reply, pieces};
pub use player::{Place, PlayError, Played, Player};
use position::position_of_call;
pub use position::without_marker;
pub use record::{NOT_RECORDED, Recorder};
pub use render::comment;

/// One file. Steps are counted as they are played: a step with `repeat = 3` is three.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Script {
    /// Whose card decides what is refused, cached and billed; none: the model that the request names.
    pub model: Option<String>,
    /// The conversation, in order.
    #[serde(rename = "step")]
    pub steps: Vec<Step>,
    /// Answers to calls that compact, each kind in a section of its own.
    pub compaction: Vec<Step>,
    /// For summaries of old rounds.
    pub archive: Vec<Step>,
    /// For updates of the board.
    pub state: Vec<Step>,
}

/// One reply.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Step {
    /// Only in the sections: the reply belongs to the call that is made when this step of the conversation is the newest.
    pub after: Option<u32>,
    /// Empty means none, here and in `text`.
    pub thinking: String,
    /// What it says.
    pub text: String,
    /// What it wants to have run.
    pub calls: Vec<ScriptedCall>,
    /// How the reply ends.
    pub stop: StepStop,
    /// How long nothing comes at first.
    #[serde(rename = "first_byte_ms", deserialize_with = "parse::milliseconds")]
    pub first_byte: Duration,
    /// How long each further piece takes.
    #[serde(rename = "piece_ms", deserialize_with = "parse::milliseconds")]
    pub piece: Duration,
    /// How often it is played, one after the other.
    #[serde(deserialize_with = "parse::repeat")]
    pub repeat: u32,
    /// None: counted by the card's rule.
    #[serde(deserialize_with = "parse::usage")]
    pub usage: Option<TokenUsage>,
    /// What the first tries of this step meet, one each.
    pub faults: Vec<Fault>,
}

/// A tool call that a step makes.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptedCall {
    /// The tool's.
    pub name: String,
    /// As the model writes them, byte for byte.
    #[serde(default = "parse::no_arguments", deserialize_with = "parse::arguments")]
    pub arguments: String,
    /// Whether it comes to its end.
    #[serde(rename = "unfinished", default, deserialize_with = "parse::end")]
    pub end: CallEnd,
}

/// How a call ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CallEnd {
    /// It can be run.
    #[default]
    Whole,
    /// The reply stops in the middle of its arguments.
    Unfinished,
}

/// Why a reply ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum StepStop {
    /// It is done, or wants its calls answered.
    #[default]
    End,
    /// The output limit.
    Limit,
    /// The model would not answer; the text says why.
    Refused,
    /// The window filled up.
    WindowFull,
    /// The stream ends without saying why.
    Cut,
}

/// What a call that compacts is called for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Section {
    /// A block in the place of turns.
    Compaction,
    /// A summary of old rounds.
    Archive,
    /// An update of the board.
    State,
}

impl Default for Step {
    fn default() -> Self {
        Self {
            after: None,
            thinking: String::new(),
            text: String::new(),
            calls: Vec::new(),
            stop: StepStop::End,
            first_byte: Duration::ZERO,
            piece: Duration::ZERO,
            repeat: 1,
            usage: None,
            faults: Vec::new(),
        }
    }
}

impl Step {
    /// Calls that stay in the conversation, and with them their ids.
    fn has_whole_call(&self) -> bool {
        self.calls.iter().any(|call| call.end == CallEnd::Whole)
    }
}

impl Script {
    /// How many steps are played in all.
    pub fn step_count(&self) -> u32 {
        self.steps.iter().map(|step| step.repeat).sum()
    }

    /// The step that is played as number `number`, from 1.
    pub fn step(&self, number: u32) -> Option<&Step> {
        let mut before = 0;
        self.steps.iter().find(|step| {
            before += step.repeat;
            (before - step.repeat + 1..=before).contains(&number)
        })
    }

    /// The replies of a section.
    pub fn section(&self, section: Section) -> &[Step] {
        match section {
            Section::Compaction => &self.compaction,
            Section::Archive => &self.archive,
            Section::State => &self.state,
        }
    }
}

impl Section {
    /// In the order of the file.
    pub const ALL: [Section; 3] = [Self::Compaction, Self::Archive, Self::State];

    /// What the section is called in the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Compaction => "compaction",
            Self::Archive => "archive",
            Self::State => "state",
        }
    }

    /// What the first line of the prompt says, in every language (`prompts/`).
    fn instruction(self) -> &'static str {
        match self {
            Self::Compaction => "TAIL_COMPACTION",
            Self::Archive => "ARCHIVE_SUMMARY",
            Self::State => "STATE_UPDATE",
        }
    }
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[[{}]]", self.name())
    }
}

impl StepStop {
    const ALL: [StepStop; 5] = [Self::End, Self::Limit, Self::Refused, Self::WindowFull, Self::Cut];

    fn name(self) -> &'static str {
        match self {
            Self::End => "end",
            Self::Limit => "limit",
            Self::Refused => "refused",
            Self::WindowFull => "window_full",
            Self::Cut => "cut",
        }
    }
}

#[cfg(test)]
mod tests;
