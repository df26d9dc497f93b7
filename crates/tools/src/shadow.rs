//! The files of a project as they were: taken before a step that may change them, put back when a person wants that.
//!
//! Kept in a folder of the person's own, never in the project. Contents are stored once by their hash; a snapshot is the
//! list of its files. What is too large or cannot be read is left out, and said.

mod contents;
mod walk;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::UNIX_EPOCH,
};

use lookback_engine::trace::BlobHash;
use serde::{Deserialize, Serialize};

use contents::Contents;
use walk::Found;

/// Larger files are left out.
const LARGEST: u64 = 10 << 20;

/// Milliseconds by which the clock of a disk may be behind.
const CLOCK_TICK: i64 = 20;

/// Without git nobody says what matters: all files together up to here.
const MOST_WITHOUT_GIT: u64 = 200 << 20;

/// The shadow of one project.
#[derive(Debug)]
pub struct Shadow {
    root: PathBuf,
    /// What no snapshot looks at.
    hidden: Vec<PathBuf>,
    contents: Contents,
    /// What was seen last, so that a file that has not changed is not read again.
    last: Mutex<Option<Snapshot>>,
}

/// The files at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// By path, relative to the root.
    pub files: BTreeMap<String, Kept>,
    /// What it does not cover, and why.
    pub left_out: Vec<String>,
    /// The files among these that are named one by one.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub not_kept: BTreeSet<String>,
    /// Nothing from this file on is covered: what comes before it is as much as is kept without git.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ends_at: Option<String>,
}

/// One file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// Of its content; of a link where it leads to.
    pub hash: BlobHash,
    /// Its permission bits.
    pub mode: u32,
    /// It is a link.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub link: bool,
    /// Size, time of change and number of the file: what has these unchanged is not read again.
    #[serde(skip)]
    stamp: (u64, i128, u64),
}

impl Kept {
    /// Whether two are the same to whoever reads them.
    fn is_same(&self, other: &Self) -> bool {
        (self.hash, self.mode, self.link) == (other.hash, other.mode, other.link)
    }
}

/// What became of a file between two snapshots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Fate {
    Created,
    Changed,
    Deleted,
}

impl Snapshot {
    /// Whether a file would be in it if it were there.
    pub fn covers(&self, path: &str) -> bool {
        let ends_before = |end: &String| Path::new(end) <= Path::new(path);
        !self.not_kept.contains(path) && !self.ends_at.as_ref().is_some_and(ends_before)
    }

    /// What became of each file that both cover, from this one to a later one.
    pub fn changes(&self, later: &Self) -> Vec<(String, Fate)> {
        let paths: BTreeSet<&String> = self.files.keys().chain(later.files.keys()).collect();
        let fate = |path: &String| match (self.files.get(path), later.files.get(path)) {
            (None, Some(_)) => Some(Fate::Created),
            (Some(_), None) => Some(Fate::Deleted),
            (Some(before), Some(after)) if !before.is_same(after) => Some(Fate::Changed),
            _ => None,
        };
        let covered = paths.into_iter().filter(|path| self.covers(path) && later.covers(path));
        covered.filter_map(|path| Some((path.clone(), fate(path)?))).collect()
    }
}

impl Shadow {
    /// `folder` is the person's own; the project's part of it is named by its root.
    pub fn open(folder: &Path, root: &Path) -> io::Result<Self> {
        let contents = Contents::open(&Self::place(folder, root))?;
        Ok(Self { root: root.to_owned(), hidden: Vec::new(), contents, last: Mutex::new(None) })
    }

    /// Leaves places out: keys, and the folder that snapshots themselves are in.
    pub fn without(self, hidden: Vec<PathBuf>) -> Self {
        Self { hidden, ..self }
    }

    /// Where the shadow of a project is.
    pub fn place(folder: &Path, root: &Path) -> PathBuf {
        let name = BlobHash::of(root.to_string_lossy().as_bytes()).to_string();
        folder.join(&name[..16])
    }

    /// The files as they are now, stored, and the name that finds them again: the same for the same files.
    pub fn take(&self) -> io::Result<(String, Snapshot)> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let snapshot = self.look(last.as_ref())?;
        let text = serde_json::to_vec(&snapshot).map_err(io::Error::other)?;
        let id = self.contents.keep(&text)?.to_string();
        self.contents.settle()?;
        *last = Some(snapshot.clone());
        Ok((id, snapshot))
    }

    /// A snapshot that was taken.
    pub fn load(&self, id: &str) -> io::Result<Snapshot> {
        let hash = serde_json::from_value(id.into()).map_err(|_| io::Error::other(format!("{id} is no snapshot")))?;
        serde_json::from_slice(&self.contents.read(hash)?).map_err(io::Error::other)
    }

    /// What a file held; none where it is not in the snapshot.
    pub fn content(&self, snapshot: &Snapshot, path: &str) -> io::Result<Option<Vec<u8>>> {
        snapshot.files.get(path).map(|kept| self.contents.read(kept.hash)).transpose()
    }

    /// Whether a file is on the disk as a snapshot has it; none: as one that is not there.
    pub fn is_as(&self, path: &str, kept: Option<&Kept>) -> io::Result<bool> {
        let place = self.root.join(path);
        // What lies behind a link is none of the project's.
        if self.link_before(path).is_some() {
            return Ok(kept.is_none());
        }
        let about = match fs::symlink_metadata(&place) {
            Ok(about) => about,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(kept.is_none()),
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => return Ok(kept.is_none()),
            Err(error) => return Err(error),
        };
        // Where a folder stands there is no file.
        if about.is_dir() {
            return Ok(kept.is_none());
        }
        let Some(kept) = kept else { return Ok(false) };
        // None so large was ever kept.
        if about.len() > LARGEST || about.is_symlink() != kept.link || about.mode() & 0o7777 != kept.mode {
            return Ok(false);
        }
        Ok(about.len() <= LARGEST && BlobHash::of(&walk::read(&place, kept.link)?) == kept.hash)
    }

    /// Whether a file came into being after a moment, in milliseconds. Where the disk does not say, it did not.
    pub fn is_born_after(&self, path: &str, moment: i64) -> bool {
        let born = fs::symlink_metadata(self.root.join(path)).and_then(|about| about.created()).ok();
        let born = born.and_then(|born| born.duration_since(UNIX_EPOCH).ok());
        born.is_some_and(|born| born.as_millis() as i64 + CLOCK_TICK >= moment)
    }

    /// The folder on the way to a file that is a link now.
    fn link_before(&self, path: &str) -> Option<PathBuf> {
        let folders = Path::new(path).ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
        let is_link =
            |folder: &&Path| fs::symlink_metadata(self.root.join(folder)).is_ok_and(|about| about.is_symlink());
        folders.filter(is_link).last().map(Path::to_owned)
    }

    /// Makes these files what the snapshot has: taken away where it has none, then written anew. Nothing is written through
    /// a link that stands where a folder was: a command may have put it there, and it may lead out of the project.
    pub fn put_back(&self, snapshot: &Snapshot, paths: &[String]) -> io::Result<()> {
        let (written, gone): (Vec<&String>, Vec<&String>) =
            paths.iter().partition(|path| snapshot.files.contains_key(*path));
        for path in paths {
            let link = self.link_before(path).filter(|link| !gone.iter().any(|gone| Path::new(gone) == link));
            if let Some(link) = link {
                let why = format!("nothing was changed: {} is a link now, and {path} lies behind it", link.display());
                return Err(io::Error::other(why));
            }
        }
        for path in gone {
            let place = self.root.join(path);
            fs::remove_file(&place)?;
            // Folders that are empty now came with it.
            for folder in place.ancestors().skip(1).take_while(|folder| *folder != self.root) {
                if fs::remove_dir(folder).is_err() {
                    break;
                }
            }
        }
        for path in written {
            let (place, kept) = (self.root.join(path), &snapshot.files[path]);
            let bytes = self.contents.read(kept.hash)?;
            if let Some(folder) = place.parent() {
                fs::create_dir_all(folder)?;
            }
            contents::write_over(&place, &bytes, kept)?;
        }
        Ok(())
    }

    fn look(&self, before: Option<&Snapshot>) -> io::Result<Snapshot> {
        let mut snapshot = Snapshot::default();
        let has_git = self.root.join(".git").exists();
        let mut together = 0;
        for found in walk::files(&self.root, &self.hidden) {
            let Found { path, place, size, mode, link, stamp } = match found {
                Ok(found) => found,
                Err(problem) => {
                    snapshot.left_out.push(problem);
                    continue;
                }
            };
            if size > LARGEST {
                snapshot.left_out.push(format!("{path}: larger than {} MiB", LARGEST >> 20));
                snapshot.not_kept.insert(path);
                continue;
            }
            together += size;
            if !has_git && together > MOST_WITHOUT_GIT {
                snapshot
                    .left_out
                    .push(format!("{path} and what comes behind it: more than {} MiB", MOST_WITHOUT_GIT >> 20));
                snapshot.ends_at = Some(path);
                break;
            }
            let known = before.and_then(|before| before.files.get(&path)).filter(|known| known.stamp == stamp);
            let hash = match known {
                Some(known) => known.hash,
                None => match walk::read(&place, link) {
                    Ok(bytes) => self.contents.keep(&bytes)?,
                    Err(error) => {
                        snapshot.left_out.push(format!("{path}: {error}"));
                        snapshot.not_kept.insert(path);
                        continue;
                    }
                },
            };
            snapshot.files.insert(path, Kept { hash, mode, link, stamp });
        }
        Ok(snapshot)
    }
}

#[cfg(test)]
mod tests;
