//! Opening what is below a folder without ever following a link.
//!
//! The paths that come here have no links and no `..`: whoever swaps a part for a link after that was looked at gets an
//! error. Linux does it in one call; elsewhere, and where a filter forbids the call, it is done part by part.

use std::{
    io,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    path::Path,
};

use rustix::{
    fs::{Mode, OFlags, mkdirat, openat},
    io::Errno,
};

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY);

/// An empty path is the folder itself.
pub(super) fn open(folder: &OwnedFd, beneath: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{ResolveFlags, openat2};
        let path = if beneath.as_os_str().is_empty() { Path::new(".") } else { beneath };
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        match openat2(folder, path, flags | OFlags::CLOEXEC, Mode::empty(), resolve) {
            // No such call, a filter in front of it, or a rename just now.
            Err(Errno::NOSYS | Errno::PERM | Errno::AGAIN) => {}
            answer => return Ok(answer?),
        }
    }
    by_hand(folder, beneath, flags)
}

fn by_hand(folder: &OwnedFd, beneath: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    let mut at = None;
    let mut parts = beneath.iter().peekable();
    while let Some(part) = parts.next() {
        let flags = if parts.peek().is_some() { FOLDER } else { flags };
        at = Some(step(held(&at, folder), part, flags)?);
    }
    at.map_or_else(|| Ok(openat(folder, ".", flags | OFlags::CLOEXEC, Mode::empty())?), Ok)
}

/// The folder at this path, made with those above it where they are not there.
pub(super) fn open_or_make(folder: &OwnedFd, beneath: &Path) -> io::Result<OwnedFd> {
    match open(folder, beneath, FOLDER) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        answer => return answer,
    }
    let mut at = None;
    for part in beneath {
        match mkdirat(held(&at, folder), part, Mode::from_raw_mode(0o777)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(errno) => return Err(errno.into()),
        }
        at = Some(step(held(&at, folder), part, FOLDER)?);
    }
    at.map_or_else(|| open(folder, Path::new(""), FOLDER), Ok)
}

fn held<'a>(at: &'a Option<OwnedFd>, folder: &'a OwnedFd) -> BorrowedFd<'a> {
    at.as_ref().unwrap_or(folder).as_fd()
}

fn step(at: BorrowedFd<'_>, part: &std::ffi::OsStr, flags: OFlags) -> io::Result<OwnedFd> {
    Ok(openat(at, part, flags | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?)
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::*;

    #[test]
    fn one_call_and_part_by_part_are_the_same() {
        let temp = tempfile::tempdir().unwrap();
        fs::create_dir_all(temp.path().join("a/b")).unwrap();
        fs::write(temp.path().join("a/b/file"), "x").unwrap();
        symlink("a", temp.path().join("link")).unwrap();
        symlink("/etc/hostname", temp.path().join("a/out")).unwrap();
        let folder = OwnedFd::from(fs::File::open(temp.path()).unwrap());
        for (path, opens) in
            [("a/b/file", true), ("", true), ("a/b", true), ("link/b/file", false), ("a/out", false), ("a/no", false)]
        {
            let path = Path::new(path);
            assert_eq!(open(&folder, path, OFlags::RDONLY).is_ok(), opens, "{path:?} in one call");
            assert_eq!(by_hand(&folder, path, OFlags::RDONLY).is_ok(), opens, "{path:?} by hand");
        }
        assert!(open_or_make(&folder, Path::new("a/new/er")).is_ok());
        assert!(temp.path().join("a/new/er").is_dir());
        assert!(open_or_make(&folder, Path::new("link/new")).is_err());
    }
}
