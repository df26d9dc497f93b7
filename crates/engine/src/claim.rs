//! Claims that were checked: facts, anchors, assertions and questions as board and blocks hold them.
//!
//! Only the gate makes these. What a model or a rule proposed is another type, because it proves nothing.

use serde::{Deserialize, Serialize};

use crate::trace::{EventNo, TurnNo};

/// A pointer that resolved, bound to the event that it was admitted against.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// As in [`crate::evidence::pointer`].
    pub pointer: String,
    pub event: EventNo,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    pub text: String,
    pub standing: Standing,
    pub evidence: Vec<Evidence>,
}

/// What a fact's evidence makes of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Files, commands, tests, user turns or gates say so.
    Confirmed,
    /// Only an assistant's turn says so: "the assistant concluded …", never a fact about files, commands or tests.
    Concluded,
}

/// Lines of a file, verbatim as they were observed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Anchor {
    pub path: String,
    pub first_line: u32,
    pub last_line: u32,
    pub snippet: String,
    /// The newest turn in which these lines were observed.
    pub as_of: TurnNo,
    /// Found at another place of the file than was claimed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub moved: bool,
}

/// A command and what came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assertion {
    pub command: String,
    pub result: String,
    pub evidence: Evidence,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    pub text: String,
    /// A claim that was refused and stands here instead.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unknown: bool,
}

/// What the work is for; only a user turn or a gate's decision may say so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Goal {
    pub text: String,
    pub evidence: Evidence,
}

/// Where tests and build stand.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkStatus {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tests: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub build: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub errors_left: Option<u32>,
}

/// One change of a list of the board. Ids (`f1`, `q1`, `a1`) are given by the board and never used again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change<T> {
    Add(T),
    Revise { id: String, to: T },
    Retract { id: String, evidence: Vec<Evidence> },
}

/// An admitted `STATE_DELTA`: only what changed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Delta {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_goal: Option<Goal>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal_shift_reason: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub confirmed_facts: Vec<Change<Fact>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub open_questions: Vec<Change<Question>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub anchors: Vec<Change<Anchor>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exec_assertions: Vec<Assertion>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<WorkStatus>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_actions: Option<Vec<String>>,
}

/// The admitted content of a block, `COMPRESSED_TURNS`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockContent {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<Goal>,
    pub what_we_learned: Vec<Fact>,
    pub anchors: Vec<Anchor>,
    pub exec_assertions: Vec<Assertion>,
    pub open_questions: Vec<Question>,
    pub next_actions: Vec<String>,
}
