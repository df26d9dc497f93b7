//! gemini-cli's tools: what each did, by its name, its arguments and what it showed.

use lookback_engine::trace::{
    ResultData, ToolResult,
    result::{EditData, ReadData, RunData, SearchMatch},
};
use serde_json::Value;

use crate::import::{
    change,
    fields::{content_text, count, text},
    paths::Root,
    results::{done, failed, first_number, grouped_matches, listed, read_plain, search, stopped, todos_under, written},
};

/// None: nothing came back.
pub(in crate::import) fn result(call: &Value, root: &Root) -> Option<ToolResult> {
    let (shown, refused) = shown(&call["result"])?;
    let tool = text(call, "name").unwrap_or_default();
    let status = text(call, "status");
    if status == Some("cancelled") {
        return Some(stopped(shown, ResultData::Other(Value::Null)));
    }
    if refused || status == Some("error") {
        return Some(failed(&shown, data(tool, call, "", root).0));
    }
    let (data, plain) = data(tool, call, &shown, root);
    Some(done(plain.unwrap_or(&shown), data, false))
}

/// What the model was sent, and whether as an error.
fn shown(result: &Value) -> Option<(String, bool)> {
    let parts = match result {
        Value::Null => return None,
        Value::String(shown) => return Some((shown.clone(), false)),
        Value::Array(parts) => parts.as_slice(),
        one => std::slice::from_ref(one),
    };
    let mut refused = false;
    let texts: Vec<String> = parts
        .iter()
        .map(|part| {
            let response = &part["functionResponse"]["response"];
            if let Some(error) = response.get("error") {
                refused = true;
                return error.as_str().map_or_else(|| error.to_string(), str::to_owned);
            }
            match (response.get("output"), response) {
                (Some(Value::String(output)), _) => output.clone(),
                (Some(output), _) => output.to_string(),
                (None, Value::Null) => content_text(part),
                (None, other) => other.to_string(),
            }
        })
        .filter(|text| !text.is_empty())
        .collect();
    (!parts.is_empty()).then(|| (texts.join("\n"), refused))
}

/// What was done; for a command that ended well also its output alone, so that its lines can be counted.
fn data<'a>(tool: &str, call: &Value, shown: &'a str, root: &Root) -> (ResultData, Option<&'a str>) {
    let arguments = &call["args"];
    let path = || {
        let keys = ["file_path", "absolute_path", "path", "dir_path"];
        keys.iter().find_map(|key| text(arguments, key)).map(|path| root.name(path))
    };
    let here = || path().unwrap_or_else(|| ".".to_owned());
    let pattern = text(arguments, "pattern").unwrap_or_default();
    let diff = text(&call["resultDisplay"], "fileDiff").unwrap_or_default();
    let typed = match tool {
        "read_file" => path().map(|path| read(path, arguments, shown)),
        "replace" | "edit" => path().map(|path| {
            let placed = Some(change::unified(diff)).filter(|placed| !placed.is_empty());
            let hunks = placed.unwrap_or_else(|| change::asked_for(arguments));
            ResultData::Edit(EditData { path, hunks })
        }),
        "write_file" => path().map(|path| {
            let created = shown.contains("created and wrote to new file") || call["resultDisplay"]["isNewFile"] == true;
            written(path, created, text(arguments, "content").unwrap_or_default())
        }),
        "run_shell_command" => {
            let Some(command) = text(arguments, "command") else { return (ResultData::Other(arguments.clone()), None) };
            let (run, plain) = run(command, arguments, shown, root);
            return (ResultData::Run(run), plain);
        }
        "search_file_content" | "grep_search" | "grep_search_ripgrep" => Some(search(
            pattern,
            matches(shown, root),
            first_number(shown).filter(|_| shown.starts_with("Found")),
            false,
        )),
        "glob" => Some(listed(pattern, entries(shown, root), false)),
        "list_directory" | "ls" => Some(listed(&here(), entries(shown, root), false)),
        "write_todos" | "write_todos_list" => Some(todos_under("todos", arguments)),
        // read_many_files shows several files in one text: no single path is true of it.
        _ => None,
    };
    (typed.unwrap_or_else(|| ResultData::Other(arguments.clone())), None)
}

/// The lines as they are; of a long file behind a head that says which.
fn read(path: String, arguments: &Value, shown: &str) -> ResultData {
    const HEAD_END: &str = "--- FILE CONTENT (truncated) ---\n";
    let from_offset = count(arguments, "offset").map(|offset| (offset as u32).saturating_add(1));
    let asked = count(arguments, "start_line").map(|line| line.max(1) as u32).or(from_offset).unwrap_or(1);
    let head = shown.find(HEAD_END).filter(|_| shown.contains("has been truncated"));
    let Some(head) = head else {
        let read = read_plain(path, shown, 0, shown.len(), asked);
        let partly = ["offset", "limit", "start_line", "end_line"].iter().any(|key| arguments.get(key).is_some());
        let total_lines = (!partly).then_some(read.line_count);
        return ResultData::Read(ReadData { total_lines, ..read });
    };
    let status = shown[..head].lines().find(|line| line.starts_with("Status: Showing lines ")).unwrap_or_default();
    let first_line = first_number(status).unwrap_or(asked);
    let total_lines = status.rsplit_once(" of ").and_then(|(_, rest)| first_number(rest));
    let read = read_plain(path, shown, head + HEAD_END.len(), shown.len(), first_line);
    ResultData::Read(ReadData { total_lines, truncated: true, ..read })
}

/// `Output: …`, then lines with what there is to say: `Exit Code: 1`, `Signal: …`, `Process Group PGID: …`. Newer clients
/// leave the code out where it is 0; older ones begin with `Command:` and always name it.
fn run<'a>(command: &str, arguments: &Value, shown: &'a str, root: &Root) -> (RunData, Option<&'a str>) {
    let code = shown.lines().rev().find_map(|line| line.strip_prefix("Exit Code: "));
    let ends = ["Exit Code: ", "Signal: ", "Error: ", "Background PIDs: "];
    let says_nothing = || !shown.lines().rev().take(6).any(|line| ends.iter().any(|end| line.starts_with(end)));
    let exit_code = match code {
        Some(code) => code.trim().parse().ok(),
        None if shown.starts_with("Output: ") && says_nothing() => Some(0),
        None => None,
    };
    let plain = shown.strip_prefix("Output: ").filter(|_| exit_code == Some(0) && code.is_none()).map(|rest| {
        let end = rest.rfind("\nProcess Group PGID: ").map_or(rest.len(), |at| at + 1);
        if rest[..end].trim_end() == "(empty)" { "" } else { &rest[..end] }
    });
    let run = root.run_in(text(arguments, "dir_path").or_else(|| text(arguments, "directory")), command);
    let timed_out = shown.contains("Command was automatically cancelled because it exceeded the timeout");
    (RunData { exit_code: exit_code.filter(|_| !timed_out), timed_out, ..run }, plain)
}

/// `File: path`, then `L12: text` for each match in it.
fn matches(shown: &str, root: &Root) -> Vec<SearchMatch> {
    grouped_matches(shown, root, |line| line.strip_prefix("File: "), |line| line.strip_prefix('L'))
}

/// The lines behind the one that announces them.
fn entries(shown: &str, root: &Root) -> Vec<String> {
    let lines = shown.lines().skip(1).map(str::trim);
    lines.filter(|line| !line.is_empty() && !line.starts_with('(')).map(|line| root.name(line)).collect()
}
