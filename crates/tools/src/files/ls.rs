//! `LS`: what stands in a folder, folders first.

use std::fs;

use lookback_engine::trace::{ResultData, result::ListData};
use serde::Deserialize;

use super::walk::{Hidden, walk};
use crate::{
    envelope::{Done, Failure},
    project::{Project, failure},
};

/// Ours: as many as a model reads through; Glob narrows.
const MOST: usize = 500;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    path: Option<String>,
    #[serde(default)]
    hidden: bool,
}

pub(super) fn list(project: &Project, arguments: &Arguments) -> Result<Done, Failure> {
    let place = project.place(arguments.path.as_deref().unwrap_or("."))?;
    place.check_folder()?;
    let all = fs::read_dir(&place.real).map_err(|error| failure(&error, &place.name))?.count();

    let hidden = if arguments.hidden { Hidden::Shown } else { Hidden::LeftOut };
    let (mut folders, mut files) = (Vec::new(), Vec::new());
    // What cannot be looked at is missing here and counted above.
    for entry in
        walk(project, &place.real, hidden).max_depth(Some(1)).build().flatten().filter(|entry| entry.depth() == 1)
    {
        let name = entry.file_name().to_string_lossy().into_owned();
        match entry.file_type() {
            Some(kind) if kind.is_dir() => folders.push(format!("{name}/")),
            Some(kind) if kind.is_symlink() => {
                let target = fs::read_link(entry.path()).unwrap_or_default();
                files.push(format!("{name} -> {}", target.display()));
            }
            _ => files.push(name),
        }
    }
    folders.sort_unstable();
    files.sort_unstable();

    let mut text = format!("{}: {} folders, {} files", place.name, folders.len(), files.len());
    let mut entries = folders;
    entries.append(&mut files);
    let count = entries.len();
    if all > count {
        text.push_str(&format!(" ({} hidden or ignored ones not shown)", all - count));
    }
    let truncated = count > MOST;
    entries.truncate(MOST);
    entries.iter().for_each(|entry| text.extend(["\n", entry]));
    if truncated {
        text.push_str(&format!("\n({MOST} of {count} shown; Glob with a pattern finds the rest)"));
    }
    let data = ListData { subject: place.name.clone(), entry_count: count as u32, entries, truncated };
    Ok(Done { text: text.into(), data: ResultData::List(data), is_partial: truncated, path: Some(place.name) })
}
