//! `lookback undo`: the files as they were before the last step that changed any, after a look at the difference.
//!
//! Nothing that the step did not do is touched: a file is taken away only if it came into being after the files were kept,
//! and one that somebody else has changed since ends the whole thing.

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use lookback_engine::{
    Session,
    trace::event::{RestoredFile, SnapshotUndone},
};
use lookback_tools::{
    difference,
    shadow::{Fate, Shadow, Snapshot},
};

use super::run::{Pair, newest_here, pairs, shadow_of};
use crate::{cli::UndoArguments, opened::Opened, screen};

pub(crate) fn run(arguments: UndoArguments) -> Result<()> {
    let mut opened = match &arguments.id {
        Some(prefix) => Opened::find(prefix)?,
        None => Opened::find(&newest_here()?)?,
    };
    let shadow = shadow_of(Path::new(&opened.session.start_of().root))?;
    let Some(step) = last_step(&opened.session, &shadow)? else {
        bail!("there is nothing to undo: no step of this session has changed a file that was kept");
    };
    let Plan { changes, mut stay, uncovered } = plan(&shadow, &step)?;
    show(&shadow, &step, &changes)?;
    for path in &stay {
        screen::remark(&format!("{path} stays: it may have been there before that step, and was not kept"));
    }
    for path in &uncovered {
        screen::remark(&format!("{path} stays: it was not kept both before and behind that step"));
    }
    stay.extend(uncovered);
    if changes.is_empty() {
        bail!("there is nothing to undo: of what that step did nothing can be put back");
    }
    if !arguments.yes {
        match screen::ask(&format!("put {} back?", screen::counted(changes.len() as u64, "file")))? {
            Some(true) => {}
            Some(false) => return screen::say("nothing was changed"),
            None => bail!("nothing was changed: --yes puts these files back"),
        }
    }
    let paths: Vec<String> = changes.into_iter().map(|(path, _)| path).collect();
    shadow.put_back(&step.before, &paths).context("not all files could be put back: try again when that is mended")?;
    let files = paths
        .iter()
        .map(|path| RestoredFile { path: path.clone(), hash: step.before.files.get(path).map(|kept| kept.hash) });
    let undone = SnapshotUndone { number: step.number, files: files.collect(), kept: stay };
    opened.change(|session, context| {
        session.snapshot_undone(undone, context)?;
        // What the session knows of these files no longer holds.
        paths.iter().try_for_each(|path| session.file_changed_outside(path.clone(), None, context))
    })?;
    screen::say(&format!("{} as before turn {}", screen::counted(paths.len() as u64, "file"), step.turn))
}

/// The files before a step that changed some, and behind it.
struct Step {
    number: u32,
    turn: u32,
    /// When they were kept, in milliseconds.
    at: i64,
    before: Snapshot,
    after: Snapshot,
}

fn last_step(session: &Session, shadow: &Shadow) -> Result<Option<Step>> {
    let mut pairs = pairs(session);
    let load = |id: &str| shadow.load(id).context("the files that were kept cannot be read");
    while let Some(Pair { number, turn, at, before, after }) = pairs.pop() {
        let before = load(&before)?;
        let after = match after {
            Some(after) => load(&after)?,
            None => {
                screen::remark("that step was cut off: whatever has changed since counts as its doing");
                shadow.take().context("the files cannot be read")?.1
            }
        };
        if !before.changes(&after).is_empty() {
            return Ok(Some(Step { number, turn, at, before, after }));
        }
    }
    Ok(None)
}

struct Plan {
    changes: Vec<(String, Fate)>,
    /// What may not be taken away.
    stay: Vec<String>,
    /// What has changed, and was not kept on both sides of the step.
    uncovered: Vec<String>,
}

/// What is to be done for a step; an error where somebody else has changed something of it since.
fn plan(shadow: &Shadow, step: &Step) -> Result<Plan> {
    let Step { at, before, after, .. } = step;
    let all = before.changes(after);
    // With other rules other files are seen, which are as old as the hills.
    let shows_more = all.iter().filter(|(path, _)| path.rsplit('/').next() == Some(".gitignore"));
    let shows_more = shows_more.map(|(path, fate)| match fate {
        Fate::Created => Ok(shadow.content(after, path)?.is_some_and(|rules| has_exceptions(&rules))),
        Fate::Changed | Fate::Deleted => Ok(true),
    });
    let rules_changed = shows_more.collect::<std::io::Result<Vec<bool>>>()?.contains(&true);
    let (mut changes, mut stay, mut foreign) = (Vec::new(), Vec::new(), Vec::new());
    for (path, fate) in all {
        if shadow.is_as(&path, before.files.get(&path))? {
            continue;
        }
        if !shadow.is_as(&path, after.files.get(&path))? {
            foreign.push(path);
            continue;
        }
        let is_new = !rules_changed && shadow.is_born_after(&path, *at);
        match fate {
            Fate::Created if !is_new => stay.push(path),
            fate => changes.push((path, fate)),
        }
    }
    if !foreign.is_empty() {
        bail!("nothing was changed: somebody else has changed {} since that step", foreign.join(", "));
    }
    let mut uncovered: Vec<String> =
        after.files.keys().filter(|path| before.not_kept.contains(*path)).cloned().collect();
    for (path, kept) in before.files.iter().filter(|(path, _)| !after.covers(path)) {
        if !shadow.is_as(path, Some(kept))? {
            uncovered.push(path.clone());
        }
    }
    Ok(Plan { changes, stay, uncovered })
}

/// Whether rules show again what others leave out.
fn has_exceptions(rules: &[u8]) -> bool {
    rules.split(|byte| *byte == b'\n').any(|line| line.trim_ascii_start().starts_with(b"!"))
}

fn show(shadow: &Shadow, step: &Step, changes: &[(String, Fate)]) -> Result<()> {
    let mut out = screen::screen();
    for (path, fate) in changes {
        let what = match fate {
            Fate::Created => "goes away",
            Fate::Changed => "changes back",
            Fate::Deleted => "comes back",
        };
        let modes = [&step.after, &step.before].map(|snapshot| snapshot.files.get(path).map(|kept| kept.mode & 0o7777));
        let mode = match modes {
            [Some(now), Some(before)] if now != before => format!(": mode {now:o} → {before:o}"),
            _ => String::new(),
        };
        writeln!(out, "{path} {what}{mode}")?;
        let content = |snapshot| Ok::<_, std::io::Error>(shadow.content(snapshot, path)?.unwrap_or_default());
        let (old, new) = (content(&step.after)?, content(&step.before)?);
        if old != new {
            writeln!(out, "{}", difference(&old, &new))?;
        }
    }
    Ok(out.flush()?)
}
