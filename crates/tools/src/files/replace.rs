//! A file gets new bytes at once or not at all: whoever looks sees the old ones or the new ones, whenever the power goes.

use std::{
    ffi::OsStr,
    fs::{File, Metadata, Permissions},
    io::{self, Write as _},
    os::{
        fd::{AsFd, BorrowedFd},
        unix::fs::{MetadataExt, PermissionsExt},
    },
    process,
    sync::atomic::{AtomicU64, Ordering},
};

use rustix::{
    fs::{AtFlags, Gid, Mode, OFlags, Uid, fchown, fsync, linkat, openat, renameat, statat, unlinkat},
    io::Errno,
};

/// What stands where the bytes are to go.
#[derive(Debug, Clone, Copy)]
pub(super) enum Before<'a> {
    Nothing,
    /// This file, and it must still be it.
    File(&'a Metadata),
}

/// Why it stayed as it was.
#[derive(Debug)]
pub(super) enum NotReplaced {
    /// Somebody else was faster.
    Changed,
    Failed(io::Error),
}

impl From<io::Error> for NotReplaced {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

impl From<Errno> for NotReplaced {
    fn from(errno: Errno) -> Self {
        if errno == Errno::EXIST { Self::Changed } else { Self::Failed(errno.into()) }
    }
}

/// What the system says of the file afterwards.
pub(super) fn replace(
    folder: BorrowedFd<'_>,
    name: &OsStr,
    bytes: &[u8],
    before: Before<'_>,
) -> Result<Metadata, NotReplaced> {
    let (file, temporary) = write_aside(folder, bytes, before)?;
    let rename = || renameat(folder, temporary.as_str(), folder, name).map_err(NotReplaced::from);
    let moved = match before {
        // A second name for the same file, which fails where there is one already; renaming would not.
        Before::Nothing => match linkat(folder, temporary.as_str(), folder, name, AtFlags::empty()) {
            // A file system without second names.
            Err(Errno::PERM | Errno::OPNOTSUPP | Errno::NOSYS) if !is_there(folder, name) => rename(),
            linked => linked.map_err(NotReplaced::from),
        },
        Before::File(about) if is_still(folder, name, about) => rename(),
        Before::File(_) => Err(NotReplaced::Changed),
    };
    if moved.is_err() || matches!(before, Before::Nothing) {
        // At worst it stays under a name of no meaning; what happened to the file is what counts.
        let _ = unlinkat(folder, temporary.as_str(), AtFlags::empty());
    }
    moved?;
    // Some file systems cannot; the rename itself is atomic all the same.
    let _ = fsync(folder);
    Ok(file.metadata()?)
}

fn is_there(folder: BorrowedFd<'_>, name: &OsStr) -> bool {
    statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).is_ok()
}

fn is_still(folder: BorrowedFd<'_>, name: &OsStr, about: &Metadata) -> bool {
    statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).is_ok_and(|now| {
        (now.st_ino, now.st_size, now.st_mtime, now.st_mtime_nsec as i64)
            == (about.ino(), about.size() as i64, about.mtime(), about.mtime_nsec())
    })
}

/// The bytes on the disk, under a name of no meaning in the same folder.
fn write_aside(folder: BorrowedFd<'_>, bytes: &[u8], before: Before<'_>) -> Result<(File, String), NotReplaced> {
    // Without a name until it is complete, so that a killed process leaves nothing behind.
    #[cfg(target_os = "linux")]
    if let Ok(file) = openat(folder, ".", OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC, mode(before)) {
        let file = File::from(file);
        fill(&file, bytes, before)?;
        let own = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&file));
        let link = |name: &str| linkat(rustix::fs::CWD, own.as_str(), folder, name, AtFlags::SYMLINK_FOLLOW);
        if let Ok(((), name)) = under_new_name(link) {
            return Ok((file, name));
        }
    }
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
    let (file, name) = under_new_name(|name| openat(folder, name, flags, mode(before)))?;
    let file = File::from(file);
    if let Err(error) = fill(&file, bytes, before) {
        let _ = unlinkat(folder, name.as_str(), AtFlags::empty());
        return Err(error.into());
    }
    Ok((file, name))
}

/// Nobody else reads it before it has the rights of the file that it replaces.
fn mode(before: Before<'_>) -> Mode {
    Mode::from_raw_mode(if matches!(before, Before::Nothing) { 0o666 } else { 0o600 })
}

fn fill(mut file: &File, bytes: &[u8], before: Before<'_>) -> io::Result<()> {
    file.write_all(bytes)?;
    if let Before::File(about) = before {
        // Only root may give a file away; for everybody else it is their own already.
        let _ = fchown(file.as_fd(), Some(Uid::from_raw(about.uid())), Some(Gid::from_raw(about.gid())));
        file.set_permissions(Permissions::from_mode(about.mode() & 0o7777))?;
    }
    file.sync_all()
}

/// A process that died may have left a name behind: then the next one.
fn under_new_name<T>(make: impl Fn(&str) -> rustix::io::Result<T>) -> rustix::io::Result<(T, String)> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    loop {
        let name = format!(".lookback-{}-{}.tmp", process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        match make(&name) {
            Err(Errno::EXIST) => {}
            made => return Ok((made?, name)),
        }
    }
}
