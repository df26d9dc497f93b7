//! Tool results, typed by what the tool did and not by what it was called.
//!
//! Our own tools and the importers of other agents' sessions both produce these; view, settle and evidence work on them
//! alone and never look at a tool's name. Lines are counted from 1.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::output::Output;
use crate::shell::{Reading, Script};

/// What kind of thing a tool did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolKind {
    Read,
    Search,
    List,
    Edit,
    Write,
    Run,
    Todo,
    Other,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolResult {
    pub status: Status,
    /// What the model is shown while the result is live.
    pub text: Output,
    pub data: ResultData,
    /// With status `error`, and only then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Box<ToolError>>,
    /// Times and sizes. Trace only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stats: Option<Box<Value>>,
    /// Working directory, given parameters, resolved path. Trace only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Box<Value>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Success,
    /// The tool itself gave less than there was, and says how to get the rest.
    Partial,
    /// The tool itself failed. A command that ran and ended with another code than 0 is no error of the tool.
    Error,
    /// Never ran, or was killed: nobody knows its result.
    Interrupted,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolError {
    /// NOT_FOUND, CONFLICT, TIMEOUT…: design 4-agent lists them.
    pub code: String,
    pub message: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResultData {
    Read(ReadData),
    Search(SearchData),
    List(ListData),
    Edit(EditData),
    Write(WriteData),
    Run(RunData),
    Todo(TodoData),
    Other(Value),
}

/// A stretch of a file. The lines stand in the result's text in the given form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadData {
    pub path: String,
    pub first_line: u32,
    pub line_count: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_lines: Option<u32>,
    pub form: LineForm,
    /// Modification time in milliseconds, where the tool knows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mtime: Option<i64>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

/// How lines of a file stand in a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LineForm {
    /// As they are, one after another, in the bytes `start..end` of the text.
    Plain { start: u64, end: u64 },
    /// Each behind its number and the separator: `    12→text`, `12\ttext`, `12: text`. Lines without a number
    /// are not lines of the file.
    Numbered { separator: String },
    /// Search output: `path:12:text` for matches and `path-12-text` for context.
    PathNumbered { path: String },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchData {
    pub pattern: String,
    /// How many there were, shown or not.
    pub match_count: u32,
    pub matches: Vec<SearchMatch>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchMatch {
    pub path: String,
    pub line: u32,
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListData {
    /// The directory, or the glob pattern.
    pub subject: String,
    pub entry_count: u32,
    pub entries: Vec<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EditData {
    pub path: String,
    /// From the top of the file to its end; `first_line` counts lines after all hunks above were applied.
    pub hunks: Vec<Hunk>,
}

/// One place that an edit changed: at `first_line`, the removed lines went and the added ones came. A tool that does not
/// know the line says 0 and may give lines around the change on both sides: recording looks for the place among the lines
/// that are known of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hunk {
    pub first_line: u32,
    pub removed: Vec<String>,
    pub added: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WriteData {
    pub path: String,
    pub created: bool,
    /// The whole file as it was written.
    pub content: Output,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunData {
    pub command: String,
    /// Relative to the root; empty for the root itself.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub cwd: String,
    /// None: killed, timed out, or unknown to whoever recorded it.
    pub exit_code: Option<i32>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub timed_out: bool,
    /// The last lines of standard error, where it was captured apart.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stderr_tail: String,
    /// What a recogniser made of the output when it was recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<Box<TestReport>>,
    /// What the command is for, as it was read when it was recorded. Traces of before have none: ask [`Self::reading`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading: Option<Reading>,
}

impl RunData {
    /// What the command is for.
    pub fn reading(&self) -> Reading {
        self.reading.unwrap_or_else(|| Reading::of(&Script::parse(&self.command)))
    }
}

/// A test run, as one of the recognisers in `evidence` read it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestReport {
    /// Which recogniser: pytest, unittest, cargo, go, jest, vitest, maven, gradle; several joined by `+`.
    pub framework: String,
    pub passed: u32,
    pub failed: u32,
    pub skipped: u32,
    /// Names of the failed ones, as far as they were printed.
    pub failures: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TodoData {
    pub items: Vec<TodoItem>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TodoItem {
    pub text: String,
    pub state: TodoState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TodoState {
    Pending,
    InProgress,
    Done,
    Cancelled,
}

impl ResultData {
    pub fn kind(&self) -> ToolKind {
        match self {
            Self::Read(_) => ToolKind::Read,
            Self::Search(_) => ToolKind::Search,
            Self::List(_) => ToolKind::List,
            Self::Edit(_) => ToolKind::Edit,
            Self::Write(_) => ToolKind::Write,
            Self::Run(_) => ToolKind::Run,
            Self::Todo(_) => ToolKind::Todo,
            Self::Other(_) => ToolKind::Other,
        }
    }
}

impl ToolResult {
    pub fn success(text: impl Into<Output>, data: ResultData) -> Self {
        Self { status: Status::Success, text: text.into(), data, error: None, stats: None, context: None }
    }

    pub fn failure(code: &str, message: &str, data: ResultData) -> Self {
        Self {
            status: Status::Error,
            error: Some(Box::new(ToolError { code: code.to_owned(), message: message.to_owned() })),
            ..Self::success("", data)
        }
    }

    /// What stands in for the result of a call that began and never came back.
    pub fn interrupted() -> Self {
        let text = "interrupted: this call did not run to its end; what it did before is not known";
        Self { status: Status::Interrupted, ..Self::success(text, ResultData::Other(Value::Null)) }
    }

    /// What stands in for the result of a call that never began.
    pub fn never_ran() -> Self {
        let text = "interrupted: this call was not run";
        Self { status: Status::Interrupted, ..Self::success(text, ResultData::Other(Value::Null)) }
    }
}
