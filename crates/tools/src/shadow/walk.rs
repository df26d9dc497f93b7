//! Which files a snapshot covers: those that git would show, or all where there is no git.

use std::{
    fs, io,
    os::unix::{ffi::OsStrExt as _, fs::MetadataExt as _},
    path::{Path, PathBuf},
};

use ignore::WalkBuilder;

use crate::{
    ignoring::{Ignoring, Which},
    ordinary::{Links, read_up_to},
};

/// A file or a link.
pub(super) struct Found {
    pub(super) path: String,
    pub(super) place: PathBuf,
    pub(super) size: u64,
    pub(super) mode: u32,
    pub(super) link: bool,
    pub(super) stamp: (u64, i128, u64),
}

/// In the order of their paths. What cannot be looked at is an error in words.
pub(super) fn files(root: &Path, hidden: &[PathBuf]) -> impl Iterator<Item = Result<Found, String>> + use<> {
    let mut walk = WalkBuilder::new(root);
    walk.standard_filters(false).follow_links(false).sort_by_file_name(Ord::cmp);
    let hidden: Vec<PathBuf> = hidden.iter().filter(|hidden| hidden.starts_with(root)).cloned().collect();
    // What another tool ignores is a file all the same.
    let ignoring = Ignoring::new(Which::Git);
    walk.filter_entry(move |entry| {
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        // What git itself keeps is git's.
        entry.file_name() != ".git"
            && !hidden.iter().any(|hidden| hidden == entry.path())
            && !ignoring.is_ignored(entry.path(), is_folder)
    });
    let root = root.to_owned();
    walk.build().filter_map(move |entry| {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => return Some(Err(error.to_string())),
        };
        let kind = entry.file_type()?;
        if kind.is_dir() && entry.depth() > 0 && entry.path().join(".git").is_dir() {
            let name = entry.path().strip_prefix(&root).unwrap_or(entry.path()).display();
            return Some(Err(format!("{name}/.git: what a repository inside holds beside its files")));
        }
        if !kind.is_file() && !kind.is_symlink() {
            return None;
        }
        let Some(path) = entry.path().strip_prefix(&root).ok().and_then(Path::to_str).map(str::to_owned) else {
            return Some(Err(format!("{}: its name is no text", entry.path().display())));
        };
        let place = entry.into_path();
        Some(look(path, place))
    })
}

fn look(path: String, place: PathBuf) -> Result<Found, String> {
    let about = fs::symlink_metadata(&place).map_err(|error| format!("{path}: {error}"))?;
    let changed = i128::from(about.mtime()) * 1_000_000_000 + i128::from(about.mtime_nsec());
    Ok(Found {
        size: about.len(),
        mode: about.mode() & 0o7777,
        link: about.is_symlink(),
        stamp: (about.len(), changed, about.ino()),
        path,
        place,
    })
}

/// Of a link where it leads to. What was a small file when it was looked at may be anything by now.
pub(super) fn read(place: &Path, link: bool) -> io::Result<Vec<u8>> {
    match link {
        true => Ok(fs::read_link(place)?.as_os_str().as_bytes().to_vec()),
        false => read_up_to(place, Links::Refused, super::LARGEST),
    }
}
