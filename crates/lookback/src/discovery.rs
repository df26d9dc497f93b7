//! Where other agents keep their sessions on this machine, for commands to which nothing was named. Only names, sizes and
//! how many there are is looked at until the person agrees.

use std::{collections::BTreeSet, path::PathBuf};

use anyhow::Result;

use crate::{
    home::set,
    input::{Found, Source, find_sessions, holds_many},
    screen,
};

/// Sessions of one agent in one place.
pub(crate) struct Place {
    pub(crate) agent: &'static str,
    pub(crate) folder: PathBuf,
    pub(crate) found: Vec<Found>,
    pub(crate) sub_agents: Vec<Found>,
}

pub(crate) fn find_places() -> Vec<Place> {
    let mut places: Vec<Place> = Vec::new();
    let mut add = |agent: &'static str, folder: PathBuf| {
        if !holds_many(&folder) || places.iter().any(|place| place.folder == folder) {
            return;
        }
        match find_sessions(&folder) {
            Ok(found) => {
                let (found, sub_agents): (Vec<_>, Vec<_>) = found.into_iter().partition(|found| found.is_main);
                if !found.is_empty() {
                    places.push(Place { agent, folder, found, sub_agents });
                }
            }
            Err(error) => screen::remark(&format!("{error:#}; left out")),
        }
    };
    match set("CLAUDE_CONFIG_DIR") {
        Some(claude) => add("Claude Code", claude.join("projects")),
        None => {
            for folder in [".claude", ".config/claude"].iter().filter_map(|folder| in_home(folder)) {
                add("Claude Code", folder.join("projects"));
            }
        }
    }
    if let Some(codex) = set("CODEX_HOME").or_else(|| in_home(".codex")) {
        add("Codex", codex.join("sessions"));
        add("Codex", codex.join("archived_sessions"));
    }
    if let Some(data) = set("XDG_DATA_HOME").or_else(|| in_home(".local/share")) {
        add("opencode", data.join("opencode/opencode.db"));
        add("opencode", data.join("opencode/storage/session"));
    }
    leave_out_what_was_moved(&mut places);
    places
}

/// opencode took the sessions of its folders into its database, and left the folders as they were.
fn leave_out_what_was_moved(places: &mut Vec<Place>) {
    let in_database = |found: &Found| match &found.source {
        Source::InDatabase(_, id) => Some(id.clone()),
        _ => None,
    };
    let all = places.iter().flat_map(|place| place.found.iter().chain(&place.sub_agents));
    let moved: BTreeSet<String> = all.filter_map(in_database).collect();
    let stays = |found: &Found| match &found.source {
        Source::InFolders(path) => !path.file_stem().is_some_and(|name| moved.contains(&*name.to_string_lossy())),
        _ => true,
    };
    for place in places.iter_mut() {
        place.found.retain(stays);
        place.sub_agents.retain(stays);
    }
    places.retain(|place| !place.found.is_empty());
}

/// How many there are of each agent, on standard error.
pub(crate) fn show(places: &[Place]) {
    screen::remark("found on this machine:");
    for Place { agent, folder, found, .. } in places {
        let bytes = found.iter().map(|found| found.bytes).sum();
        let sessions = screen::counted(found.len() as u64, "session");
        screen::remark(&format!("  {agent:<11} {sessions:>14} {:>10}  {}", size(bytes), folder.display()));
    }
}

/// Whether the person agrees; where there is nobody to ask, that is an error that says what to do.
pub(crate) fn agrees(question: &str, otherwise: &str) -> Result<bool> {
    match screen::ask(question)? {
        Some(true) => Ok(true),
        Some(false) => {
            screen::remark(otherwise);
            Ok(false)
        }
        None => anyhow::bail!("there is nobody to ask: use --yes to read them, or name files"),
    }
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
