//! What was made in this session: it can be removed without a question, because nobody else has ever had it.

use std::{fs, path::PathBuf, sync::OnceLock};

use lookback_engine::{Session, trace::EventBody};
use lookback_tools::shadow::{Shadow, Snapshot};

use crate::home;

/// Nobody waits longer for an answer to a removal.
const MOST_ENTRIES: usize = 20_000;

#[derive(Debug)]
pub(super) struct Own {
    root: PathBuf,
    /// When the session began, in milliseconds.
    since: i64,
    /// The files before its first step that could change any.
    first: OnceLock<String>,
}

impl Own {
    pub(super) fn of(session: &Session) -> Self {
        let since = session.trace().first().map_or(i64::MAX, |event| event.at.0);
        let own = Self { root: PathBuf::from(&session.start_of().root), since, first: OnceLock::new() };
        let taken = session.trace().iter().find_map(|event| match &event.event {
            EventBody::SnapshotTaken(taken) => Some(&taken.id),
            _ => None,
        });
        if let Some(id) = taken {
            own.kept(id);
        }
        own
    }

    /// The first one counts.
    pub(super) fn kept(&self, snapshot: &str) {
        self.first.get_or_init(|| snapshot.to_owned());
    }

    /// Whether everything at this path came into being in this session. What cannot be told did not.
    pub(super) fn holds(&self, path: &str, shadow: &Shadow) -> bool {
        let Some(name) = self.name_of(path) else { return false };
        let before = self.first.get().and_then(|id| shadow.load(id).ok());
        let Some(before) = before.filter(|before| !knew(before, &name)) else { return false };
        // A file that was too large to be kept would not be among them.
        if before.left_out.iter().any(|left| left.contains(" and what comes behind it")) {
            return false;
        }
        let mut open = vec![PathBuf::from(name)];
        let mut seen = 0;
        while let Some(next) = open.pop() {
            seen += 1;
            let Ok(about) = fs::symlink_metadata(self.root.join(&next)) else { continue };
            if seen > MOST_ENTRIES || !shadow.is_born_after(&next.to_string_lossy(), self.since) {
                return false;
            }
            if about.is_dir() {
                let Ok(entries) = fs::read_dir(self.root.join(&next)) else { return false };
                open.extend(entries.flatten().map(|entry| next.join(entry.file_name())));
            }
        }
        true
    }

    /// Relative to the root, where the path leads there without links and without going up.
    fn name_of(&self, path: &str) -> Option<String> {
        let name = home::relative(&self.root, path).filter(|name| name.split('/').all(|part| part != ".git"))?;
        let parent = self.root.join(&name).parent()?.to_owned();
        let is_straight = parent.canonicalize().is_ok_and(|real| real == parent);
        (!name.is_empty() && is_straight).then_some(name)
    }
}

fn knew(before: &Snapshot, name: &str) -> bool {
    let is_at = |path: &str| path == name || path.strip_prefix(name).is_some_and(|rest| rest.starts_with(['/', ':']));
    before.files.keys().any(|path| is_at(path)) || before.left_out.iter().any(|left| is_at(left))
}
