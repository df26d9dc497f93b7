//! Claims that were checked: facts, anchors, assertions and questions as board and blocks hold them.
//!
//! Only admission makes these. What a model or a rule proposed is another type, because it proves nothing.

use serde::{Deserialize, Serialize};

use crate::trace::{EventNo, TurnNo};

/// A pointer that resolved, bound to the event that it was admitted against.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// As in [`crate::evidence::pointer`].
    pub pointer: String,
    /// What it stood for when it was admitted.
    pub event: EventNo,
}

/// Something that holds: what kind of thing, where it is seen, and the sentence that says it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    /// What it is about.
    #[serde(default, skip_serializing_if = "crate::trace::is_default")]
    pub kind: ClaimKind,
    /// The sentence.
    pub text: String,
    /// What its evidence makes of it.
    pub standing: Standing,
    /// Where it is seen.
    pub evidence: Vec<Evidence>,
}

/// What a fact is about. For every kind but the first a compactor names kind and pointers, and the engine reads the trace
/// and writes the sentence.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClaimKind {
    /// Worded by whoever claimed it, and checked against its pointers.
    #[default]
    Worded,
    /// How a run ended: command, exit code, counts.
    Verdict,
    /// A test passes that failed before, or the other way.
    TestChanged,
    /// An error with its place.
    Error,
    /// A file is new.
    FileCreated,
    /// A file is another one.
    FileChanged,
    /// A file has another name.
    FileRenamed,
    /// A file is gone.
    FileDeleted,
    /// A symbol at its lines.
    Symbol,
    /// What a line says.
    LineText,
    /// What a search found.
    SearchHit,
    /// A commit.
    Commit,
    /// What was decided at a gate.
    GateDecision,
    /// What a person said, in whole sentences.
    Quoted,
}

/// Words as somebody said them, with where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quote {
    /// Word for word, as far as they are shown.
    pub text: String,
    /// Where they stand.
    pub evidence: Evidence,
}

/// What a summariser wrote in its own words: checked by nobody, and no wish of the user's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SummariserNote {
    /// Its words.
    pub text: String,
    /// What it names for them.
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
#[allow(missing_docs, reason = "its line says it")]
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
#[allow(missing_docs, reason = "its line says it")]
pub struct Assertion {
    pub command: String,
    pub result: String,
    pub evidence: Evidence,
}

/// Something that is open.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// As it was asked.
    pub text: String,
    /// A claim that was refused and stands here instead.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unknown: bool,
    /// Where it is seen to be open, where the engine found it itself: then it also goes by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
}

/// What the work is for; only a user turn or a gate's decision may say so. Since there are `task` and `now`, only older
/// events hold one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "its line says it")]
pub struct Goal {
    pub text: String,
    pub evidence: Evidence,
}

/// Where tests and build stand.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "its line says it")]
pub struct WorkStatus {
    #[serde(default, skip_serializing_if = "RunStatus::is_empty")]
    pub tests: RunStatus,
    #[serde(default, skip_serializing_if = "RunStatus::is_empty")]
    pub build: RunStatus,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub errors_left: Option<u32>,
}

/// How the newest run of its kind ended. Empty: none is known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "StoredStatus")]
pub struct RunStatus {
    /// How it ended.
    pub verdict: RunVerdict,
    /// The sentence.
    pub text: String,
    /// The run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
}

/// What a run says of what it ran.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunVerdict {
    /// It is in order.
    Passed,
    /// It is not.
    Failed,
    /// Behind a pipe an exit code says nothing, and neither does the output.
    #[default]
    Unknown,
}

impl RunVerdict {
    /// As a sentence about a run says it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Unknown => "its verdict is not shown",
        }
    }
}

/// Traces of before hold the sentence alone.
#[derive(Deserialize)]
#[serde(untagged)]
enum StoredStatus {
    Sentence(String),
    Typed {
        verdict: RunVerdict,
        text: String,
        #[serde(default)]
        evidence: Option<Evidence>,
    },
}

impl From<StoredStatus> for RunStatus {
    fn from(stored: StoredStatus) -> Self {
        match stored {
            StoredStatus::Sentence(text) => Self { text, ..Self::default() },
            StoredStatus::Typed { verdict, text, evidence } => Self { verdict, text, evidence },
        }
    }
}

impl RunStatus {
    /// Whether none is known.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }
}

/// One change of a list of the board. Ids (`f1`, `q1`, `a1`) are given by the board and never used again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "each says what is done to an item")]
pub enum Change<T> {
    Add(T),
    Revise { id: String, to: T },
    Retract { id: String, evidence: Vec<Evidence> },
}

/// An admitted `STATE_DELTA`: only what changed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[allow(missing_docs, reason = "named as in the text")]
pub struct Delta {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_goal: Option<Goal>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal_shift_reason: Option<String>,
    /// The turn or the gate that shifted it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal_shift: Option<Evidence>,
    /// The request or plan that the present work began with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<Quote>,
    /// What the newest round asks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<Quote>,
    /// What the assistant said: not known, only said.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub said: Vec<Change<Quote>>,
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
#[allow(missing_docs, reason = "named as in the text")]
pub struct BlockContent {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<Goal>,
    pub what_we_learned: Vec<Fact>,
    pub anchors: Vec<Anchor>,
    pub exec_assertions: Vec<Assertion>,
    pub open_questions: Vec<Question>,
    pub next_actions: Vec<String>,
    /// The request or plan that the work of these turns began with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<Quote>,
    /// What the newest round of them asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub now: Option<Quote>,
    /// What the assistant said.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub said: Vec<Quote>,
    /// What the summariser wrote in its own words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<SummariserNote>,
    /// What is pinned, word for word.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pinned: Vec<Quote>,
}
