//! pi's tools: what each did, by its name, its arguments and what it showed.

use lookback_engine::trace::{
    ResultData, ToolResult,
    result::{EditData, ReadData, RunData},
};
use serde_json::Value;

use crate::import::{
    bounds::parse_within,
    change,
    fields::{content_text, count, text},
    open_call::Call,
    paths::Root,
    results::{done, failed, listed, parse_matches, read_plain, search, stopped, todos_under, written},
};

pub(super) fn result(call: &Call, message: &Value, root: &Root) -> ToolResult {
    let arguments = parse_within(&call.arguments).unwrap_or_default();
    let shown = content_text(&message["content"]);
    let is_error = message["isError"].as_bool() == Some(true);
    let cut = message["details"]["truncation"]["truncated"].as_bool() == Some(true);
    let data = data(&call.name, &arguments, &shown, message, root, cut);
    match &data {
        // A command that failed did run; only one that was stopped did not.
        ResultData::Run(run) if is_error && (run.exit_code.is_some() || run.timed_out) => {
            ToolResult::success(shown, data)
        }
        ResultData::Run(_) if is_error && shown.ends_with("Command aborted") => stopped(shown, data),
        _ if is_error => failed(&shown, data),
        _ => done(shown, data, cut),
    }
}

fn data(tool: &str, arguments: &Value, shown: &str, message: &Value, root: &Root, cut: bool) -> ResultData {
    let path = || text(arguments, "path").or_else(|| text(arguments, "file_path")).map(|path| root.name(path));
    let pattern = text(arguments, "pattern").unwrap_or_default();
    let lines = || shown.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect();
    let typed = match tool {
        "read" => path().map(|path| read(path, arguments, shown)),
        "edit" => path().map(|path| ResultData::Edit(edit(path, arguments, &message["details"]))),
        "write" => path().map(|path| {
            // Whether the file was there before is not said.
            written(path, false, text(arguments, "content").unwrap_or_default())
        }),
        "bash" => text(arguments, "command").map(|command| ResultData::Run(run(command, message, shown, root))),
        "grep" => Some(search(pattern, parse_matches(shown, None, root, ""), None, cut)),
        "find" | "glob" => Some(listed(pattern, lines(), cut)),
        "ls" => Some(listed(&path().unwrap_or_else(|| ".".to_owned()), lines(), cut)),
        "todo" | "todowrite" => Some(todos_under("todos", arguments)),
        _ => None,
    };
    typed.unwrap_or_else(|| ResultData::Other(arguments.clone()))
}

/// Lines as they are, then perhaps a blank line and a note: `... (620 more lines not shown. …)`, `[Showing lines …]`.
fn read(path: String, arguments: &Value, shown: &str) -> ResultData {
    let note = shown.rfind("\n\n").filter(|at| {
        let note = &shown[at + 2..];
        (note.starts_with("... (") && note.ends_with(')')) || (note.starts_with('[') && note.ends_with(']'))
    });
    let note = note.filter(|at| shown[*at..].contains("more lines") || shown[*at..].contains("offset="));
    let first_line = count(arguments, "offset").map_or(1, |offset| offset.max(1) as u32);
    let end = note.map_or(shown.len(), |at| at + 1);
    let read = read_plain(path, shown, 0, end, first_line);
    let whole = first_line == 1 && note.is_none() && count(arguments, "limit").is_none();
    let total_lines = whole.then_some(read.line_count);
    ResultData::Read(ReadData { truncated: note.is_some(), total_lines, ..read })
}

/// The diff that the tool shows the person tells the lines; newer clients take several edits in one call.
fn edit(path: String, arguments: &Value, details: &Value) -> EditData {
    let hunks = text(details, "patch").map(change::unified).filter(|hunks| !hunks.is_empty());
    let hunks = hunks.or_else(|| text(details, "diff").map(change::numbered).filter(|hunks| !hunks.is_empty()));
    EditData { path, hunks: hunks.unwrap_or_else(|| change::asked_for(arguments)) }
}

/// Only a command that failed has its code, in the last line of what it showed.
fn run(command: &str, message: &Value, shown: &str, root: &Root) -> RunData {
    let last = shown.lines().next_back().unwrap_or_default();
    let timed_out = last.starts_with("Command timed out");
    let exit_code = match message["isError"].as_bool() {
        Some(true) => last.strip_prefix("Command exited with code ").and_then(|code| code.trim().parse().ok()),
        _ => Some(0),
    };
    RunData { exit_code, timed_out, ..root.run(command) }
}
