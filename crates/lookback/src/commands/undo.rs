//! `lookback undo`: the files as they were before the last step that changed any, after a look at the difference.

use anyhow::{Context as _, Result, bail};
use lookback_engine::{
    Session,
    trace::{
        EventBody,
        event::{RestoredFile, SnapshotUndone},
    },
};
use lookback_tools::{
    difference,
    shadow::{Fate, Shadow, Snapshot},
};

use super::run::{newest_here, shadow_of};
use crate::{cli::UndoArguments, opened::Opened, screen};

pub(crate) fn run(arguments: UndoArguments) -> Result<()> {
    let mut opened = match &arguments.id {
        Some(prefix) => Opened::find(prefix)?,
        None => Opened::find(&newest_here()?)?,
    };
    let root = opened.session.start_of().root.clone();
    let shadow = shadow_of(&root)?;
    let Some(step) = last_step(&opened.session, &shadow)? else {
        bail!("there is nothing to undo: no step of this session has changed a file");
    };
    let changes = step.before.changes(&step.after);
    refuse_foreign(&shadow, &step, &changes)?;
    show(&shadow, &step, &changes)?;
    if !arguments.yes {
        match screen::ask(&format!("put {} back?", screen::counted(changes.len() as u64, "file")))? {
            Some(true) => {}
            Some(false) => return screen::say("nothing was changed"),
            None => bail!("nothing was changed: --yes puts these files back"),
        }
    }
    let paths: Vec<String> = changes.iter().map(|(path, _)| path.clone()).collect();
    shadow.put_back(&step.before, &paths).context("not all files could be put back")?;
    let files = paths
        .iter()
        .map(|path| RestoredFile { path: path.clone(), hash: step.before.files.get(path).map(|kept| kept.hash) });
    let undone = SnapshotUndone { number: step.number, files: files.collect(), kept: Vec::new() };
    opened.change(|session, context| {
        session.snapshot_undone(undone, context)?;
        // What the session knows of these files no longer holds.
        paths.iter().try_for_each(|path| session.file_changed_outside(path.clone(), None, context))
    })?;
    screen::say(&format!("{} as before turn {}", screen::counted(paths.len() as u64, "file"), step.turn))
}

/// The last step that changed files and was not taken back: the files before it and after it.
struct Step {
    number: u32,
    turn: u32,
    before: Snapshot,
    after: Snapshot,
}

fn last_step(session: &Session, shadow: &Shadow) -> Result<Option<Step>> {
    let mut taken = Vec::new();
    for event in session.trace() {
        match &event.event {
            EventBody::SnapshotTaken(snapshot) => taken.push((snapshot.number, snapshot.turn.0, snapshot.id.clone())),
            EventBody::SnapshotUndone(undone) => taken.retain(|(number, ..)| *number <= undone.number),
            _ => {}
        }
    }
    let Some((_, turn, last)) = taken.pop() else { return Ok(None) };
    let Some((number, _, before)) = taken.into_iter().rev().find(|(.., id)| *id != last) else { return Ok(None) };
    let load = |id: &str| shadow.load(id).context("the files that were kept cannot be read");
    Ok(Some(Step { number, turn, before: load(&before)?, after: load(&last)? }))
}

/// What somebody else has changed since is not written over.
fn refuse_foreign(shadow: &Shadow, step: &Step, changes: &[(String, Fate)]) -> Result<()> {
    let now = shadow.now().context("the files cannot be read")?;
    let since = step.after.changes(&now);
    let foreign: Vec<&str> = changes
        .iter()
        .map(|(path, _)| path.as_str())
        .filter(|path| since.iter().any(|(changed, _)| changed == path))
        .collect();
    if foreign.is_empty() {
        return Ok(());
    }
    bail!("nothing was changed: somebody else has changed {} since that step", foreign.join(", "))
}

fn show(shadow: &Shadow, step: &Step, changes: &[(String, Fate)]) -> Result<()> {
    let mut out = screen::screen();
    for (path, fate) in changes {
        let what = match fate {
            Fate::Created => "goes away",
            Fate::Changed => "changes back",
            Fate::Deleted => "comes back",
        };
        writeln!(out, "{path} {what}")?;
        let content = |snapshot| Ok::<_, std::io::Error>(shadow.content(snapshot, path)?.unwrap_or_default());
        let (old, new) = (content(&step.after)?, content(&step.before)?);
        writeln!(out, "{}", difference(&old, &new))?;
    }
    Ok(out.flush()?)
}
