//! OS file locks: one writer for each session. The kernel frees them when their process dies, however it dies.
//!
//! A lock file is removed by whoever holds it. So whoever gets a lock looks whether the file is still the one at that
//! path; if not, it locked a name that is gone and tries again.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Read, Write},
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
    process,
};

use lookback_engine::trace::SessionId;

use crate::{
    StoreError,
    home::{self, Home},
};

#[derive(Debug)]
pub(crate) struct SessionLock {
    path: PathBuf,
    _file: File,
}

impl SessionLock {
    pub(crate) fn take(home: &Home, session: &SessionId) -> Result<Self, StoreError> {
        let path = path_of(home, session)?;
        let failed = |source| StoreError::home(&path, source);
        loop {
            let mut file = open(&path)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    return Err(StoreError::Locked { session: session.clone(), pid: read_pid(&mut file) });
                }
                Err(TryLockError::Error(source)) => return Err(failed(source)),
            }
            if !is_at(&file, &path).map_err(failed)? {
                continue;
            }
            // Only for the message to others: a full disk must not stop a session from being read or removed.
            let _ = file.set_len(0).and_then(|()| file.write_all(process::id().to_string().as_bytes()));
            return Ok(Self { path, _file: file });
        }
    }
}

impl Drop for SessionLock {
    fn drop(&mut self) {
        // Still locked here. A file that stays behind is locked again by the next writer.
        let _ = fs::remove_file(&self.path);
    }
}

/// Ids come from other programs, too, and become file names here.
fn path_of(home: &Home, SessionId(id): &SessionId) -> Result<PathBuf, StoreError> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    if id.is_empty() || id.len() > 128 || !id.bytes().all(fits) {
        return Err(StoreError::BadId(id.clone()));
    }
    Ok(home.locks().join(format!("{id}.lock")))
}

/// Waits for the lock at `path`; for moments when processes take turns. The file stays.
pub(crate) fn wait_for(path: &Path) -> Result<File, StoreError> {
    let file = open(path)?;
    file.lock().map_err(|source| StoreError::home(path, source))?;
    Ok(file)
}

pub(crate) fn open(path: &Path) -> Result<File, StoreError> {
    let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(path);
    let file = file.map_err(|source| StoreError::home(path, source))?;
    match home::set_mode(path, 0o600) {
        // Its holder removed it just now: the check after locking finds that out.
        Err(StoreError::Home { cause, .. }) if cause.kind() == io::ErrorKind::NotFound => {}
        outcome => outcome?,
    }
    Ok(file)
}

fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let locked = file.metadata()?;
    match fs::metadata(path) {
        Ok(there) => Ok((there.dev(), there.ino()) == (locked.dev(), locked.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

fn read_pid(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}
