//! What a range of turns did to files, and which it looked at.

use std::collections::{BTreeMap, BTreeSet};

use super::summary::{ChangedFile, ReadFile};
use crate::{
    configuration::archive::UNSEEN_FILES,
    evidence::lines::split_lines,
    history::History,
    trace::{
        BlobError, Blobs, EventBody, EventNo, ResultData, ToolResult, TurnNo, decision::TurnRange, event::FileChange,
    },
};

/// The files that a range touched, those last touched at the end.
#[derive(Debug, Default)]
pub(super) struct Touched {
    pub(super) changed: Vec<ChangedFile>,
    pub(super) read: Vec<ReadFile>,
    /// The first turn that changed one itself, and the last.
    pub(super) changes: Option<(TurnNo, TurnNo)>,
}

/// One file while the events go by.
#[derive(Debug, Default)]
struct Tally {
    file: ChangedFile,
    last_read: Option<TurnNo>,
    last_event: Option<EventNo>,
}

pub(super) fn touched_files(history: &History, range: TurnRange, blobs: &dyn Blobs) -> Result<Touched, BlobError> {
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    let mut touched = Touched::default();
    let mut now = range.first;
    for event in history.live_events(range) {
        match &event.event {
            EventBody::UserTurn(user) => now = user.turn,
            EventBody::AssistantTurn(assistant) => now = assistant.turn,
            EventBody::ToolResult { turn, .. } => now = *turn,
            // Without a form these are matches of a search: the file itself was not read.
            EventBody::FileObserved(seen) if seen.form.is_some() => {
                let tally = tallies.entry(&seen.path).or_default();
                tally.file.reads += 1;
                tally.last_read = Some(now);
                tally.last_event = Some(event.seq);
            }
            EventBody::FileChanged(changed) => {
                let tally = tallies.entry(&changed.path).or_default();
                tally.file.path.clone_from(&changed.path);
                tally.last_event = Some(event.seq);
                tally.file.last = Some(now);
                match changed.change {
                    FileChange::Outside { .. } => tally.file.outside += 1,
                    FileChange::Edited { source } | FileChange::Written { source } => {
                        count_change(&mut tally.file, history, source, blobs)?;
                        touched.changes = Some((touched.changes.map_or(now, |(first, _)| first), now));
                    }
                }
            }
            _ => {}
        }
    }
    let mut tallies: Vec<(&str, Tally)> = tallies.into_iter().collect();
    tallies.sort_by_key(|(_, tally)| tally.last_event);
    for (path, Tally { file, last_read, .. }) in tallies {
        match (file.last, last_read) {
            (Some(_), _) => touched.changed.push(file),
            (None, Some(last)) => touched.read.push(ReadFile { path: path.to_owned(), reads: file.reads, last }),
            (None, None) => {}
        }
    }
    touched.changed.sort_by_key(|file| file.last);
    Ok(touched)
}

/// The files that a range changed, by name: for the prompt.
pub(crate) fn changed_paths(history: &History, range: TurnRange) -> Vec<&str> {
    let mut paths: BTreeSet<&str> = BTreeSet::new();
    let mut unseen: BTreeSet<&str> = BTreeSet::new();
    for event in history.live_events(range) {
        if let EventBody::FileChanged(changed) = &event.event {
            let is_unseen = matches!(changed.change, FileChange::Outside { .. });
            if is_unseen {
                unseen.insert(&changed.path)
            } else {
                paths.insert(&changed.path)
            };
        }
    }
    if unseen.len() <= UNSEEN_FILES {
        paths.append(&mut unseen);
    }
    paths.into_iter().collect()
}

fn count_change(
    file: &mut ChangedFile,
    history: &History,
    source: EventNo,
    blobs: &dyn Blobs,
) -> Result<(), BlobError> {
    match result_at(history, source).map(|result| &result.data) {
        Some(data @ (ResultData::Edit(_) | ResultData::Patch(_))) => {
            let Some(edit) = data.edit_of(&file.path) else { return Ok(()) };
            file.edits += 1;
            file.added += edit.hunks.iter().map(|hunk| hunk.added.len()).sum::<usize>();
            file.removed += edit.hunks.iter().map(|hunk| hunk.removed.len()).sum::<usize>();
        }
        Some(ResultData::Write(write)) => {
            file.writes += 1;
            file.created |= write.created;
            file.written_lines = split_lines(&write.content.bytes(blobs)?).count();
        }
        _ => {}
    }
    Ok(())
}

pub(super) fn result_at(history: &History, event: EventNo) -> Option<&ToolResult> {
    match &history.events().get(event.0 as usize)?.event {
        EventBody::ToolResult { result, .. } => Some(result),
        _ => None,
    }
}
