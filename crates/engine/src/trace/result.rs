//! Tool results, typed by what the tool did and not by what it was called.
//!
//! Our own tools and the importers of other agents' sessions both produce these; view, settle and evidence work on them
//! alone and never look at a tool's name. Lines are counted from 1.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    output::Output,
    part::{AsCame, CamePart},
};
use crate::shell::{Reading, Script, folder, keyed};

/// What kind of thing a tool did.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolKind {
    /// Showed a stretch of a file.
    Read,
    /// Looked for a pattern in files.
    Search,
    /// Named files.
    List,
    /// Changed places of a file.
    Edit,
    /// Wrote a whole file.
    Write,
    /// Ran a command.
    Run,
    /// Set the todo list.
    Todo,
    /// Anything else.
    Other,
}

/// What a tool gave back, complete.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolResult {
    /// How it ended.
    pub status: Status,
    /// What the model is shown while the result is live. Where there are several text parts, each begins a line.
    pub text: Output,
    /// What it did.
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
    /// Where it is more than its text: its parts, and its bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_came: Option<Box<AsCame>>,
}

/// How a tool ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It did what was asked.
    Success,
    /// The tool itself gave less than there was, and says how to get the rest.
    Partial,
    /// The tool itself failed. A command that ran and ended with another code than 0 is not an error of the tool.
    Error,
    /// Never ran, or was killed: its result is unknown.
    Interrupted,
}

/// Why a tool failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolError {
    /// NOT_FOUND, CONFLICT, TIMEOUT…: the tools list them.
    pub code: String,
    /// In words.
    pub message: String,
}

/// What a tool did, by its kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResultData {
    /// Showed a stretch of a file.
    Read(ReadData),
    /// Looked for a pattern in files.
    Search(SearchData),
    /// Named files.
    List(ListData),
    /// Changed places of a file.
    Edit(EditData),
    /// Changed several files at once, or took some away.
    Patch(PatchData),
    /// Wrote a whole file.
    Write(WriteData),
    /// Ran a command.
    Run(RunData),
    /// Set the todo list.
    Todo {
        /// All of it.
        items: Vec<TodoItem>,
    },
    /// Anything else, in the tool's own form.
    Other(Value),
}

/// A stretch of a file. The lines stand in the result's text in the given form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadData {
    /// Relative to the root.
    pub path: String,
    /// The first that is shown.
    pub first_line: u32,
    /// How many are shown.
    pub line_count: u32,
    /// How many the file has, where the tool knows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_lines: Option<u32>,
    /// How they stand in the text.
    pub form: LineForm,
    /// Modification time in milliseconds, where the tool knows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mtime: Option<i64>,
    /// There was more than was asked for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

/// How lines of a file stand in a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LineForm {
    /// As they are, one after another, in the bytes `start..end` of the text.
    Plain {
        /// The first byte.
        start: u64,
        /// Behind the last byte.
        end: u64,
    },
    /// Each behind its number and the separator: `    12→text`, `12\ttext`, `12: text`. Lines without a number
    /// are not lines of the file.
    Numbered {
        /// What stands between number and line.
        separator: String,
    },
    /// The same in the bytes `start..end` of the text: around them stand numbered lines of other files.
    NumberedIn {
        /// What stands between number and line.
        separator: String,
        /// The first byte.
        start: u64,
        /// Behind the last byte.
        end: u64,
    },
    /// Search output: `path:12:text` for matches and `path-12-text` for context.
    PathNumbered {
        /// As it is printed.
        path: String,
    },
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchData {
    /// What was looked for.
    pub pattern: String,
    /// How many there were, shown or not.
    pub match_count: u32,
    /// Those that are shown.
    pub matches: Vec<SearchMatch>,
    /// There were more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

/// A line that a search found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchMatch {
    /// Relative to the root.
    pub path: String,
    /// Its number.
    pub line: u32,
    /// The line.
    pub text: String,
}

/// Files that were named.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListData {
    /// The directory, or the glob pattern.
    pub subject: String,
    /// How many there were, shown or not.
    pub entry_count: u32,
    /// Those that are shown.
    pub entries: Vec<String>,
    /// There were more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

/// A file that was changed in places.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EditData {
    /// Relative to the root.
    pub path: String,
    /// From the top of the file to its end; `first_line` counts lines after all hunks above were applied.
    pub hunks: Vec<Hunk>,
}

/// One place that an edit changed: at `first_line`, the removed lines went and the added ones came. A tool that does not
/// know the line says 0 and may give lines around the change on both sides: recording looks for the place among the lines
/// that are known of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hunk {
    /// Where; 0: not known.
    pub first_line: u32,
    /// What went.
    pub removed: Vec<String>,
    /// What came.
    pub added: Vec<String>,
}

/// What a patch did, file by file. A file that moved is one that went and one that came.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatchData {
    /// In the order of the patch, each path once.
    pub files: Vec<PatchedFile>,
}

/// One file of a patch.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatchedFile {
    /// Which, and where it changed; of a new file all its lines, of a deleted one none.
    #[serde(flatten)]
    pub edit: EditData,
    /// What became of it.
    pub fate: FileFate,
}

/// What became of a file of a patch.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileFate {
    /// It was not there before.
    Created,
    /// It was changed in places.
    Edited,
    /// It is gone.
    Deleted,
}

/// A file that was written whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WriteData {
    /// Relative to the root.
    pub path: String,
    /// It was not there before.
    pub created: bool,
    /// The whole file as it was written.
    pub content: Output,
}

/// A command that was run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunData {
    /// As it was given.
    pub command: String,
    /// Relative to the root; empty for the root itself.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub cwd: String,
    /// None: killed, timed out, or unknown to whoever recorded it.
    pub exit_code: Option<i32>,
    /// It was stopped because it took too long.
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

    /// Two runs with the same key ran the same thing: the same command in the same folder below `root`.
    pub fn key(&self, root: &str) -> String {
        let reading = self.reading();
        let key = reading.key(&self.command);
        let way = self.command.get(..reading.begins as usize).unwrap_or_default();
        keyed(key, &folder(&self.cwd, way, root))
    }
}

/// A test run, as one of the recognisers in `evidence` read it.
#[doc(hidden)]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestReport {
    /// Which recogniser: pytest, unittest, cargo, go, jest, vitest, maven, gradle; several joined by `+`. `go packages`
    /// where only these were printed and counted.
    pub framework: String,
    /// How many passed.
    pub passed: u32,
    /// How many failed.
    pub failed: u32,
    /// How many did not run.
    pub skipped: u32,
    /// Names of the failed ones, as far as they were printed.
    pub failures: Vec<String>,
}

/// See [`TestReport::framework`].
pub(crate) const GO_PACKAGES: &str = "go packages";

impl TestReport {
    /// `2 failed, 3 passed`, with what was counted where that is no tests; None where nothing ran.
    pub(crate) fn counts(&self) -> Option<String> {
        let counts = [(self.failed, "failed"), (self.passed, "passed"), (self.skipped, "skipped")];
        let ran = counts.iter().filter(|(count, _)| *count > 0).enumerate();
        let stated = ran.map(|(place, (count, what))| match (self.framework == GO_PACKAGES && place == 0, count) {
            (false, _) => format!("{count} {what}"),
            (true, 1) => format!("1 package {what}"),
            (true, _) => format!("{count} packages {what}"),
        });
        Some(stated.collect::<Vec<_>>().join(", ")).filter(|stated| !stated.is_empty())
    }
}

/// One thing to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TodoItem {
    /// In the words of whoever set it.
    pub text: String,
    /// How far it is.
    pub state: TodoState,
}

/// How far a thing to do is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TodoState {
    /// Not begun.
    Pending,
    /// Under way.
    InProgress,
    /// Finished.
    Done,
    /// Given up.
    Cancelled,
}

impl ResultData {
    /// Which kind that is.
    pub fn kind(&self) -> ToolKind {
        match self {
            Self::Read(_) => ToolKind::Read,
            Self::Search(_) => ToolKind::Search,
            Self::List(_) => ToolKind::List,
            Self::Edit(_) | Self::Patch(_) => ToolKind::Edit,
            Self::Write(_) => ToolKind::Write,
            Self::Run(_) => ToolKind::Run,
            Self::Todo { .. } => ToolKind::Todo,
            Self::Other(_) => ToolKind::Other,
        }
    }

    /// Files that were changed in places or by a patch, and are there.
    pub(crate) fn edits(&self) -> impl Iterator<Item = &EditData> {
        let (one, patch) = match self {
            Self::Edit(edit) => (Some(edit), None),
            Self::Patch(patch) => (None, Some(patch)),
            _ => (None, None),
        };
        let files = patch.into_iter().flat_map(|patch| &patch.files);
        one.into_iter().chain(files.filter(|file| file.fate != FileFate::Deleted).map(|file| &file.edit))
    }

    /// How it changed this file.
    pub(crate) fn edit_of(&self, path: &str) -> Option<&EditData> {
        self.edits().find(|edit| edit.path == path)
    }

    /// The files that it changed and that are there.
    pub(crate) fn changed_paths(&self) -> impl Iterator<Item = &str> {
        let written = if let Self::Write(write) = self { Some(write.path.as_str()) } else { None };
        self.edits().map(|edit| edit.path.as_str()).chain(written)
    }

    /// Whether a patch made this file.
    pub(crate) fn creates(&self, path: &str) -> bool {
        let made = |file: &PatchedFile| file.fate == FileFate::Created && file.edit.path == path;
        matches!(self, Self::Patch(patch) if patch.files.iter().any(made))
    }

    /// The files that a patch took away.
    pub(crate) fn deleted_paths(&self) -> impl Iterator<Item = &str> {
        let patch = if let Self::Patch(patch) = self { Some(patch) } else { None };
        let files = patch.into_iter().flat_map(|patch| &patch.files);
        files.filter(|file| file.fate == FileFate::Deleted).map(|file| file.edit.path.as_str())
    }
}

impl ToolResult {
    /// Why the call was refused, as a client (Claude Code) hands on what a person typed instead of leave to run. Another
    /// program may have written the same, so it is no more than what the result says.
    pub(crate) fn refusal(&self) -> Option<&str> {
        let error = self.error.as_ref().filter(|error| error.code == "PERMISSION_DENIED")?;
        let refused = error.message.strip_prefix("The user doesn't want to proceed with this tool use.")?;
        let (_, reason) = refused.split_once("the user said:\n")?;
        Some(reason.trim()).filter(|reason| !reason.is_empty())
    }

    /// Whether nothing ran, because somebody did not let it.
    pub(crate) fn was_denied(&self) -> bool {
        let ran = matches!(&self.data, ResultData::Run(run) if run.exit_code.is_some());
        !ran && self.error.as_ref().is_some_and(|error| error.code == "PERMISSION_DENIED")
    }

    /// A tool that did what was asked.
    pub fn success(text: impl Into<Output>, data: ResultData) -> Self {
        Self {
            status: Status::Success,
            text: text.into(),
            data,
            error: None,
            stats: None,
            context: None,
            as_came: None,
        }
    }

    /// The same result with all the parts that it came in; their texts are what the model is shown of it.
    pub fn with_parts(self, parts: Vec<CamePart>, raw: Option<Output>) -> Self {
        let (text, as_came) = AsCame::of(parts, raw);
        Self { text: text.into(), as_came, ..self }
    }

    /// A tool that failed.
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
