//! How a session was run, for whoever goes on with it: the same server and no more leave than before, unless the person
//! says otherwise. What was allowed once (`--allow`, `--without-sandbox`) is asked for each time.

use std::{
    fs, io,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use lookback_agent::permission::Mode;
use lookback_engine::trace::SessionId;
use lookback_store::SessionSummary;
use lookback_tools::shadow::Shadow;
use serde::{Deserialize, Serialize};

use crate::{cli::RunOptions, home, interruption};

/// Who records runs.
const OWN: &str = "lookback";

#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Remembered {
    base_url: Option<String>,
    permission: Option<String>,
    #[serde(default)]
    add_dir: Vec<PathBuf>,
}

fn place(id: &SessionId) -> Result<PathBuf> {
    home::own(&home::locate()?, format!("runs/{}.json", id.0))
}

/// Fills in what the person did not say.
pub(super) fn recall(id: &SessionId, how: &mut RunOptions) -> Result<()> {
    let path = place(id)?;
    let Ok(text) = fs::read_to_string(&path) else { return Ok(()) };
    let known: Remembered = serde_json::from_str(&text).with_context(|| {
        format!("{} cannot be read: remove it, and name --base-url and --permission anew", path.display())
    })?;
    how.base_url = how.base_url.take().or(known.base_url);
    if how.permission.is_none() {
        how.permission = known.permission.and_then(|name| name.parse().ok());
    }
    if how.add_dir.is_empty() {
        how.add_dir = known.add_dir;
    }
    Ok(())
}

pub(super) fn remember(id: &SessionId, how: &RunOptions) -> Result<()> {
    let path = place(id)?;
    if let Some(folder) = path.parent() {
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)
            .with_context(|| format!("cannot make {}", folder.display()))?;
    }
    let permission = how.permission.map(|mode| {
        match mode {
            Mode::ReadOnly => "read-only",
            Mode::Ask => "ask",
            Mode::AutoEdit => "auto-edit",
            Mode::Full => "full",
        }
        .to_owned()
    });
    let known = Remembered { base_url: how.base_url.clone(), permission, add_dir: how.add_dir.clone() };
    interruption::write_whole(&path, &serde_json::to_string(&known)?)
}

/// What was kept for sessions that are gone: how they were run, and the files of projects that no session works in now.
pub(crate) fn forget(gone: &[SessionSummary], left: &[SessionSummary]) -> Result<()> {
    for session in gone.iter().filter(|session| left.iter().all(|other| other.id != session.id)) {
        let run = place(&session.id)?;
        expect_gone(fs::remove_file(&run), &run)?;
        if session.agent == OWN && left.iter().all(|other| other.agent != OWN || other.root != session.root) {
            let shadow = Shadow::place(&home::own(&home::locate()?, "shadow")?, Path::new(&session.root));
            expect_gone(fs::remove_dir_all(&shadow), &shadow)?;
        }
    }
    Ok(())
}

fn expect_gone(removed: io::Result<()>, path: &Path) -> Result<()> {
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", path.display()))
        }
        _ => Ok(()),
    }
}
