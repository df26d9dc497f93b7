//! Items in a line each, so that a test can say what a session must become.

use lookback_engine::{
    NewPart,
    trace::{NoBlobs, Origin, ResultData, ToolResult},
};

use super::importer;
use crate::recording::{CompactionKind, Format, Item, Recording};

/// Reads a session of lines.
pub(super) fn read(format: Format, text: &str) -> Recording {
    read_bytes(format, text.as_bytes())
}

pub(super) fn read_bytes(format: Format, bytes: &[u8]) -> Recording {
    let mut recording = Recording::new(format);
    let mut importer = importer(format).expect("a format of lines");
    for (number, line) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
        importer.line(number, line, &mut recording);
    }
    importer.finish(&mut recording);
    recording.about = importer.about().clone();
    recording
}

pub(super) fn describe(recording: &Recording) -> Vec<String> {
    recording.items.iter().map(describe_item).collect()
}

pub(super) fn skipped(recording: &Recording) -> Vec<(u64, &str)> {
    recording.skipped.iter().map(|skipped| (skipped.line, skipped.reason.as_str())).collect()
}

fn describe_item(item: &Item) -> String {
    match item {
        Item::User(user) => {
            let origin = match user.origin {
                Origin::Person => "person",
                Origin::Queued => "queued",
                Origin::Machine => "machine",
            };
            format!("{origin}: {}", user.text)
        }
        Item::Call(call) => {
            let parts: Vec<String> = call.parts.iter().map(describe_part).collect();
            let results: Vec<String> = call.results.iter().map(describe_result).collect();
            format!("call {:?}: {} => {}", call.stop, parts.join(", "), results.join(", "))
        }
        Item::Compaction(compaction) => match compaction.kind {
            CompactionKind::Head => "compaction of the head".to_owned(),
            CompactionKind::Results => "compaction of results".to_owned(),
        },
        Item::Rewind { last } => format!("back to {last:?}"),
    }
}

fn describe_part(part: &NewPart) -> String {
    match part {
        NewPart::Text(text) => format!("{text:?}"),
        NewPart::Thinking { text, .. } => format!("thinking {text:?}"),
        NewPart::Call { id, name, .. } => format!("{name} {id}"),
        NewPart::Native { raw, .. } => format!("native {raw}"),
        NewPart::UnfinishedCall { id, name, .. } => format!("unfinished {name} {id}"),
    }
}

fn describe_edit(edit: &lookback_engine::trace::result::EditData) -> String {
    let hunks = edit.hunks.iter().map(|hunk| format!("@{} -{:?} +{:?}", hunk.first_line, hunk.removed, hunk.added));
    format!("{} {}", edit.path, hunks.collect::<Vec<_>>().join(" "))
}

fn describe_result(result: &ToolResult) -> String {
    let text = result.text.bytes(&NoBlobs).expect("inline");
    let about = match &result.data {
        ResultData::Read(read) => format!("{} {}+{}", read.path, read.first_line, read.line_count),
        ResultData::Edit(edit) => describe_edit(edit),
        ResultData::Patch(patch) => {
            let files = patch.files.iter().map(|file| format!("{:?} {}", file.fate, describe_edit(&file.edit)));
            files.collect::<Vec<_>>().join("; ")
        }
        ResultData::Write(write) => write.path.clone(),
        ResultData::Run(run) => format!("`{}` in {:?} = {:?}", run.command, run.cwd, run.exit_code),
        ResultData::Search(search) => format!("{} {}/{}", search.pattern, search.matches.len(), search.match_count),
        ResultData::List(list) => format!("{} {:?}", list.subject, list.entries),
        ResultData::Todo { items } => {
            format!("{:?}", items.iter().map(|item| (&item.text, item.state)).collect::<Vec<_>>())
        }
        ResultData::Other(_) => String::new(),
    };
    format!("[{:?} {:?} {about} {:?}]", result.data.kind(), result.status, String::from_utf8_lossy(&text))
}
