//! Reads files that a command may have made. A pipe in their place would be waited for without end, a device or a file of
//! gigabytes fill the memory of whoever reads.

use std::{
    fs::{self, File},
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use rustix::fs::{CWD, Mode, OFlags, openat};

/// Of what people write by hand: rules, settings, names of folders. Git's own bound for such files is larger by far.
const BY_HAND: u64 = 1 << 20;

/// Whether a link in the place of the file is gone after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Links {
    Followed,
    Refused,
}

/// Looked at before it is opened, because opening some devices does something, and behind it, because it may be another
/// one by then.
pub(crate) fn open(path: &Path, links: Links) -> io::Result<File> {
    let unfit = || io::Error::new(io::ErrorKind::InvalidInput, "no ordinary file");
    let (about, nofollow) = match links {
        Links::Followed => (fs::metadata(path)?, OFlags::empty()),
        Links::Refused => (fs::symlink_metadata(path)?, OFlags::NOFOLLOW),
    };
    if !about.is_file() {
        return Err(unfit());
    }
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC | nofollow;
    let file = File::from(openat(CWD, path, flags, Mode::empty())?);
    if file.metadata()?.is_file() { Ok(file) } else { Err(unfit()) }
}

/// A larger one is an error.
pub(crate) fn read_up_to(path: &Path, links: Links, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path, links)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(bytes) }
}

pub(crate) fn read(path: &Path, links: Links) -> io::Result<Vec<u8>> {
    read_up_to(path, links, BY_HAND)
}

pub(crate) fn read_text(path: &Path, links: Links) -> io::Result<String> {
    String::from_utf8(read(path, links)?).map_err(io::Error::other)
}

/// The path that a file of git's holds, relative to the file's folder, without links.
pub(crate) fn named_in(file: &Path, prefix: &str) -> Option<PathBuf> {
    let text = read_text(file, Links::Followed).ok()?;
    file.parent()?.join(text.strip_prefix(prefix)?.trim_end()).canonicalize().ok()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use rustix::fs::mkfifoat;

    use super::*;

    #[test]
    fn what_is_no_ordinary_file_of_some_size_is_an_error_at_once() {
        let temp = tempfile::tempdir().unwrap();
        let at = |name: &str| temp.path().join(name);
        fs::write(at("file"), "text").unwrap();
        symlink("file", at("link")).unwrap();
        symlink("/dev/zero", at("endless")).unwrap();
        mkfifoat(CWD, at("pipe"), Mode::from_raw_mode(0o600)).unwrap();
        File::create(at("huge")).unwrap().set_len(1 << 40).unwrap();
        assert_eq!(read_text(&at("file"), Links::Refused).unwrap(), "text");
        assert_eq!(read_text(&at("link"), Links::Followed).unwrap(), "text");
        for (name, links) in [("link", Links::Refused), ("endless", Links::Followed), ("pipe", Links::Followed)] {
            assert!(read(&at(name), links).is_err(), "{name}");
        }
        assert!(read(&at("huge"), Links::Followed).is_err() && read(temp.path(), Links::Followed).is_err());
    }
}
