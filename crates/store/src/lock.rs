//! OS file locks: one writer for each session. The kernel frees them when their process dies, however it dies.
//!
//! A lock file is removed by whoever holds it. So whoever gets a lock looks whether the file is still the one at that
//! path; if not, it locked a name that is gone and tries again.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Read, Seek, Write},
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
            write_pid(&mut file);
            return Ok(Self { path, _file: file });
        }
    }

    /// Refuses while somebody writes the session. Makes no file and holds none: a removal asks this of thousands. Whoever
    /// asks within a write transaction knows it until the end of that, because a writer that comes now has to wait there
    /// before it reads anything.
    pub(crate) fn expect_free(home: &Home, session: &SessionId) -> Result<(), StoreError> {
        match home::is_file(&path_of(home, session)?)? {
            // Perhaps left by a process that was killed: then it goes.
            true => Self::take(home, session).map(drop),
            false => Ok(()),
        }
    }

    /// Takes away the files that killed processes left.
    pub(crate) fn sweep(home: &Home) -> io::Result<()> {
        for entry in fs::read_dir(home.locks())? {
            let name = entry?.file_name();
            if let Some(id) = name.to_str().and_then(|name| name.strip_suffix(".lock")) {
                // What is held, or no file of ours, stays.
                let _ = Self::take(home, &SessionId(id.to_owned()));
            }
        }
        Ok(())
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

/// The same where others may hold it for long: `told` hears who does, before the wait.
pub(crate) fn wait_and_tell(path: &Path, told: impl FnOnce(Option<u32>)) -> Result<File, StoreError> {
    let mut file = open(path)?;
    let failed = |source| StoreError::home(path, source);
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            told(read_pid(&mut file));
            file.lock().map_err(failed)?;
        }
        // A file system without such locks: nobody waits, and each session has its own.
        Err(TryLockError::Error(_)) => return Ok(file),
    }
    write_pid(&mut file);
    Ok(file)
}

/// Only for the message to others: a full disk must not stop a session from being read or removed. A file that has a
/// second name is somebody's.
fn write_pid(file: &mut File) {
    if file.metadata().is_ok_and(|locked| locked.nlink() == 1) {
        let _ = file.set_len(0).and_then(|()| file.rewind()).and_then(|()| write!(file, "{}", process::id()));
    }
}

pub(crate) fn open(path: &Path) -> Result<File, StoreError> {
    loop {
        if !home::is_file(path)? {
            match home::create_file(path)? {
                Some(file) => return Ok(file),
                None => continue,
            }
        }
        match OpenOptions::new().read(true).write(true).custom_flags(libc::O_NOFOLLOW).open(path) {
            // Its holder removed it just now.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            outcome => return outcome.map_err(|source| StoreError::home(path, source)),
        }
    }
}

fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let locked = file.metadata()?;
    match fs::symlink_metadata(path) {
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
