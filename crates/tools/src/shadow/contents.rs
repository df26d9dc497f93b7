//! Contents by their hash, each in a file of its own, compressed, for its owner alone.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fs::{self, DirBuilder, File, OpenOptions, Permissions},
    io::{self, Write as _},
    os::unix::{
        ffi::OsStrExt as _,
        fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _, symlink},
    },
    path::{Path, PathBuf},
    process,
    sync::{Mutex, PoisonError},
};

use lookback_engine::trace::BlobHash;

use super::Kept;

/// Fast enough to stand before every step.
const LEVEL: i32 = 1;

/// So many files of a snapshot are synced one by one.
#[cfg(target_os = "linux")]
const ONE_BY_ONE: usize = 16;

#[derive(Debug)]
pub(super) struct Contents {
    folder: PathBuf,
    /// Written, and not yet known to be on the disk: under which name each lies, and where it belongs.
    waiting: Mutex<BTreeMap<PathBuf, PathBuf>>,
}

impl Contents {
    pub(super) fn open(folder: &Path) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        Ok(Self { folder: folder.to_owned(), waiting: Mutex::default() })
    }

    fn place(&self, hash: BlobHash) -> PathBuf {
        let name = hash.to_string();
        self.folder.join(&name[..2]).join(&name[2..])
    }

    /// Stored once, and not found before [`Self::settle`].
    pub(super) fn keep(&self, bytes: &[u8]) -> io::Result<BlobHash> {
        let hash = BlobHash::of(bytes);
        let place = self.place(hash);
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.contains_key(&place) || place.exists() {
            return Ok(hash);
        }
        if let Some(folder) = place.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        let compressed = zstd::bulk::compress(bytes, LEVEL)?;
        let beside = beside(&place);
        write_beside(&beside, &compressed, 0o600)?;
        waiting.insert(place, beside);
        Ok(hash)
    }

    /// Everything is on the disk from now on: one wait for many files, each of which has its name only then.
    pub(super) fn settle(&self) -> io::Result<()> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.is_empty() {
            return Ok(());
        }
        sync(&self.folder, &waiting)?;
        while let Some((place, beside)) = waiting.pop_first() {
            fs::rename(beside, place)?;
        }
        Ok(())
    }

    /// What was kept, if it still is what it was.
    pub(super) fn read(&self, hash: BlobHash) -> io::Result<Vec<u8>> {
        let compressed = fs::read(self.place(hash))?;
        let bytes = zstd::stream::decode_all(compressed.as_slice())?;
        match BlobHash::of(&bytes) == hash {
            true => Ok(bytes),
            false => Err(io::Error::other("a kept file is damaged: it is not put back")),
        }
    }
}

/// In the place of what stands there, whole or not at all.
pub(super) fn write_over(place: &Path, bytes: &[u8], kept: &Kept) -> io::Result<()> {
    if !kept.link {
        return write_new(place, bytes, kept.mode);
    }
    let beside = beside(place);
    let _ = fs::remove_file(&beside);
    symlink(OsStr::from_bytes(bytes), &beside)?;
    fs::rename(&beside, place)
}

fn beside(place: &Path) -> PathBuf {
    let mut name = OsStr::new(".").to_owned();
    name.push(place.file_name().unwrap_or_default());
    name.push(format!(".{}", process::id()));
    place.with_file_name(name)
}

fn write_new(place: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let beside = beside(place);
    let written =
        write_beside(&beside, bytes, mode).and_then(|file| file.sync_all()).and_then(|()| fs::rename(&beside, place));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}

fn write_beside(beside: &Path, bytes: &[u8], mode: u32) -> io::Result<File> {
    let _ = fs::remove_file(beside);
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(beside)?;
    let written = file.write_all(bytes).and_then(|()| file.set_permissions(Permissions::from_mode(mode)));
    if written.is_err() {
        let _ = fs::remove_file(beside);
    }
    written.map(|()| file)
}

/// Many at once, where the system can: it may have to write what others wrote, too, so few are waited for one by one.
fn sync(folder: &Path, waiting: &BTreeMap<PathBuf, PathBuf>) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    if waiting.len() > ONE_BY_ONE {
        return Ok(rustix::fs::syncfs(File::open(folder)?)?);
    }
    let _ = folder;
    waiting.values().try_for_each(|beside| File::open(beside)?.sync_all())
}
