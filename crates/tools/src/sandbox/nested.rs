//! Repositories in folders of the project, whether an index names them or not: clones side by side, and what commands
//! make. Whoever goes there and runs git has it do what their configuration says.

use std::{collections::VecDeque, fs, path::Path};

use super::gitlinks::{Inner, repository_of};
use crate::ignoring::{Ignoring, Which};

/// Names that are looked at, those further up first: a walk before and behind each command must not be felt.
const MOST_NAMES: usize = 200_000;
const MOST: usize = 1000;

/// Those below a folder, but not in folders that git ignores: there package managers keep their clones, and take them
/// away again.
pub(super) fn nested(top: &Path) -> Vec<Inner> {
    let ignoring = Ignoring::new(Which::Git);
    let (mut found, mut names) = (Vec::new(), 0);
    let mut waiting = VecDeque::from([top.to_owned()]);
    while let Some(folder) = waiting.pop_front() {
        let (mut bare, mut folders) = (Vec::new(), Vec::new());
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            names += 1;
            if names > MOST_NAMES || found.len() >= MOST {
                return found;
            }
            let name = entry.file_name();
            if name == ".git" && folder != top {
                found.extend(repository_of(&folder).map(|repository| Inner { repository, folder: folder.clone() }));
            } else if MAKES_BARE.iter().any(|part| name == *part) {
                bare.push(name.clone());
            }
            if name != ".git" && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(entry.path());
            }
        }
        if folder != top && is_repository(|part| bare.iter().any(|name| name == part)) {
            found.push(Inner { repository: folder.clone(), folder });
            continue;
        }
        waiting.extend(folders.into_iter().filter(|folder| !ignoring.is_ignored(folder, true)));
    }
    found
}

pub(super) const MAKES_BARE: [&str; 4] = ["HEAD", "objects", "refs", "commondir"];

/// Whether a folder that has these is a repository without files of its own: with `commondir` the rest may lie elsewhere.
pub(crate) fn is_repository(has: impl Fn(&str) -> bool) -> bool {
    has("HEAD") && (has("commondir") || has("objects") && has("refs"))
}
