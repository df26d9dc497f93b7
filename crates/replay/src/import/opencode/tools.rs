//! opencode's tools: what each did, by its name, its input and what it showed.

use lookback_engine::trace::{
    ResultData, ToolResult,
    result::{EditData, ReadData, RunData, SearchMatch},
};
use serde_json::Value;

use crate::import::{
    change,
    fields::{count, list, text},
    patch::patch_data,
    paths::Root,
    results::{
        done, failed, find_numbered, first_number, grouped_matches, listed, search, stopped, todos_under, written,
    },
};

pub(in crate::import) fn result(tool: &str, state: &Value, root: &Root) -> ToolResult {
    let output = text(state, "output").unwrap_or_default();
    match text(state, "status") {
        Some("completed") => {
            done(output, data(tool, state, output, root), state["metadata"]["truncated"].as_bool() == Some(true))
        }
        Some("error") => {
            let (said, data) = (text(state, "error").unwrap_or(output), data(tool, state, "", root));
            if said.contains("Tool execution aborted") { stopped(said, data) } else { failed(said, data) }
        }
        // Pending or running when the session was written down.
        _ => ToolResult::interrupted(),
    }
}

fn data(tool: &str, state: &Value, output: &str, root: &Root) -> ResultData {
    let (input, metadata) = (&state["input"], &state["metadata"]);
    let cut = metadata["truncated"].as_bool() == Some(true);
    let path = || text(input, "filePath").or_else(|| text(input, "path")).map(|path| root.name(path));
    let pattern = text(input, "pattern").unwrap_or_default();
    let typed = match tool {
        "read" => path().map(|path| read(path, output, metadata)),
        "edit" | "multiedit" => path().map(|path| ResultData::Edit(edit(path, input, metadata))),
        "write" => path().map(|path| {
            written(path, metadata["exists"].as_bool() == Some(false), text(input, "content").unwrap_or_default())
        }),
        "bash" | "shell" => {
            text(input, "command").map(|command| ResultData::Run(run(command, input, metadata, output, root)))
        }
        "patch" | "apply_patch" => text(input, "patchText").map(|patch| {
            let went_well = text(state, "status") == Some("completed");
            patch_data(patch, went_well, &|path| root.name(path), &|_| None)
        }),
        "grep" => Some(search(
            pattern,
            matches(output, root),
            count(metadata, "matches").map(|count| count as u32).or_else(|| first_number(output)),
            cut,
        )),
        "glob" => Some(listed(pattern, paths(output, root), cut)),
        "list" | "ls" => Some(listed(&path().unwrap_or_else(|| ".".to_owned()), entries(output), cut)),
        "todowrite" | "todoread" => {
            Some(todos_under("todos", if list(input, "todos").is_empty() { metadata } else { input }))
        }
        _ => None,
    };
    typed.unwrap_or_else(|| ResultData::Other(input.clone()))
}

/// `12: text` behind a head of tags; older clients write `00012| text`.
fn read(path: String, output: &str, metadata: &Value) -> ResultData {
    if output.contains("<type>directory</type>") {
        return listed(&path, entries(output), metadata["truncated"].as_bool() == Some(true));
    }
    let separator = if output.lines().any(|line| is_numbered(line, "| ")) { "| " } else { ": " };
    let display = &metadata["display"];
    let (total, is_cut) = told_length(output);
    let whole = |read: ReadData| ReadData {
        total_lines: count(display, "totalLines").map(|lines| lines as u32).or(total),
        truncated: display["truncated"].as_bool().unwrap_or(is_cut),
        ..read
    };
    match find_numbered(path.clone(), output, &[separator]) {
        Some(read) => ResultData::Read(whole(read)),
        // An empty file, a picture, or a failure: no line of it was seen.
        None => ResultData::Other(Value::String(path)),
    }
}

/// How long the file is, as the tool says it below the lines; and whether it showed less.
fn told_length(output: &str) -> (Option<u32>, bool) {
    let told = output.lines().rev().take(4).find(|line| line.starts_with('(') && line.contains("lines"));
    let number = |mark: &str| told?.split_once(mark)?.1.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok();
    match number("End of file - total ") {
        Some(total) => (Some(total), false),
        None => (number(" of "), told.is_some_and(|told| told.starts_with("(Showing lines "))),
    }
}

fn is_numbered(line: &str, separator: &str) -> bool {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    digits == 5 && line[digits..].starts_with(separator)
}

fn edit(path: String, input: &Value, metadata: &Value) -> EditData {
    let diff = text(metadata, "diff").or_else(|| text(&metadata["filediff"], "patch")).unwrap_or_default();
    let placed = Some(change::unified(diff)).filter(|placed| !placed.is_empty());
    EditData { path, hunks: placed.unwrap_or_else(|| change::asked_for(input)) }
}

fn run(command: &str, input: &Value, metadata: &Value, output: &str, root: &Root) -> RunData {
    let exit_code = metadata["exit"].as_i64().and_then(|code| i32::try_from(code).ok());
    let run = root.run_in(text(input, "workdir"), command);
    RunData { exit_code, timed_out: exit_code.is_none() && output.contains("timeout"), ..run }
}

/// A path with a colon, then `  Line 12: text` for each match in it.
fn matches(output: &str, root: &Root) -> Vec<SearchMatch> {
    grouped_matches(
        output,
        root,
        |line| line.strip_suffix(':').filter(|named| !named.starts_with(' ')),
        |line| line.strip_prefix("  Line "),
    )
}

fn paths(output: &str, root: &Root) -> Vec<String> {
    let is_path = |line: &&str| !line.trim().is_empty() && !line.starts_with('(') && *line != "No files found";
    output.lines().filter(is_path).map(|line| root.name(line)).collect()
}

fn entries(output: &str) -> Vec<String> {
    let is_entry = |line: &&str| !line.is_empty() && !line.starts_with(['(', '<']);
    output.lines().map(str::trim).filter(is_entry).map(str::to_owned).collect()
}
