//! Which files steps have really changed: by what was kept of them before and behind each.

use std::collections::{BTreeMap, BTreeSet};

use lookback_engine::{
    Session,
    trace::{Event, EventBody, ResultData},
};
use lookback_tools::shadow::{Kept, Shadow};

/// Snapshots come in pairs, by the turn of their step; one that was killed has only the first.
pub(crate) struct Pair {
    pub(crate) number: u32,
    pub(crate) turn: u32,
    /// When the files were kept, in milliseconds.
    pub(crate) at: i64,
    pub(crate) before: String,
    pub(crate) after: Option<String>,
}

/// Those that were not undone, oldest first.
pub(crate) fn pairs(session: &Session) -> Vec<Pair> {
    let mut pairs: Vec<Pair> = Vec::new();
    for event in session.trace() {
        match &event.event {
            EventBody::SnapshotTaken(taken) => match pairs.last_mut() {
                Some(open) if open.turn == taken.turn.0 && open.after.is_none() => open.after = Some(taken.id.clone()),
                _ => pairs.push(Pair {
                    number: taken.number,
                    turn: taken.turn.0,
                    at: event.at.0,
                    before: taken.id.clone(),
                    after: None,
                }),
            },
            EventBody::SnapshotUndone(undone) => pairs.retain(|pair| pair.number < undone.number),
            _ => {}
        }
    }
    pairs
}

/// The files that are others since the event of that number: what tools wrote, and what commands did to files that are kept.
/// One that was changed and changed back is none.
pub(super) fn changed_since(session: &Session, first: usize, shadow: Option<&Shadow>) -> BTreeSet<String> {
    let events = session.trace().get(first..).unwrap_or_default();
    let since = events.first().map_or(i64::MAX, |event| event.at.0);
    let mut files: BTreeMap<String, (Option<Kept>, Option<Kept>)> = BTreeMap::new();
    let mut covered = BTreeSet::new();
    for pair in pairs(session).into_iter().filter(|pair| pair.at >= since) {
        let (Some(shadow), Some(after)) = (shadow, &pair.after) else { continue };
        let (Ok(before), Ok(after)) = (shadow.load(&pair.before), shadow.load(after)) else { continue };
        for (path, _) in before.changes(&after) {
            let (was, is) = (before.files.get(&path).cloned(), after.files.get(&path).cloned());
            files.entry(path).or_insert((was, None)).1 = is;
        }
        covered.extend(after.files.into_keys());
    }
    let kept = files.iter().filter(|(_, (was, is))| was != is).map(|(path, _)| path.clone());
    let written =
        events.iter().filter_map(written).filter(|path| !covered.contains(*path) && !files.contains_key(*path));
    written.map(str::to_owned).chain(kept).collect()
}

/// What a tool for files says that it wrote.
fn written(event: &Event) -> Option<&str> {
    match &event.event {
        EventBody::ToolResult { result, .. } if result.error.is_none() => match &result.data {
            ResultData::Edit(edit) => Some(&edit.path),
            ResultData::Write(write) => Some(&write.path),
            _ => None,
        },
        _ => None,
    }
}
