//! Results of all kinds with random contents.

use lookback_engine::trace::{
    Output, ResultData, Status, ToolResult,
    result::{
        EditData, Hunk, LineForm, ListData, ReadData, RunData, SearchData, SearchMatch, TodoItem, TodoState, WriteData,
    },
};
use serde_json::Value;

use crate::operations::CallPlan;

/// Its file is never what it seems: reads and edits of `src/a.py` contradict one another.
pub(super) fn wild(kind: usize, call: &CallPlan) -> ToolResult {
    let output = call.output.clone();
    let lossy = String::from_utf8_lossy(&output).into_owned();
    let path = "src/a.py".to_owned();
    let line = lossy.lines().next().unwrap_or("").to_owned();
    let data = match kind {
        0 => ResultData::Read(ReadData {
            path,
            first_line: 1,
            line_count: 1,
            total_lines: None,
            form: LineForm::Numbered { separator: "→".into() },
            mtime: Some(1),
            truncated: false,
        }),
        1 => ResultData::Search(SearchData {
            pattern: "x".into(),
            match_count: 1,
            matches: vec![SearchMatch { path, line: 3, text: line }],
            truncated: false,
        }),
        2 => ResultData::List(ListData { subject: ".".into(), entry_count: 1, entries: vec![line], truncated: false }),
        3 => ResultData::Edit(EditData {
            path,
            hunks: vec![Hunk { first_line: 2, removed: vec!["old".into()], added: vec![line] }],
        }),
        4 => ResultData::Write(WriteData { path, created: true, content: lossy.into() }),
        5 => {
            let command = if call.output.len().is_multiple_of(5) { "sed -i s/x/y/ src/a.py" } else { "cat src/a.py" };
            ResultData::Run(RunData { command: command.into(), exit_code: Some(0), ..RunData::default() })
        }
        6 => ResultData::Todo { items: vec![TodoItem { text: line, state: TodoState::InProgress }] },
        _ => ResultData::Other(Value::Null),
    };
    let mut result = ToolResult::success("", data);
    if call.output.len() % 7 == 3 {
        result.status = Status::Partial;
    }
    result.text = Output::new(output);
    result
}

/// The same, gone wrong.
pub(super) fn failed(result: ToolResult) -> ToolResult {
    ToolResult { text: result.text, ..ToolResult::failure("EXECUTION_ERROR", "it failed", result.data) }
}
