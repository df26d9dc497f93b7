//! Tools that read and change files.

use lookback_engine::trace::result::{EditData, Hunk, ReadData, WriteData};
use serde::Deserialize;
use serde_json::Value;

use super::{Asked, Given};
use crate::import::{
    change::{self, UNKNOWN_LINE},
    claude_code::lines::parse_some,
    fields::text,
    results::{hunks_of, numbered_read},
};

#[derive(Deserialize, Default)]
#[serde(default)]
struct ReadCopy {
    file: Option<FileCopy>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct FileCopy {
    total_lines: Option<u32>,
}

/// Lines stand behind `    12→`, in newer clients behind `12` and a tab; reminders after them are no lines of the file.
pub(super) fn read(asked: &Asked<'_>, given: &Given<'_>) -> ReadData {
    let path = if asked.text("file_path").is_empty() { "notebook_path" } else { "file_path" };
    let mut read = numbered_read(asked.path(path), &given.text, &["→", "\t"]);
    let copy: Option<ReadCopy> = parse_some(given.client);
    read.total_lines = match copy.and_then(|copy| copy.file?.total_lines) {
        total @ Some(_) if read.line_count > 0 => total,
        _ if given.text.contains("the file exists but the contents are empty") => Some(0),
        _ => None,
    };
    read
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct ChangeCopy {
    #[serde(rename = "type")]
    kind: Option<String>,
    structured_patch: Option<Vec<PatchCopy>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PatchCopy {
    new_start: u32,
    lines: Vec<String>,
}

pub(super) fn edit(asked: &Asked<'_>, given: &Given<'_>) -> EditData {
    let path = if asked.text("file_path").is_empty() { "notebook_path" } else { "file_path" };
    let copy: Option<ChangeCopy> = parse_some(given.client);
    let placed = copy.and_then(|copy| copy.structured_patch).filter(|patch| !patch.is_empty());
    let hunks = match placed {
        _ if given.failed => Vec::new(),
        Some(patch) => {
            patch.iter().flat_map(|patch| hunks_of(patch.new_start, patch.lines.iter().map(String::as_str))).collect()
        }
        None => asked_for(&asked.arguments),
    };
    EditData { path: asked.path(path), hunks }
}

/// Where the client kept no copy only the arguments tell what went and what came, and not where.
fn asked_for(arguments: &Value) -> Vec<Hunk> {
    let hunk = |value: &Value| {
        let side = |name: &str| text(value, name).unwrap_or_default();
        change::hunk(UNKNOWN_LINE, side("old_string"), side("new_string"))
    };
    match arguments.get("edits").and_then(Value::as_array) {
        Some(edits) => edits.iter().map(hunk).collect(),
        None => match text(arguments, "new_source") {
            Some(cell) => vec![change::hunk(UNKNOWN_LINE, "", cell)],
            None => vec![hunk(arguments)],
        },
    }
}

pub(super) fn write(asked: &Asked<'_>, given: &Given<'_>) -> WriteData {
    let copy: Option<ChangeCopy> = parse_some(given.client);
    let created = match copy.and_then(|copy| copy.kind) {
        Some(kind) => kind == "create",
        None => given.text.starts_with("File created"),
    };
    WriteData { path: asked.path("file_path"), created, content: asked.text("content").into() }
}
