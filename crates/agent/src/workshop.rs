//! What tools really do, and what their owner knows of the project: the program's side of every step.

use lookback_engine::trace::ToolResult;
use lookback_tools::{EndedJob, ToolName};
use serde_json::Value;

/// What tools really do.
pub trait Workshop: Send + Sync + std::fmt::Debug {
    /// One call. `stop` says whether the person wants it ended.
    fn run(&self, tool: ToolName, arguments: &Value, stop: &dyn Fn() -> bool) -> ToolResult;

    /// The files of the project as they are now, kept for whoever wants them back; none where that is not done. An error is
    /// for a person, and said once.
    fn snapshot(&self) -> Result<Option<Kept>, String>;

    /// Whether everything at this path was made since the session began.
    fn is_own(&self, path: &str) -> bool;

    /// Whether there is anything at this path, seen from where a command begins.
    fn is_there(&self, path: &str) -> bool;

    /// What the model should know about where a tool has been, each by a key of its own.
    fn remarks(&self, result: &ToolResult) -> Vec<(String, String)>;

    /// The project's rules, where they are others than when this was last asked.
    fn changed_rules(&self) -> Option<String>;

    /// Background commands that are over and were not given out yet. [`Jobs::All`] ends those that run.
    fn ended_jobs(&self, which: Jobs) -> Vec<EndedJob>;
}

/// Which background commands are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Jobs {
    /// Those that are over by themselves.
    Over,
    /// All: whatever still runs is ended.
    All,
}

/// Files that were kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// By what name they are found again: the same for the same files.
    pub id: String,
    /// What is not among them, and why.
    pub left_out: Vec<String>,
}
