//! Repositories inside a repository that its index names: git looks into them at every `git status` above, however deep,
//! and does what their configuration says.

use std::{
    collections::{BTreeSet, VecDeque},
    ffi::OsStr,
    fs,
    io::{self, BufRead, BufReader, Read as _},
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
};

use crate::ordinary::{self, Links, named_in};

/// Nobody has as many: what is beyond is not looked into, and refused.
const MOST: usize = 10_000;
/// Longer paths cannot be opened soon, while git, which goes folder by folder, comes deeper.
const LONGEST: usize = 3500;
/// The index of some five million files.
const LARGEST: u64 = 512 << 20;
/// Of one repository.
const MOST_INDICES: usize = 100;

/// A repository and the folder whose files are its.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Inner {
    /// Where what is git's own lies, without links.
    pub(super) repository: PathBuf,
    pub(super) folder: PathBuf,
}

/// What the indices in and below a folder name.
#[derive(Debug, Default)]
pub(super) struct Linked {
    pub(super) inner: Vec<Inner>,
    /// Indices that cannot be read to their end, and the `.git` of repositories beyond the bounds.
    pub(super) unread: Vec<PathBuf>,
}

pub(super) fn linked(folder: &Path) -> Linked {
    let (mut linked, mut seen) = (Linked::default(), BTreeSet::new());
    let mut waiting = VecDeque::from([folder.to_owned()]);
    while let Some(folder) = waiting.pop_front() {
        let Some(repository) = repository_of(&folder) else { continue };
        for inner in gitlinks_of(&repository, &folder, &mut linked.unread) {
            let Some(repository) = repository_of(&inner).filter(|repository| seen.insert(repository.clone())) else {
                continue;
            };
            if linked.inner.len() >= MOST || inner.as_os_str().len() > LONGEST {
                linked.unread.push(inner.join(".git"));
                continue;
            }
            linked.inner.push(Inner { repository, folder: inner.clone() });
            waiting.push_back(inner);
        }
    }
    linked
}

/// Where `.git` is, or leads.
pub(super) fn repository_of(folder: &Path) -> Option<PathBuf> {
    let git = folder.join(".git");
    if git.is_file() { named_in(&git, "gitdir: ") } else { git.canonicalize().ok() }
}

/// By the index, be it split. Which of two hashes its entries have stands elsewhere, so both are tried: read with the
/// wrong one it names nothing that is there.
fn gitlinks_of(repository: &Path, folder: &Path, unread: &mut Vec<PathBuf>) -> BTreeSet<PathBuf> {
    let names = fs::read_dir(repository).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_index = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().as_bytes();
        name == b"index" || name.starts_with(b"sharedindex.") && !name.ends_with(b".refused")
    };
    let mut found = BTreeSet::new();
    for (number, path) in names.filter(is_index).enumerate() {
        let read = [20, 32].into_iter().try_for_each(|hash| {
            let file = ordinary::open(&path, Links::Followed)?;
            if number >= MOST_INDICES || file.metadata()?.len() > LARGEST {
                return Err(io::ErrorKind::FileTooLarge.into());
            }
            // What cannot be read as one is none to git either.
            let _ = gitlinks(BufReader::new(file.take(LARGEST)), hash, folder, &mut found);
            if found.len() > MOST { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(()) }
        });
        if read.is_err_and(|error: io::Error| error.kind() != io::ErrorKind::NotFound) {
            unread.push(path);
        }
    }
    found
}

/// The entries of an index that are repositories (git's `index-format`, versions 2 to 4) and are there, as far as they can
/// be read. In little memory: an index may be as large as a disk.
fn gitlinks(mut index: impl BufRead, hash: usize, folder: &Path, found: &mut BTreeSet<PathBuf>) -> io::Result<()> {
    let mut header = [0; 12];
    index.read_exact(&mut header)?;
    let number = |at: &[u8]| at.iter().fold(0, |number, byte| number << 8 | u32::from(*byte));
    let (version, count) = (number(&header[4..8]), number(&header[8..]));
    let (mut fixed, mut name, mut more) = (vec![0; 40 + hash + 2], Vec::new(), Vec::new());
    for _ in 0..count {
        index.read_exact(&mut fixed)?;
        let mut length = fixed.len();
        if version >= 3 && fixed[40 + hash] & 0x40 != 0 {
            index.read_exact(&mut [0; 2])?;
            length += 2;
        }
        let dropped = if version < 4 { name.len() } else { varint(&mut index)? };
        name.truncate(name.len().saturating_sub(dropped));
        more.clear();
        index.by_ref().take(64 << 10).read_until(0, &mut more)?;
        more.pop_if(|last| *last == 0).ok_or(io::ErrorKind::InvalidData)?;
        name.extend_from_slice(&more);
        if name.len() > 64 << 10 {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let inner = || folder.join(OsStr::from_bytes(&name));
        if number(&fixed[24..28]) & 0o170_000 == 0o160_000 && found.len() <= MOST && inner().join(".git").exists() {
            found.insert(inner());
        }
        if version < 4 {
            // Before version 4 an entry ends with one to eight zeros, at a multiple of eight.
            length += more.len();
            index.read_exact(&mut [0; 8][..(length + 8) / 8 * 8 - length - 1])?;
        }
    }
    Ok(())
}

/// As git writes offsets: seven bits each, the highest first, and no number in two ways.
fn varint(index: &mut impl BufRead) -> io::Result<usize> {
    let (mut value, mut byte) = (0_usize, [0]);
    loop {
        index.read_exact(&mut byte)?;
        value = value.checked_mul(128).ok_or(io::ErrorKind::InvalidData)? + usize::from(byte[0] & 0x7f);
        if byte[0] & 0x80 == 0 {
            return Ok(value);
        }
        value += 1;
    }
}
