//! Folders: all files under them that could be sessions, in an order that is the same everywhere.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::SystemTime,
};

/// A file under a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) path: PathBuf,
    pub(crate) bytes: u64,
    pub(crate) modified: Option<SystemTime>,
}

/// How names of sessions end, compressed or not. Whether one is a session its content says.
const ENDINGS: [&str; 4] = [".jsonl", ".json", ".traj", ".ndjson"];
const PACKED: [&str; 3] = [".gz", ".zst", ""];

/// By path. Links to folders are not followed: they can lead in circles.
pub(crate) fn find_files(folder: &Path) -> io::Result<Vec<Found>> {
    let mut found = Vec::new();
    walk(folder, &mut found)?;
    found.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(found)
}

fn walk(folder: &Path, found: &mut Vec<Found>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            // A folder that may not be read hides its sessions, not those of the others.
            let _ = walk(&entry.path(), found);
        } else if could_be_a_session(&entry.file_name().to_string_lossy())
            && let Ok(metadata) = fs::metadata(entry.path())
            && metadata.is_file()
        {
            found.push(Found { path: entry.path(), bytes: metadata.len(), modified: metadata.modified().ok() });
        }
    }
    Ok(())
}

fn could_be_a_session(name: &str) -> bool {
    let name = name.to_lowercase();
    ENDINGS.iter().any(|ending| PACKED.iter().any(|packed| name.ends_with(&format!("{ending}{packed}"))))
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
        let found = find_files(folder.path()).expect("it reads");
        let names: Vec<_> = found
            .iter()
            .map(|file| file.path.strip_prefix(folder.path()).expect("below").display().to_string())
            .collect();
        assert_eq!(names, ["a.traj", "b/1.jsonl.zst", "b/2.jsonl", "c.JSON.gz"]);
    }
}
