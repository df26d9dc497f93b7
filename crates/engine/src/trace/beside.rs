//! What goes on beside the conversation: child sessions, snapshots of files, jobs in the background, pins, refused texts.

use serde::{Deserialize, Serialize};

use super::{
    call::CompactorPurpose,
    decision::TurnRange,
    ids::{BlobHash, CallNo, SessionId, TurnNo},
    output::Output,
};

/// Another session began for a call of this one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChildStarted {
    /// `sub#N`.
    pub number: u32,
    /// Which session.
    pub session: SessionId,
    /// The tool turn of the call that it answers.
    pub turn: TurnNo,
    /// The call's place in its step.
    pub index: u32,
}

/// A file as it is after somebody put it back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RestoredFile {
    /// Relative to the root.
    pub path: String,
    /// Of its content now; none: it is gone, because it was not there before either.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<BlobHash>,
}

/// The files as they were before a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotTaken {
    /// Counted from 1 in each session.
    pub number: u32,
    /// The tool turn whose calls may change them.
    pub turn: TurnNo,
    /// By what name the shadow store knows it.
    pub id: String,
    /// What it does not cover: too large, ignored, unreadable.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

/// The files are again as a snapshot has them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotUndone {
    /// Which snapshot.
    pub number: u32,
    /// What was put back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<RestoredFile>,
    /// What was left as it is, because somebody else has changed it since.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<String>,
}

/// A command goes on in the background.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobStarted {
    /// Counted from 1 in each session.
    pub number: u32,
    /// The tool turn of the call that started it.
    pub turn: TurnNo,
    /// The call's place in its step.
    pub index: u32,
    /// As it was given.
    pub command: String,
}

/// A command in the background is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobEnded {
    /// Which job.
    pub number: u32,
    /// None: it was killed, or nobody knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// All that it printed.
    pub output: Output,
}

/// What stands at a pointer is kept word for word through every fold from now on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pinned {
    /// Where it stands.
    pub pointer: String,
    /// The count of its text.
    pub tokens: u32,
}

/// A text that a model was to write was not taken. Too many in a row, and it is not asked any more.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextRefused {
    /// What it was to be. None: a trace of schema 1 does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purpose: Option<CompactorPurpose>,
    /// The turns that it was to stand for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<TurnRange>,
    /// The call that it came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallNo>,
    /// The text; none where none came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<Output>,
    /// Why it was refused, or did not come.
    pub reason: String,
}
