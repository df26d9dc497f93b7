//! The directory that holds everything, readable by its owner alone. Knows paths and permissions, nothing of SQLite.
//!
//! The directory may be reached by links; nothing in it may be one, because whoever can put a link there would have us
//! write over what it leads to. And only what was created just now gets a mode: what was there is its owner's.

use std::{
    fs::{self, File, OpenOptions},
    io,
    os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
};

use crate::StoreError;

/// Its name in a home.
pub(crate) const DATABASE: &str = "lookback.db";

#[derive(Debug)]
pub(crate) struct Home {
    path: PathBuf,
}

impl Home {
    /// Creates the directory where it is missing.
    pub(crate) fn open(path: &Path) -> Result<Self, StoreError> {
        create_directory(path)?;
        let home = Self { path: path.canonicalize().map_err(|source| StoreError::home(path, source))? };
        let locks = home.locks();
        create_directory(&locks)?;
        match fs::symlink_metadata(&locks) {
            Ok(found) if found.is_dir() => Ok(home),
            Ok(_) => Err(StoreError::NotPlain { path: locks }),
            Err(source) => Err(StoreError::home(locks, source)),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.path.join(DATABASE)
    }

    pub(crate) fn locks(&self) -> PathBuf {
        self.path.join("locks")
    }
}

/// For its owner alone, whatever the umask; with the directories above it where they are missing.
fn create_directory(path: &Path) -> Result<(), StoreError> {
    let create = || {
        if let Some(parent) = path.parent() {
            fs::DirBuilder::new().recursive(true).mode(0o700).create(parent)?;
        }
        match fs::DirBuilder::new().mode(0o700).create(path) {
            Ok(()) => fs::set_permissions(path, fs::Permissions::from_mode(0o700)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            Err(error) => Err(error),
        }
    };
    create().map_err(|source| StoreError::home(path, source))
}

/// False where there is nothing; a link, a device or whatever else is no file is refused.
pub(crate) fn is_file(path: &Path) -> Result<bool, StoreError> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_file() => Ok(true),
        Ok(_) => Err(StoreError::NotPlain { path: path.to_owned() }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(source) => Err(StoreError::home(path, source)),
    }
}

/// A new file for its owner alone, whatever the umask; none where something is there, be it a link that leads nowhere.
pub(crate) fn create_file(path: &Path) -> Result<Option<File>, StoreError> {
    match OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(path) {
        Ok(file) => {
            let set = file.set_permissions(fs::Permissions::from_mode(0o600));
            set.map_err(|source| StoreError::home(path, source))?;
            Ok(Some(file))
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(None),
        Err(source) => Err(StoreError::home(path, source)),
    }
}
