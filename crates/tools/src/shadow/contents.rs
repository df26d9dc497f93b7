//! Contents by their hash, each in a file of its own, compressed, for its owner alone.

use std::{
    ffi::OsStr,
    fs::{self, DirBuilder, OpenOptions, Permissions},
    io::{self, Write as _},
    os::unix::{
        ffi::OsStrExt as _,
        fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _, symlink},
    },
    path::{Path, PathBuf},
    process,
};

use lookback_engine::trace::BlobHash;

use super::Kept;

/// Fast enough to stand before every step.
const LEVEL: i32 = 1;

#[derive(Debug)]
pub(super) struct Contents {
    folder: PathBuf,
}

impl Contents {
    pub(super) fn open(folder: &Path) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        Ok(Self { folder: folder.to_owned() })
    }

    fn place(&self, hash: BlobHash) -> PathBuf {
        let name = hash.to_string();
        self.folder.join(&name[..2]).join(&name[2..])
    }

    /// Stored once.
    pub(super) fn keep(&self, bytes: &[u8]) -> io::Result<BlobHash> {
        let hash = BlobHash::of(bytes);
        let place = self.place(hash);
        if place.exists() {
            return Ok(hash);
        }
        if let Some(folder) = place.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        let compressed = zstd::bulk::compress(bytes, LEVEL)?;
        write_new(&place, &compressed, 0o600)?;
        Ok(hash)
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
    let _ = fs::remove_file(&beside);
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside)?;
    let written = file
        .write_all(bytes)
        .and_then(|()| file.set_permissions(Permissions::from_mode(mode)))
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&beside, place));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}
