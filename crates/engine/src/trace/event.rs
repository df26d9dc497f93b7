//! Events: one thing that happened, in the form in which it is kept for ever.
//!
//! The same form goes to the store and, one event a line, to files: `{"seq":3,"at":1763200000000,"event":{"todo":{…}}}`.
//! A long session has very many of them, so an event is small: what is large or rare lies behind a pointer.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use lookback_wire::{Provider, ToolSpec};

pub use super::{
    asked::{
        DecidedBy, GateAnswer, GateAsked, GateDecided, GateOutcome, Permission, PermissionAsked, PermissionDecided,
    },
    beside::{ChildStarted, JobEnded, JobStarted, Pinned, RestoredFile, SnapshotTaken, SnapshotUndone, TextRefused},
    call::{
        Branch, CallDetails, CallKind, CallOver, ClientCompacted, Cold, CompactionKind, CompactorAsked,
        CompactorPurpose, Interruption, Question, Rents, Ride, Usage,
    },
    file::{FileChange, FileChanged, FileObserved, FollowedAnchor},
};
use super::{
    decision::{Archive, Fold, LayoutChange, Settle, StateDelta, Stub, ThinkingBehind, Unfold},
    ids::{CallNo, EventNo, SessionId, Timestamp, TurnNo},
    output::Output,
    result::{ResultData, TodoItem, ToolKind, ToolResult},
    start::{Counted, SessionStarted},
    turn::{AssistantTurn, UserTurn},
};
use crate::trace::start::{Alternation, Pictures, PlainThinking};

/// One record of a trace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Its place in the trace.
    pub seq: EventNo,
    /// When it was recorded.
    pub at: Timestamp,
    /// What happened.
    pub event: EventBody,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventBody {
    /// Always the first.
    SessionStarted(Box<SessionStarted>),
    /// The first event of a fork: what came before it belongs to the parent, too.
    Forked {
        /// The fork.
        session: Box<SessionId>,
        /// Where it comes from.
        parent: Box<SessionId>,
        /// The turn whose state the fork starts from.
        turn: TurnNo,
    },
    /// View and board are as they were when `turn` was appended.
    RolledBack {
        /// Where the conversation goes on from.
        turn: TurnNo,
        /// What the board calls its next entries. Said always: a trace of schema 1 means the other one.
        board_ids: BoardIds,
        /// The files that were put back with it.
        #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
        files: Box<[RestoredFile]>,
    },
    /// A session of its own began for a call of this one.
    ChildStarted(Box<ChildStarted>),

    /// Something was said in the user's place.
    UserTurn(Box<UserTurn>),
    /// The model answered.
    AssistantTurn(Box<AssistantTurn>),

    /// A prompt goes to a model.
    CallStarted {
        /// Its number. 0: a compactor's, in a trace that numbered only calls of the conversation.
        call: CallNo,
        /// The count of what was sent.
        input_tokens: u32,
        /// What this call costs because nothing was folded, settled or archived before it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rents: Option<Box<Rents>>,
        /// The provider's cache had nothing of this session any more.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cold: Option<Box<Cold>>,
        /// None: a call of the conversation, and nothing more to say about it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        details: Option<Box<CallDetails>>,
    },
    /// The answer is whole.
    CallEnded {
        /// Which call.
        call: CallNo,
    },
    /// There is no whole answer.
    CallInterrupted {
        /// Which call.
        call: CallNo,
        /// Why.
        reason: Interruption,
    },
    /// What a call was billed as.
    Usage(Usage),
    /// The client that this was recorded from made its own prompt shorter.
    ClientCompacted(Box<ClientCompacted>),
    /// A model's text for a block or a summary was refused, or did not come.
    TextRefused(Box<TextRefused>),

    /// A tool began to run. A call without this event never ran.
    ToolCall {
        /// The tool turn that will hold the result.
        turn: TurnNo,
        /// The call's place in its step.
        index: u32,
        /// What it does.
        kind: ToolKind,
        /// `cmd#N`, for runs.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cmd: Option<u32>,
    },
    /// A tool ended.
    ToolResult {
        /// The tool turn that holds the result.
        turn: TurnNo,
        /// The call's place in its step.
        index: u32,
        /// Complete.
        result: Box<ToolResult>,
    },
    /// The open step was given up: what is still missing is recorded as interrupted.
    StepInterrupted {
        /// Its tool turn.
        turn: TurnNo,
        /// Why.
        reason: Interruption,
    },
    /// The step's last result is there: how each of its results enters the view.
    StepEnded {
        /// Its tool turn.
        turn: TurnNo,
        /// In the order of the calls.
        shown: Box<[Shown]>,
    },

    /// A named stretch of turns begins.
    SpanStarted {
        /// Its name and number.
        span: Box<SpanId>,
        /// What for.
        goal: Box<str>,
        /// The first turn that can belong to it.
        turn: TurnNo,
    },
    /// A named stretch of turns is over.
    SpanEnded {
        /// Its name and number.
        span: Box<SpanId>,
        /// What came of it.
        outcome: Box<str>,
        /// The first turn after it.
        turn: TurnNo,
        /// The span around it that ended and took it along: then nobody said what came of this one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        with: Option<Box<SpanId>>,
    },

    /// The board changed.
    StateDelta(Box<StateDelta>),
    /// A block took the place of turns.
    Fold(Box<Fold>),
    /// A block's turns came back.
    Unfold(Unfold),
    /// Results took their short forms.
    Settle(Box<Settle>),
    /// Old blocks became stubs.
    Stub(Box<Stub>),
    /// A summary took the place of rounds.
    Archive(Box<Archive>),
    /// What stands there goes through every fold word for word.
    Pinned(Box<Pinned>),
    /// It does so no more, from the next fold on.
    Unpinned {
        /// As it was pinned.
        pointer: Box<str>,
    },

    /// A result showed lines of a file.
    FileObserved(Box<FileObserved>),
    /// A file is no longer what it was.
    FileChanged(Box<FileChanged>),
    /// The files as they were before a step were put aside.
    SnapshotTaken(Box<SnapshotTaken>),
    /// They were put back.
    SnapshotUndone(Box<SnapshotUndone>),
    /// A command goes on in the background.
    JobStarted(Box<JobStarted>),
    /// It is over.
    JobEnded(Box<JobEnded>),
    /// The todo list is another one.
    Todo {
        /// All of it.
        items: Vec<TodoItem>,
    },
    /// A machine-made line for the model, appended where it was first shown.
    NoteShown {
        /// What kind of line.
        kind: NoteKind,
        /// Which reminder this is: a note is shown again only when the one with its kind and key has changed.
        #[serde(default, skip_serializing_if = "str::is_empty")]
        key: Box<str>,
        /// The line.
        content: Box<Counted>,
    },
    /// A question for the lead or the user.
    GateAsked(Box<GateAsked>),
    /// How it was decided.
    GateDecided(Box<GateDecided>),
    /// A tool call waits for leave to run.
    PermissionAsked(Box<PermissionAsked>),
    /// Whether it may.
    PermissionDecided(Box<PermissionDecided>),

    /// New project rules. They enter the view now, or wait for the next archive, cold cache or resume.
    RulesChanged {
        /// All of them.
        rules: Box<Counted>,
        /// From when on.
        effect: Effect,
        /// What becomes of the thinking behind them.
        #[serde(default, skip_serializing_if = "crate::trace::is_default")]
        thinking: ThinkingBehind,
    },
    /// Another model answers from now on, or the same with another window.
    ModelChanged {
        /// As its provider calls it.
        model: Box<str>,
        /// Through which API.
        provider: Provider,
        /// How many tokens it takes.
        window: u32,
        /// How many of them are kept for its answer.
        output_reserve: u32,
        /// Whether it refuses two user messages in a row.
        #[serde(default, skip_serializing_if = "crate::trace::is_default")]
        alternation: Alternation,
        /// Whether it gets its plain thinking back.
        #[serde(default, skip_serializing_if = "crate::trace::is_default")]
        plain_thinking: PlainThinking,
        /// Whether it is sent pictures.
        #[serde(default, skip_serializing_if = "crate::trace::is_default")]
        pictures: Pictures,
        /// What becomes of the thinking of the model before.
        #[serde(default, skip_serializing_if = "crate::trace::is_default")]
        thinking: ThinkingBehind,
    },
    /// Decisions are made by these settings from now on. Before the first of these, by the defaults.
    ConfigurationChanged {
        /// Those that are not the defaults.
        configuration: Box<Value>,
    },
    /// The view has another layout.
    LayoutChanged(Box<LayoutChange>),
    /// The provider refuses the thinking of earlier steps: it leaves the view, and from now on goes with every edit.
    ThinkingRefused,
    /// L1 is no longer what the session began with.
    HeadChanged(Box<HeadChange>),
    /// Something went wrong.
    Error {
        /// For programs.
        kind: Box<str>,
        /// For people.
        message: Box<str>,
    },
}

/// What the board calls its entries after a rollback.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BoardIds {
    /// By ids that no entry ever had, rolled back or not.
    GoOn,
    /// By those of rolled-back entries again, as schema 1 did: its deltas name them so.
    Again,
}

/// A new L1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeadChange {
    /// The system prompt.
    pub system: Counted,
    /// The tools, in their order.
    pub tools: Vec<ToolSpec>,
    /// The count of their declaration.
    pub tools_tokens: u32,
}

/// How a result enters the view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    /// The count of the text as it is shown.
    pub tokens: u32,
    /// None: whole. Else this much of both ends, with a pointer between them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<Cut>,
    /// Of a result with pictures: what they count, within `tokens`; 0 where there was no room for them. None: only named,
    /// for a model that does not see.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pictures: Option<u32>,
    /// `test#N`, where a recogniser found a test run in it. Given here, in the order of the calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<u32>,
}

/// How many bytes of a result's text stay at either end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cut {
    /// From its beginning.
    pub head: u32,
    /// Up to its end.
    pub tail: u32,
}

/// `diagnose#3`: the name says what for, the number alone identifies.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SpanId {
    /// What for.
    pub name: String,
    /// Counted from 1 in each session.
    pub number: u32,
}

/// What a machine-made line is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoteKind {
    /// Something to keep in mind.
    Reminder,
    /// The todo list as it is.
    TodoRecap,
    /// Asks for the todo list to be brought up to date.
    Probe,
    /// Announces rules that take effect later.
    RulesChanged,
    /// Tells the model that its last reply was interrupted.
    Interrupted,
    /// The one line that a detached exchange leaves in the view.
    Decision,
    /// Asks the model for a state delta with its next step.
    BoardRequest,
}

/// From when on new rules hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// At once.
    Now,
    /// At the next archive, cold cache or resume.
    Later,
}

/// Where an event holds outputs, to look at or to change.
macro_rules! outputs {
    ($event:expr, $inside:ident, $iter:ident $(, $mut:tt)?) => {
        match $event {
            Self::ToolResult { result, .. } => {
                let ToolResult { text, data, as_came, .. } = &$($mut)? **result;
                let content = if let ResultData::Write(write) = data { Some(&$($mut)? write.content) } else { None };
                let parts = as_came.$iter().flat_map(|as_came| as_came.$inside());
                std::iter::once(text).chain(content).chain(parts).collect()
            }
            Self::UserTurn(turn) => turn.as_came.$iter().flat_map(|as_came| as_came.$inside()).collect(),
            Self::AssistantTurn(turn) => turn.raw.$iter().map(|raw| &$($mut)? **raw).collect(),
            Self::TextRefused(refused) => refused.text.$iter().collect(),
            Self::JobEnded(job) => vec![&$($mut)? job.output],
            _ => Vec::new(),
        }
    };
}

impl EventBody {
    /// The name that the event has on disk, for tables and filters.
    pub fn name(&self) -> &'static str {
        match self {
            Self::SessionStarted(_) => "session_started",
            Self::Forked { .. } => "forked",
            Self::RolledBack { .. } => "rolled_back",
            Self::ChildStarted(_) => "child_started",
            Self::UserTurn(_) => "user_turn",
            Self::AssistantTurn(_) => "assistant_turn",
            Self::CallStarted { .. } => "call_started",
            Self::CallEnded { .. } => "call_ended",
            Self::CallInterrupted { .. } => "call_interrupted",
            Self::Usage(_) => "usage",
            Self::ClientCompacted(_) => "client_compacted",
            Self::TextRefused(_) => "text_refused",
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
            Self::Stub(_) => "stub",
            Self::Archive(_) => "archive",
            Self::Pinned(_) => "pinned",
            Self::Unpinned { .. } => "unpinned",
            Self::FileObserved(_) => "file_observed",
            Self::FileChanged(_) => "file_changed",
            Self::SnapshotTaken(_) => "snapshot_taken",
            Self::SnapshotUndone(_) => "snapshot_undone",
            Self::JobStarted(_) => "job_started",
            Self::JobEnded(_) => "job_ended",
            Self::Todo { .. } => "todo",
            Self::NoteShown { .. } => "note_shown",
            Self::GateAsked(_) => "gate_asked",
            Self::GateDecided(_) => "gate_decided",
            Self::PermissionAsked(_) => "permission_asked",
            Self::PermissionDecided(_) => "permission_decided",
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
        outputs!(self, outputs_mut, iter_mut, mut)
    }

    /// The same, to look at.
    pub fn outputs(&self) -> Vec<&Output> {
        outputs!(self, outputs, iter)
    }

    /// What a call was for; none for an event that starts no call.
    pub fn call_kind(&self) -> Option<&CallKind> {
        match self {
            Self::CallStarted { details, .. } => {
                Some(details.as_ref().map_or(&CallKind::Main, |details| &details.kind))
            }
            _ => None,
        }
    }

    /// The gate that this event decides, by its number, and for what.
    pub(crate) fn decided_gate(&self) -> Option<(u32, &str)> {
        let (number, outcome) = self.gate_outcome()?;
        Some((number, outcome.decision.as_deref()?))
    }

    /// What this event says of a gate, by its number.
    pub(crate) fn gate_outcome(&self) -> Option<(u32, &GateOutcome)> {
        match self {
            Self::GateAsked(gate) => Some((gate.number, gate.outcome.as_deref()?)),
            Self::GateDecided(gate) => Some((gate.number, &gate.outcome)),
            _ => None,
        }
    }
}
