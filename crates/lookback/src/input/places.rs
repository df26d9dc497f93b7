//! What a person names, file by file: a folder is all files under it that could be sessions, a database all sessions in it.
//! In an order that is the same everywhere.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
    time::SystemTime,
};

use anyhow::{Context, Result, anyhow};

use super::{Source, database, opencode};
use crate::screen;

/// Something that could be a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) source: Source,
    pub(crate) bytes: u64,
    pub(crate) modified: Option<SystemTime>,
    /// What sub-agents did stands by itself and is part of no conversation with a person.
    pub(crate) is_main: bool,
}

/// How names of sessions end, compressed or not. Whether one is a session its content says.
const ENDINGS: [&str; 4] = [".jsonl", ".json", ".traj", ".ndjson"];
const PACKED: [&str; 3] = [".gz", ".zst", ""];

/// Whether a path stands for more than the one file that it names.
pub(crate) fn holds_many(path: &Path) -> bool {
    path.is_dir() || path.is_file() && database::is_database(path)
}

/// By path. Links to folders are not followed: they can lead in circles.
pub(crate) fn find_sessions(path: &Path) -> Result<Vec<Found>> {
    let mut found = Vec::new();
    match path.is_dir() {
        true => walk(path, &mut found).with_context(|| format!("cannot read {}", path.display()))?,
        false => found = in_database(path)?,
    }
    found.sort_by(|one, other| one.source.cmp(&other.source));
    Ok(found)
}

/// The same of a folder that a person named: where there is nothing they want to know what was looked for.
pub(crate) fn named_sessions(path: &Path) -> Result<Vec<Found>> {
    let found = find_sessions(path)?;
    if found.is_empty() { Err(anyhow!(nothing_under(path))) } else { Ok(found) }
}

/// Those that Claude Code puts beside a session's file: `one/subagents/` beside `one.jsonl`.
pub(crate) fn sub_agents_beside(file: &Path) -> Vec<Found> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let Some((name, _)) = name.split_once(".jsonl") else { return Vec::new() };
    let folder = file.with_file_name(name).join("subagents");
    if folder.is_dir() { find_sessions(&folder).unwrap_or_default() } else { Vec::new() }
}

/// What was looked for and is not there.
pub(crate) fn nothing_under(path: &Path) -> String {
    format!(
        "no file under {} has the name of a session: they end in .jsonl, .json, .traj or .ndjson, with or without .gz or .zst",
        path.display()
    )
}

/// Each once, also where a folder and a file in it were given, or a link.
pub(crate) fn once(found: &mut Vec<Found>) {
    let mut seen = BTreeSet::new();
    found.retain(|found| seen.insert(found.source.as_it_lies()));
}

fn walk(folder: &Path, found: &mut Vec<Found>) -> io::Result<()> {
    if opencode::is_storage(folder) {
        return walk(&folder.join("session"), found);
    }
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().to_lowercase());
        if entry.file_type()?.is_dir() {
            // A folder that may not be read hides its sessions, not those of the others.
            if let Err(error) = walk(&path, found) {
                screen::remark(&format!("cannot read {}: {error}; left out", path.display()));
            }
        } else if could_be_a_session(&name) {
            found.extend(one(Source::new(&path), &path));
        } else if name.starts_with("opencode") && name.ends_with(".db") && database::is_database(&path) {
            // Where it cannot be read, reading it says why.
            found.extend(
                in_database(&path).unwrap_or_else(|_| one(Source::File(path.clone()), &path).into_iter().collect()),
            );
        }
    }
    Ok(())
}

fn one(source: Source, path: &Path) -> Option<Found> {
    let metadata = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    if let Source::InFolders(_) = source {
        let (bytes, is_main) = (opencode::size(path), opencode::is_main(path));
        return Some(Found { source, bytes, modified: metadata.modified().ok(), is_main });
    }
    let agent = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("agent-"));
    let is_main = !agent && path.components().all(|part| part.as_os_str() != "subagents");
    Some(Found { source, bytes: metadata.len(), modified: metadata.modified().ok(), is_main })
}

fn in_database(path: &Path) -> Result<Vec<Found>> {
    let rows = database::sessions(path)?;
    let size = fs::metadata(path).map_or(0, |file| file.len());
    let bytes = size / (rows.len() as u64).max(1);
    let found = rows.into_iter().map(|row| {
        let source = Source::InDatabase(path.to_owned(), row.id);
        Found { source, bytes, modified: row.updated, is_main: row.is_main }
    });
    Ok(found.collect())
}

fn could_be_a_session(name: &str) -> bool {
    ENDINGS.iter().any(|ending| PACKED.iter().any(|packed| name.ends_with(&format!("{ending}{packed}"))))
}

/// What a path is a session in: for names that are the same wherever it was given.
pub(super) fn as_it_lies(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_are_found_under_folders_in_order() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["b/2.jsonl", "b/1.jsonl.zst", "a.traj", "c.JSON.gz", "notes.txt", "b/x.rs"] {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, "x").expect("a file");
        }
        let mut found = find_sessions(folder.path()).expect("it reads");
        let name = |found: &Found| found.source.name().replace(&format!("{}/", folder.path().display()), "");
        let names: Vec<String> = found.iter().map(name).collect();
        assert_eq!(names, ["a.traj", "b/1.jsonl.zst", "b/2.jsonl", "c.JSON.gz"]);
        found.extend(find_sessions(&folder.path().join("b/../b")).expect("it reads"));
        once(&mut found);
        assert_eq!(found.len(), 4);
    }
}
