//! Claude Code's tools: what each did, from its name, its arguments and what the model was shown.
//!
//! The client keeps a copy of each result for itself (`toolUseResult`). It is not what the model saw and is asked only for
//! what the text leaves out: line numbers of an edit, the length of a file, whether a file is new.

mod files;
mod search;
mod tasks;

use lookback_engine::trace::{
    ResultData, ToolResult,
    result::{RunData, TodoData},
};
use serde_json::{Value, json, value::RawValue};

use self::tasks::Tasks;
use super::response::Call;
use crate::import::{
    paths::Root,
    results::{failed, partial},
    shown::todos_in,
};

/// What came back from a call.
pub(super) struct Given<'a> {
    pub(super) text: String,
    pub(super) failed: bool,
    pub(super) client: Option<&'a RawValue>,
}

/// The table. Task tools change a list one entry at a time, so it remembers the list.
#[derive(Debug, Default)]
pub(super) struct Tools {
    tasks: Tasks,
}

/// A call with its arguments parsed.
struct Asked<'a> {
    arguments: Value,
    directory: &'a str,
    root: &'a Root,
}

impl Asked<'_> {
    fn text(&self, name: &str) -> &str {
        self.arguments.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    fn path(&self, name: &str) -> String {
        self.root.file(self.directory, self.text(name))
    }
}

impl Tools {
    pub(super) fn result(&mut self, call: &Call, given: Given<'_>, root: &Root) -> ToolResult {
        let arguments = serde_json::from_str(&call.arguments).unwrap_or_default();
        let asked = Asked { arguments, directory: &call.directory, root };
        let data = match call.name.as_str() {
            "Bash" => return run(&asked, given),
            "Read" | "NotebookRead" => ResultData::Read(files::read(&asked, &given)),
            "Edit" | "MultiEdit" | "NotebookEdit" => ResultData::Edit(files::edit(&asked, &given)),
            "Write" => ResultData::Write(files::write(&asked, &given)),
            "Grep" => ResultData::Search(search::grep(&asked, &given)),
            "Glob" => ResultData::List(search::glob(&asked, &given)),
            "LS" => ResultData::List(search::list(&asked, &given)),
            "TodoWrite" => todos_in(&asked.arguments),
            "TaskCreate" | "TaskUpdate" | "TaskList" if !given.failed => {
                ResultData::Todo(TodoData { items: self.tasks.apply(&call.name, &asked.arguments, &given.text) })
            }
            name => ResultData::Other(json!({ "tool": name })),
        };
        match () {
            () if given.failed => failed(given.text, data),
            () if is_cut(&given.text) => partial(given.text, data),
            () => ToolResult::success(given.text, data),
        }
    }
}

/// The client keeps large outputs in a file and shows their beginning.
fn is_cut(text: &str) -> bool {
    text.starts_with("<persisted-output>")
}

fn run(asked: &Asked<'_>, given: Given<'_>) -> ToolResult {
    let command = asked.root.command(asked.directory, asked.text("command"));
    let ended = Ended::of(&given);
    let data = ResultData::Run(RunData {
        command,
        cwd: asked.directory.to_owned(),
        exit_code: ended.exit_code,
        timed_out: ended.timed_out,
        ..RunData::default()
    });
    let is_shortened = is_cut(&given.text) || given.text.contains(" lines truncated] ...");
    match () {
        // It ran and ended with another code: no failure of the tool.
        () if given.failed && ended.exit_code.is_none() && !ended.timed_out => failed(given.text, data),
        () if is_shortened => partial(given.text, data),
        () => ToolResult::success(given.text, data),
    }
}

struct Ended {
    exit_code: Option<i32>,
    timed_out: bool,
}

impl Ended {
    fn of(given: &Given<'_>) -> Self {
        let text = given.text.trim_start();
        let said = text.strip_prefix("Exit code ").or_else(|| text.strip_prefix("Error: Exit code "));
        let said = said.and_then(|rest| rest.lines().next()?.trim().parse().ok());
        let timed_out = given.failed && text.lines().take(2).any(|line| line.contains("timed out after"));
        let is_running =
            text.starts_with("Command running in background") || text.starts_with("Command was manually backgrounded");
        let stopped = given.client.is_some_and(|client| client.get().contains("\"interrupted\":true"));
        let exit_code = match said {
            _ if timed_out => None,
            Some(code) if given.failed => Some(code),
            _ if given.failed || is_running || stopped => None,
            _ => Some(0),
        };
        Self { exit_code, timed_out }
    }
}
