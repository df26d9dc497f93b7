//! Repositories inside a repository that its index names: git looks into them at every `git status` above, and does what
//! their configuration says. Others are looked into only by who goes there.

use std::{
    ffi::OsStr,
    fs,
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
};

/// Deeper ones have a person go there.
const DEEPEST: u32 = 8;

/// The folders in which such repositories keep what is git's, without links, those inside of them among them.
pub(super) fn inner_repositories(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    look_into(folder, DEEPEST, &mut found);
    found
}

fn look_into(folder: &Path, depth: u32, found: &mut Vec<PathBuf>) {
    let Some(repository) = repository_of(folder) else { return };
    for inner in gitlinks_of(&repository).into_iter().map(|name| folder.join(name)) {
        let Some(repository) = repository_of(&inner).filter(|repository| !found.contains(repository)) else { continue };
        found.push(repository);
        if depth > 0 {
            look_into(&inner, depth - 1, found);
        }
    }
}

/// Where `.git` is, or leads.
fn repository_of(folder: &Path) -> Option<PathBuf> {
    let git = folder.join(".git");
    match fs::read_to_string(&git) {
        Ok(text) => folder.join(text.strip_prefix("gitdir: ")?.trim_end()).canonicalize().ok(),
        Err(_) => git.canonicalize().ok(),
    }
}

/// By the index, be it split. Which of two hashes its entries have stands elsewhere, so both are tried: read with the
/// wrong one it names nothing that is there.
fn gitlinks_of(repository: &Path) -> Vec<PathBuf> {
    let names = fs::read_dir(repository).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_index = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().as_bytes();
        name == b"index" || name.starts_with(b"sharedindex.")
    };
    let read = names.filter(is_index).filter_map(|path| fs::read(path).ok());
    read.flat_map(|bytes| [20, 32].into_iter().flat_map(move |hash| gitlinks(&bytes, hash))).collect()
}

/// The entries of an index that are repositories (git's `index-format`, versions 2 to 4), as far as they can be read.
fn gitlinks(bytes: &[u8], hash: usize) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let number = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let (Some(version), Some(count)) = (number(4), number(8)) else { return found };
    let (mut at, mut name) = (12, Vec::new());
    for _ in 0..count {
        let flags = at + 40 + hash;
        let (Some(mode), Some(first)) = (number(at + 24), bytes.get(flags)) else { break };
        let mut start = flags + if version >= 3 && first & 0x40 != 0 { 4 } else { 2 };
        let kept = if version < 4 {
            0
        } else {
            let Some((dropped, behind)) = varint(bytes, start) else { break };
            start = behind;
            name.len().saturating_sub(dropped)
        };
        let Some(length) = bytes.get(start..).and_then(|rest| rest.iter().position(|byte| *byte == 0)) else { break };
        name.truncate(kept);
        name.extend_from_slice(&bytes[start..start + length]);
        if mode & 0o170_000 == 0o160_000 {
            found.push(PathBuf::from(OsStr::from_bytes(&name)));
        }
        // Before version 4 an entry ends with one to eight zeros, at a multiple of eight.
        at = if version < 4 { at + (start + length - at + 8) / 8 * 8 } else { start + length + 1 };
    }
    found
}

/// As git writes offsets: seven bits each, the highest first, and no number in two ways.
fn varint(bytes: &[u8], mut at: usize) -> Option<(usize, usize)> {
    let mut value = usize::from(bytes.get(at)? & 0x7f);
    while bytes[at] & 0x80 != 0 {
        at += 1;
        value = value.checked_add(1)?.checked_mul(128)? + usize::from(bytes.get(at)? & 0x7f);
    }
    Some((value, at + 1))
}
