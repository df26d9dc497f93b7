//! What clients' tools mean on live traffic: the importers' tables, found by a tool's name.
//!
//! A gateway sees calls and what the model was shown of their results, and nothing that a client keeps for itself: no line
//! numbers of its own, no exit codes that it did not print. So a result here says at most what its recording says.

use lookback_engine::trace::{Origin, ResultData, ToolResult};
use serde_json::{Value, json};

use super::{
    bounds::parse_within,
    claude_code::{self, lines::beside},
    codex, gemini_cli,
    open_call::Call,
    opencode,
    paths::Root,
    results::{done, failed},
};

/// A call and what came of it, as they stood in a request.
#[derive(Debug, Clone, Copy)]
pub struct Shown<'a> {
    /// The tool's name, as declared.
    pub name: &'a str,
    /// As the model wrote them.
    pub arguments: &'a str,
    /// What the model was shown.
    pub text: &'a str,
    /// The result as its client sent it, where it is more than a text.
    pub output: Option<&'a Value>,
    /// The client says that the tool failed.
    pub failed: bool,
}

/// The tables of one conversation: some tools remember what earlier calls did.
#[derive(Debug, Default)]
pub struct LiveTools {
    root: Root,
    claude_code: claude_code::tools::Tools,
    codex: codex::tools::Tools,
}

impl LiveTools {
    /// `directory` is where the client works, where it says so.
    pub fn new(directory: Option<&str>) -> Self {
        Self { root: directory.map(Root::new).unwrap_or_default(), ..Self::default() }
    }

    /// What a call did.
    pub fn result(&mut self, shown: Shown<'_>) -> ToolResult {
        let Shown { name, arguments, text, failed: has_failed, output } = shown;
        let call = || Call {
            id: String::new(),
            name: name.to_owned(),
            arguments: arguments.to_owned(),
            directory: String::new(),
            changes: None,
            result: None,
        };
        match name {
            "Bash" | "Read" | "NotebookRead" | "Edit" | "MultiEdit" | "NotebookEdit" | "Write" | "Grep" | "Glob"
            | "LS" | "TodoWrite" | "TaskCreate" | "TaskUpdate" | "TaskList" => {
                let given = claude_code::tools::Given { text: text.to_owned(), failed: has_failed, client: None };
                self.claude_code.result(&call(), given, &self.root)
            }
            "shell" | "shell_command" | "exec_command" | "container.exec" | "local_shell" | "unified_exec"
            | "write_stdin" | "exec" | "apply_patch" | "update_plan" | "view_image" | "list_dir" | "grep_files" => {
                let plain = Value::String(text.to_owned());
                self.codex.result(&call(), output.unwrap_or(&plain), &self.root)
            }
            "read" | "edit" | "multiedit" | "write" | "bash" | "patch" | "grep" | "glob" | "list" | "todowrite"
            | "todoread" => {
                let input: Value = parse_within(arguments).unwrap_or_default();
                let status = if has_failed { "error" } else { "completed" };
                let state = json!({"status": status, "input": input, "output": text, "error": text, "metadata": {}});
                opencode::tools::result(name, &state, &self.root)
            }
            "run_shell_command"
            | "read_file"
            | "read_many_files"
            | "write_file"
            | "replace"
            | "search_file_content"
            | "list_directory"
            | "write_todos" => {
                let input: Value = parse_within(arguments).unwrap_or_default();
                let response = if has_failed { json!({"error": text}) } else { json!({"output": text}) };
                let call = json!({"name": name, "args": input, "status": if has_failed { "error" } else { "success" },
                    "result": [{"functionResponse": {"response": response}}]});
                gemini_cli::tools::result(&call, &self.root).unwrap_or_else(|| other(shown))
            }
            _ => other(shown),
        }
    }
}

fn other(shown: Shown<'_>) -> ToolResult {
    let data = ResultData::Other(json!({ "tool": shown.name }));
    if shown.failed { failed(shown.text, data) } else { done(shown.text, data, false) }
}

/// Whose words a text of the user's role is: a person's, and what the client put beside them.
pub fn whose_words(text: &str) -> Vec<(String, Origin)> {
    if codex::lines::origin_of("user", text) == Origin::Machine || claude_code::lines::is_machine(text) {
        return vec![(text.to_owned(), Origin::Machine)];
    }
    match beside(text) {
        Some((words, beside)) => vec![(words, Origin::Person), (beside, Origin::Machine)],
        None => vec![(text.to_owned(), Origin::Person)],
    }
}

/// Where a client says that it works: in its system prompt, or in the first thing that it says. The text may be JSON still.
pub fn working_directory(text: &str) -> Option<&str> {
    let marks = [
        ("<cwd>", "</cwd>"),
        ("Primary working directory: ", ""),
        ("Working directory: ", ""),
        ("working directory: ", ""),
        ("Current directory: ", ""),
    ];
    let found = marks.into_iter().find_map(|(mark, end)| {
        let (_, rest) = text.split_once(mark)?;
        let line = rest.split(['\n', '\\', '"']).next().unwrap_or(rest);
        Some(if end.is_empty() { line } else { line.split(end).next().unwrap_or(line) }.trim())
    });
    found.filter(|directory| directory.starts_with('/') && directory.len() < 4096)
}
