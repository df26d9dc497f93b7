//! Events: one thing that happened, in the form in which it is kept for ever.
//!
//! The same form goes to the store and, one event a line, to files: `{"seq":3,"at":1763200000000,"event":{"todo":{…}}}`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use lookback_wire::{Provider, ToolSpec};

use super::{
    decision::{Archive, Fold, LayoutChange, Settle, StateDelta, ThinkingBehind, Unfold},
    ids::{BlobHash, CallNo, EventNo, SessionId, Timestamp, TurnNo},
    output::Output,
    result::{LineForm, ResultData, TodoItem, ToolKind, ToolResult},
    start::{Counted, SessionStarted},
    turn::{AssistantTurn, UserTurn},
};
use crate::{card::Alternation, claim::Anchor};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    pub seq: EventNo,
    pub at: Timestamp,
    pub event: EventBody,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventBody {
    SessionStarted(Box<SessionStarted>),
    /// The first event of a fork: what came before it belongs to the parent, too.
    Forked {
        session: SessionId,
        parent: SessionId,
        /// The turn whose state the fork starts from.
        turn: TurnNo,
    },
    /// View and board are as they were when `turn` was appended.
    RolledBack {
        turn: TurnNo,
    },

    UserTurn(Box<UserTurn>),
    AssistantTurn(Box<AssistantTurn>),

    CallStarted {
        call: CallNo,
        /// The count of the view that was sent.
        input_tokens: u32,
        /// What this call costs because nothing was folded, settled or archived before it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rents: Option<Box<Rents>>,
        /// The provider's cache had nothing of this session any more.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cold: Option<Cold>,
    },
    CallEnded {
        call: CallNo,
    },
    CallInterrupted {
        call: CallNo,
        reason: Interruption,
    },
    Usage(Usage),
    /// A model was asked for a block, a summary or a delta, in a call that leaves no turn.
    CompactorCalled(Box<CompactorCall>),

    /// A tool began to run. A call without this event never ran.
    ToolCall {
        /// The tool turn that will hold the result.
        turn: TurnNo,
        /// The call's place in its step.
        index: u32,
        kind: ToolKind,
        /// `cmd#N`, for runs.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cmd: Option<u32>,
    },
    ToolResult {
        turn: TurnNo,
        index: u32,
        result: Box<ToolResult>,
    },
    /// The open step was given up: what is still missing is recorded as interrupted.
    StepInterrupted {
        turn: TurnNo,
        reason: Interruption,
    },
    /// The step's last result is there: how each of its results enters the view.
    StepEnded {
        turn: TurnNo,
        /// In the order of the calls.
        shown: Box<[Shown]>,
    },

    SpanStarted {
        span: SpanId,
        goal: String,
        /// The first turn that can belong to it.
        turn: TurnNo,
    },
    SpanEnded {
        span: SpanId,
        outcome: String,
        /// The first turn after it.
        turn: TurnNo,
    },

    StateDelta(Box<StateDelta>),
    Fold(Box<Fold>),
    Unfold(Unfold),
    Settle(Box<Settle>),
    Archive(Box<Archive>),

    FileObserved(Box<FileObserved>),
    FileChanged(Box<FileChanged>),
    Todo {
        items: Vec<TodoItem>,
    },
    /// A machine-made line for the model, appended where it was first shown.
    NoteShown {
        kind: NoteKind,
        /// Which reminder this is: a note is shown again only when the one with its kind and key has changed.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        key: String,
        content: Counted,
    },
    /// A question for the lead or the user, and how it was decided.
    Gate(Box<Gate>),

    /// New project rules. They enter the view now, or wait for the next archive, cold cache or resume.
    RulesChanged {
        rules: Counted,
        effect: Effect,
        #[serde(default, skip_serializing_if = "ThinkingBehind::is_kept")]
        thinking: ThinkingBehind,
    },
    ModelChanged {
        model: String,
        provider: Provider,
        window: u32,
        output_reserve: u32,
        #[serde(default, skip_serializing_if = "Alternation::is_free")]
        alternation: Alternation,
        #[serde(default, skip_serializing_if = "ThinkingBehind::is_kept")]
        thinking: ThinkingBehind,
    },
    ConfigurationChanged {
        configuration: Value,
    },
    LayoutChanged(Box<LayoutChange>),
    /// The provider refuses the thinking of earlier steps: it leaves the view, and from now on goes with every edit.
    ThinkingRefused,
    /// L1 is no longer what the session began with.
    HeadChanged(Box<HeadChange>),
    Error {
        kind: String,
        message: String,
    },
}

/// In thousandths of an uncached input token, so that sums are the same on every machine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rents {
    pub fold: u64,
    pub settle: u64,
    pub archive: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cold {
    /// Since the call before.
    pub idle_ms: i64,
    /// How long entries live.
    pub lifetime_ms: i64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeadChange {
    pub system: Counted,
    pub tools: Vec<ToolSpec>,
    pub tools_tokens: u32,
}

/// Why a call to a model ended without an answer, or a step without all its results.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Interruption {
    /// The person stopped it. Ends the round.
    Cancelled,
    /// The provider or the connection failed.
    Failed(String),
    /// The program died; said when the session is resumed.
    Killed,
}

/// How a result enters the view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    /// The count of the text as it is shown.
    pub tokens: u32,
    /// None: whole. Else this much of both ends, with a pointer between them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<Cut>,
    /// `test#N`, where a recogniser found a test run in it. Given here, in the order of the calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<u32>,
}

/// How many bytes of a result's text stay at either end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cut {
    pub head: u32,
    pub tail: u32,
}

/// What a provider billed for a call. The four add up to all its tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    pub call: CallNo,
    pub uncached: u32,
    pub cached: u32,
    pub written: u32,
    pub output: u32,
}

/// A call to a compactor, with what it cost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompactorCall {
    pub purpose: CompactorPurpose,
    pub model: String,
    pub ride: Ride,
    /// None where the call failed or nothing was said about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<CompactorUsage>,
    /// What kept its answer from being used: a failure, or what was refused in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CompactorPurpose {
    Block,
    Summary,
}

/// How a compactor's call was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ride {
    /// Behind the live prompt.
    Live,
    /// As a prompt of its own.
    Alone,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompactorUsage {
    pub uncached: u32,
    pub cached: u32,
    pub written: u32,
    pub output: u32,
}

impl Usage {
    /// The whole prompt.
    pub fn input(&self) -> u64 {
        [self.uncached, self.cached, self.written].map(u64::from).iter().sum()
    }
}

/// `diagnose#3`: the name says what for, the number alone identifies.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SpanId {
    pub name: String,
    pub number: u32,
}

/// Lines of a file that a result showed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileObserved {
    pub path: String,
    pub first_line: u32,
    pub line_count: u32,
    /// The `tool result` whose text shows them.
    pub source: EventNo,
    /// How they stand in its text; None: they are the matches of a search that have this path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<LineForm>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mtime: Option<i64>,
    /// They are the whole file: it has no others.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub whole: bool,
    /// Of the lines, joined by line feeds.
    pub hash: BlobHash,
    /// Anchors that say something else: the file changed, and nobody saw when.
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub anchors: Box<[FollowedAnchor]>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileChanged {
    pub path: String,
    pub change: FileChange,
    /// What it did to the anchors on the board and in blocks.
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub anchors: Box<[FollowedAnchor]>,
}

/// An anchor after its file changed: at its new place, with its new text, or gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FollowedAnchor {
    pub id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub now: Option<Anchor>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileChange {
    /// The hunks are in the edit's result.
    Edited { source: EventNo },
    /// The whole file is in the write's result.
    Written { source: EventNo },
    /// Somebody else changed it, or a command did; nobody saw how.
    Outside { mtime: Option<i64> },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoteKind {
    Reminder,
    TodoRecap,
    Probe,
    RulesChanged,
    /// Tells the model that its last reply was interrupted.
    Interrupted,
    /// The one line that a detached exchange leaves in the view.
    Decision,
    /// Asks the model for a state delta with its next step.
    BoardRequest,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gate {
    /// `gate#N`.
    pub number: u32,
    pub question: String,
    pub options: Vec<String>,
    pub answers: Vec<GateAnswer>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateAnswer {
    pub from: String,
    pub answer: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    Now,
    Later,
}

impl EventBody {
    /// The name that the event has on disk, for tables and filters.
    pub fn name(&self) -> &'static str {
        match self {
            Self::SessionStarted(_) => "session_started",
            Self::Forked { .. } => "forked",
            Self::RolledBack { .. } => "rolled_back",
            Self::UserTurn(_) => "user_turn",
            Self::AssistantTurn(_) => "assistant_turn",
            Self::CallStarted { .. } => "call_started",
            Self::CallEnded { .. } => "call_ended",
            Self::CallInterrupted { .. } => "call_interrupted",
            Self::Usage(_) => "usage",
            Self::CompactorCalled(_) => "compactor_called",
            Self::ToolCall { .. } => "tool_call",
            Self::ToolResult { .. } => "tool_result",
            Self::StepInterrupted { .. } => "step_interrupted",
            Self::StepEnded { .. } => "step_ended",
            Self::SpanStarted { .. } => "span_started",
            Self::SpanEnded { .. } => "span_ended",
            Self::StateDelta(_) => "state_delta",
            Self::Fold(_) => "fold",
            Self::Unfold(_) => "unfold",
            Self::Settle(_) => "settle",
            Self::Archive(_) => "archive",
            Self::FileObserved(_) => "file_observed",
            Self::FileChanged(_) => "file_changed",
            Self::Todo { .. } => "todo",
            Self::NoteShown { .. } => "note_shown",
            Self::Gate(_) => "gate",
            Self::RulesChanged { .. } => "rules_changed",
            Self::ModelChanged { .. } => "model_changed",
            Self::ConfigurationChanged { .. } => "configuration_changed",
            Self::LayoutChanged(_) => "layout_changed",
            Self::ThinkingRefused => "thinking_refused",
            Self::HeadChanged(_) => "head_changed",
            Self::Error { .. } => "error",
        }
    }

    /// The outputs inside this event, for a store to take out what is large.
    pub fn outputs_mut(&mut self) -> Vec<&mut Output> {
        let Self::ToolResult { result, .. } = self else { return Vec::new() };
        let ToolResult { text, data, .. } = &mut **result;
        match data {
            ResultData::Write(write) => vec![text, &mut write.content],
            _ => vec![text],
        }
    }

    /// The same, to look at.
    pub fn outputs(&self) -> Vec<&Output> {
        let Self::ToolResult { result, .. } = self else { return Vec::new() };
        match &result.data {
            ResultData::Write(write) => vec![&result.text, &write.content],
            _ => vec![&result.text],
        }
    }
}
