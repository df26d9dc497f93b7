//! `Glob`: files by the form of their paths, newest first.

use std::{
    cmp::Reverse,
    collections::BinaryHeap,
    time::{Duration, SystemTime},
};

use lookback_engine::trace::{ResultData, result::ListData};
use serde::Deserialize;

use super::{
    Stop,
    walk::{Pattern, walk},
};
use crate::{
    envelope::{Code, Done, Failure},
    project::Project,
};

/// Ours: as many as a model reads through. They are the newest.
const MOST: usize = 500;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    pattern: String,
    path: Option<String>,
}

pub(super) fn find(project: &Project, arguments: &Arguments, stop: Stop<'_>) -> Result<Done, Failure> {
    let place = project.place(arguments.path.as_deref().unwrap_or("."))?;
    place.check_folder()?;
    let pattern = Pattern::parse(&arguments.pattern, &place.real)?;

    // The oldest of those kept is the first to go. Same time: by name, so that the answer is always the same.
    let mut kept: BinaryHeap<Reverse<(Duration, Reverse<String>)>> = BinaryHeap::new();
    let mut count = 0_usize;
    for entry in walk(project, &place.real, pattern.hidden).build().flatten() {
        if stop() {
            return Err(Failure::new(Code::ExecutionError, "stopped before all folders were looked at"));
        }
        if entry.file_type().is_none_or(|kind| kind.is_dir()) || !pattern.fits(entry.path(), &place.real) {
            continue;
        }
        let changed = entry.metadata().ok().and_then(|about| about.modified().ok());
        let changed = changed.and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok()).unwrap_or_default();
        kept.push(Reverse((changed, Reverse(project.name_of(entry.path())))));
        count += 1;
        if kept.len() > MOST {
            kept.pop();
        }
    }
    let entries: Vec<String> = kept.into_sorted_vec().into_iter().map(|Reverse((_, Reverse(name)))| name).collect();

    let truncated = count > entries.len();
    let mut text = match count {
        0 => format!("no file matches {} in {}", arguments.pattern, place.name),
        1 => "1 file".to_owned(),
        _ => format!("{count} files, newest first"),
    };
    entries.iter().for_each(|entry| text.extend(["\n", entry]));
    if truncated {
        text.push_str(&format!("\n(the newest {MOST} of {count}; a narrower pattern or a path shows others)"));
    }
    let data = ListData { subject: arguments.pattern.clone(), entry_count: count as u32, entries, truncated };
    Ok(Done { text: text.into(), data: ResultData::List(data), is_partial: truncated, path: Some(place.name) })
}
