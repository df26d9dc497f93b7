//! How a session was run, for whoever goes on with it: the same server and no more leave than before, unless the person
//! says otherwise. What was allowed once (`--allow`, `--without-sandbox`) is asked for each time.

use std::{fs, path::PathBuf};

use anyhow::{Context, Result};
use lookback_agent::permission::Mode;
use lookback_engine::trace::SessionId;
use serde::{Deserialize, Serialize};

use crate::{cli::RunOptions, home, interruption};

#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Remembered {
    base_url: Option<String>,
    permission: Option<String>,
    #[serde(default)]
    add_dir: Vec<PathBuf>,
}

fn place(id: &SessionId) -> Result<PathBuf> {
    Ok(home::locate()?.join("runs").join(format!("{}.json", id.0)))
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
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
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
