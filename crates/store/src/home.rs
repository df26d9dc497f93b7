//! The directory that holds everything, readable by its owner alone. Knows paths and permissions, nothing of SQLite.

use std::{
    fs, io,
    os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
};

use crate::StoreError;

#[derive(Debug)]
pub(crate) struct Home {
    path: PathBuf,
}

impl Home {
    /// Creates the directory where it is missing, for its owner alone. One that was there is closed to others only where
    /// nothing but our things are in it: a directory with other things of its owner keeps its mode, however often it is
    /// opened.
    pub(crate) fn open(path: &Path) -> Result<Self, StoreError> {
        let home = Self { path: path.to_owned() };
        create_private(path)?;
        if is_ours_alone(path)? {
            set_mode(path, 0o700)?;
        }
        create_private(&home.locks())?;
        Ok(home)
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.path.join("lookback.db")
    }

    pub(crate) fn locks(&self) -> PathBuf {
        self.path.join("locks")
    }
}

fn create_private(path: &Path) -> Result<(), StoreError> {
    if path.is_dir() {
        return Ok(());
    }
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(|source| StoreError::home(path, source))?;
    set_mode(path, 0o700)
}

fn is_ours_alone(path: &Path) -> Result<bool, StoreError> {
    let failed = |source| StoreError::home(path, source);
    for entry in fs::read_dir(path).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name();
        if name != "locks" && !name.as_encoded_bytes().starts_with(b"lookback.db") {
            return Ok(false);
        }
    }
    Ok(true)
}

/// By path, never by an open file: closing any descriptor of a database drops this process's POSIX locks on it.
pub(crate) fn set_mode(path: &Path, mode: u32) -> Result<(), StoreError> {
    let set = || -> io::Result<()> {
        if fs::metadata(path)?.mode() & 0o777 != mode {
            fs::set_permissions(path, fs::Permissions::from_mode(mode))?;
        }
        Ok(())
    };
    set().map_err(|source| StoreError::home(path, source))
}
