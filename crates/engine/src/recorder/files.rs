//! What a result shows of files: which lines of which file were seen, which file changed.
//!
//! A function of the result alone. What is known of the file from before is not known here.

use crate::{
    evidence::{
        lines::{NumberedLine, lines_in},
        printed::{Attributed, attribute},
    },
    shell::Script,
    trace::{
        BlobHash, EventBody, EventNo, Output, ResultData, Status, ToolResult,
        event::{FileChange, FileChanged, FileObserved},
        result::{LineForm, ReadData, RunData, SearchData},
    },
};

/// What a result shows of files, as events that stand behind it.
pub(super) fn file_events(
    result: &ToolResult,
    script: Option<&Script>,
    text: &[u8],
    source: EventNo,
) -> Vec<EventBody> {
    match &result.data {
        ResultData::Read(read) => read_event(read, text, source).into_iter().collect(),
        ResultData::Search(search) => search_events(search, source),
        data @ (ResultData::Edit(_) | ResultData::Patch(_)) => {
            data.edits().map(|edit| changed(&edit.path, FileChange::Edited { source })).collect()
        }
        ResultData::Write(write) => vec![changed(&write.path, FileChange::Written { source })],
        ResultData::Run(run) if shows_all_it_printed(result, run) => {
            let seen = script.map(|script| attribute(script, &run.cwd, text)).unwrap_or_default();
            let event = |seen: Attributed| {
                let lines = lines_in(text, &seen.form, seen.first_line);
                let first = lines.first()?.0;
                Some(observation(&seen.path, first, texts(&lines), Some(seen.form.clone()), source))
            };
            seen.into_iter().filter_map(event).collect()
        }
        ResultData::Run(_) | ResultData::List(_) | ResultData::Todo { .. } | ResultData::Other(_) => Vec::new(),
    }
}

/// Only then can lines be counted: of a cut, failed or killed command it is unknown which lines are the file's.
fn shows_all_it_printed(result: &ToolResult, run: &RunData) -> bool {
    let ended_well = !run.timed_out && run.exit_code.is_none_or(|code| code == 0);
    result.status == Status::Success && ended_well && !matches!(result.text, Output::Beyond(_))
}

fn read_event(read: &ReadData, text: &[u8], source: EventNo) -> Option<EventBody> {
    let lines = lines_in(text, &read.form, read.first_line);
    let whole = read.first_line <= 1 && read.total_lines == Some(lines.len() as u32);
    let first = lines.first().map(|(number, _)| *number).or(whole.then_some(1))?;
    let EventBody::FileObserved(seen) = observation(&read.path, first, texts(&lines), Some(read.form.clone()), source)
    else {
        return None;
    };
    Some(EventBody::FileObserved(Box::new(FileObserved { mtime: read.mtime, whole, ..*seen })))
}

fn search_events(search: &SearchData, source: EventNo) -> Vec<EventBody> {
    let mut paths: Vec<&str> = search.matches.iter().map(|found| found.path.as_str()).collect();
    paths.sort_unstable();
    paths.dedup();
    let event = |path: &str| {
        let matches = || search.matches.iter().filter(|found| found.path == path);
        let first = matches().map(|found| found.line).min().unwrap_or(1);
        observation(path, first, matches().map(|found| found.text.as_str()), None, source)
    };
    paths.into_iter().map(event).collect()
}

fn texts<'a>(lines: &'a [NumberedLine<'_>]) -> impl Iterator<Item = &'a str> {
    lines.iter().map(|(_, line)| line.as_ref())
}

fn observation<'a>(
    path: &str,
    first_line: u32,
    lines: impl Iterator<Item = &'a str>,
    form: Option<LineForm>,
    source: EventNo,
) -> EventBody {
    let lines: Vec<&str> = lines.collect();
    EventBody::FileObserved(Box::new(FileObserved {
        path: path.to_owned(),
        first_line,
        line_count: lines.len() as u32,
        source,
        form,
        mtime: None,
        whole: false,
        hash: BlobHash::of(lines.join("\n").as_bytes()),
        anchors: Box::default(),
    }))
}

fn changed(path: &str, change: FileChange) -> EventBody {
    EventBody::FileChanged(Box::new(FileChanged { path: path.to_owned(), change, anchors: Box::default() }))
}
