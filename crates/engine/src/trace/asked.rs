//! What was asked of a person or a lead, and decided later: gates and permissions.

use serde::{Deserialize, Serialize};

use super::ids::TurnNo;

/// A question for the lead or the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateAsked {
    /// `gate#N`.
    pub number: u32,
    /// What is to be decided.
    pub question: String,
    /// What can be chosen.
    pub options: Vec<String>,
    /// What whoever asked would choose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recommendation: Option<String>,
    /// Where question and decision were recorded as one: traces of schema 1 know no other way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Box<GateOutcome>>,
}

/// What came of a gate, by its number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateDecided {
    /// `gate#N`, as it was asked.
    pub number: u32,
    /// How it was decided.
    #[serde(flatten)]
    pub outcome: GateOutcome,
}

/// The answers to a gate and the decision, where there is one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateOutcome {
    /// What each of those asked said.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<GateAnswer>,
    /// None: nobody could tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<String>,
    /// Whose decision it is.
    #[serde(default, skip_serializing_if = "crate::trace::is_default")]
    pub by: DecidedBy,
}

/// An answer to a gate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateAnswer {
    /// Who said it.
    pub from: String,
    /// In whose words.
    pub answer: String,
}

/// Who decided.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecidedBy {
    /// Nobody noted it.
    #[default]
    Unsaid,
    /// A person.
    Person,
    /// The lead, in the person's place.
    Lead,
    /// A rule or a decision that was remembered, by its name.
    Rule(String),
}

/// A tool call waits for leave to run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PermissionAsked {
    /// Counted from 1 in each session.
    pub number: u32,
    /// The tool turn of the call.
    pub turn: TurnNo,
    /// The call's place in its step.
    pub index: u32,
    /// What it would do: the command, or the path that it would write.
    pub what: String,
    /// Why it may not just run.
    pub reason: String,
}

/// Whether it may, by the number of the question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PermissionDecided {
    /// As it was asked.
    pub number: u32,
    /// The answer.
    pub decision: Permission,
    /// Whose answer it is.
    #[serde(default, skip_serializing_if = "crate::trace::is_default")]
    pub by: DecidedBy,
}

/// Leave to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Permission {
    /// This once.
    Once,
    /// This and whatever matches it, from now on.
    Always,
    /// Not.
    Denied,
}
