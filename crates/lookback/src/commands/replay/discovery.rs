//! Where other agents keep their sessions on this machine. Only names and sizes are looked at until the person agrees.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use super::origin::Origin;
use crate::{
    home::set,
    input::{Found, find_files},
    screen,
};

/// More would be an hour's work for somebody who is only curious; folders can be named.
const NEWEST: usize = 50;

/// Sessions of one agent in one place.
struct Place {
    agent: &'static str,
    folder: PathBuf,
    files: Vec<Found>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Consent {
    Ask,
    Given,
}

/// What to replay when nothing was named: what was found, if the person agrees; the sample, if there is nothing.
pub(super) fn discover(consent: Consent) -> Result<Vec<Origin>> {
    let places = find_places();
    if opencode_database().is_some_and(|path| path.is_file()) {
        screen::remark(
            "opencode keeps its newer sessions in a database that is not read here: `opencode export ID > FILE.json` \
             writes one to a file",
        );
    }
    if places.is_empty() {
        screen::remark(
            "no recorded sessions of Claude Code, Codex or opencode on this machine: replaying the sample that comes with \
             lookback; `lookback replay FILES…` takes your own",
        );
        return Ok(vec![Origin::Sample]);
    }
    screen::remark("found on this machine:");
    let all: usize = places.iter().map(|place| place.files.len()).sum();
    for Place { agent, folder, files } in &places {
        let bytes = files.iter().map(|file| file.bytes).sum();
        let sessions = screen::counted(files.len() as u64, "session");
        screen::remark(&format!("  {agent:<11} {sessions:>14} {:>10}  {}", size(bytes), folder.display()));
    }
    let newest = match all {
        0..=NEWEST => "All of them".to_owned(),
        _ => format!("The newest {NEWEST}"),
    };
    screen::remark(&format!("{newest} would be read; nothing leaves this machine."));
    if consent == Consent::Ask {
        ask()?;
    }
    Ok(newest_of(places))
}

fn ask() -> Result<()> {
    match screen::ask("Read them?")? {
        Some(true) => Ok(()),
        Some(false) => bail!("nothing was read; `lookback replay FILES…` replays what you name"),
        None => bail!("there is nobody to ask: use --yes to read them, or name files"),
    }
}

/// In the order of their agents and paths, so that a report reads the same each time.
fn newest_of(places: Vec<Place>) -> Vec<Origin> {
    let mut times: Vec<_> = places.iter().flat_map(|place| &place.files).map(|file| file.modified).collect();
    times.sort_unstable_by(|one, other| other.cmp(one));
    let oldest = times.get(NEWEST - 1).copied().flatten();
    let mut origins = Vec::new();
    for Place { agent, files, .. } in places {
        let new_enough = files.into_iter().filter(|file| oldest.is_none() || file.modified >= oldest);
        origins.extend(new_enough.map(|file| match agent {
            "opencode" => Origin::Opencode(file.path),
            _ => Origin::Found(file.path),
        }));
    }
    origins.truncate(NEWEST);
    origins
}

fn find_places() -> Vec<Place> {
    let mut places = Vec::new();
    let mut add = |agent: &'static str, folder: PathBuf, keep: fn(&Path) -> bool| {
        let mut files = find_files(&folder).unwrap_or_default();
        files.retain(|file| keep(&file.path));
        if !files.is_empty() && places.iter().all(|place: &Place| place.folder != folder) {
            places.push(Place { agent, folder, files });
        }
    };
    match set("CLAUDE_CONFIG_DIR") {
        Some(claude) => add("Claude Code", claude.join("projects"), is_main_thread),
        None => {
            for folder in [".claude", ".config/claude"].iter().filter_map(|folder| in_home(folder)) {
                add("Claude Code", folder.join("projects"), is_main_thread);
            }
        }
    }
    if let Some(codex) = set("CODEX_HOME").or_else(|| in_home(".codex")) {
        add("Codex", codex.join("sessions"), |_| true);
        add("Codex", codex.join("archived_sessions"), |_| true);
    }
    if let Some(opencode) = opencode() {
        add("opencode", opencode.join("storage/session"), is_opencode_session);
    }
    places
}

/// What sub-agents did stands in files of their own and is part of no conversation with a person.
fn is_main_thread(path: &Path) -> bool {
    let is_agent = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("agent-"));
    !is_agent && path.components().all(|part| part.as_os_str() != "subagents")
}

fn is_opencode_session(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("ses_"))
}

fn opencode() -> Option<PathBuf> {
    set("XDG_DATA_HOME").or_else(|| in_home(".local/share")).map(|data| data.join("opencode"))
}

fn opencode_database() -> Option<PathBuf> {
    opencode().map(|folder| folder.join("opencode.db"))
}

fn in_home(folder: &str) -> Option<PathBuf> {
    set("HOME").map(|home| home.join(folder))
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{} kB", bytes.div_ceil(1_000)),
        _ => format!("{} MB", screen::exact(bytes / 1_000_000)),
    }
}
