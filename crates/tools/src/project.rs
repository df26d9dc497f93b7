//! The folders that an agent may touch, and the way from a path that a model wrote to a place inside one of them.
//!
//! A place is what remains after every link was followed, and it is opened without following any: what somebody swaps for
//! a link in between is refused. Which tool wants the place, and whether it may, is not known here.

mod beneath;

use std::{
    ffi::{OsStr, OsString},
    fs::{self, File, FileType, Metadata},
    io,
    os::{fd::OwnedFd, unix::fs::FileTypeExt},
    path::{Component, Path, PathBuf},
};

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustix::fs::OFlags;

use crate::{
    envelope::{Code, Failure},
    sandbox::is_repository,
};

/// Written by git and by us: a tool that changes files could make them run commands, or loosen the walls.
const KEPT: [&str; 2] = [".git", ".lookback.toml"];

/// What makes a folder a repository, or has one start programs.
const OF_REPOSITORY: [&str; 7] = ["HEAD", "objects", "refs", "commondir", "config", "config.worktree", "hooks"];

/// The root and the folders that a person added.
#[derive(Debug)]
pub struct Project {
    /// The root first.
    folders: Vec<Folder>,
    /// What of them no tool looks at.
    hidden: Vec<PathBuf>,
    /// What listings and searches leave out beside what git does; whoever names it has it.
    ignored: Gitignore,
    /// What no tool changes, beside [`KEPT`].
    kept: Vec<PathBuf>,
}

#[derive(Debug)]
struct Folder {
    /// Without links.
    path: PathBuf,
    /// Held open, so that it stays the same folder whatever happens to its name.
    dir: OwnedFd,
}

impl Project {
    /// `also` are folders outside the root.
    pub fn new(root: &Path, also: &[PathBuf]) -> io::Result<Self> {
        let folder = |path: &Path| {
            let path = fs::canonicalize(path)?;
            let dir = File::open(&path)?;
            if !dir.metadata()?.is_dir() {
                return Err(io::Error::new(io::ErrorKind::NotADirectory, format!("{} is no folder", path.display())));
            }
            Ok(Folder { path, dir: dir.into() })
        };
        let folders = std::iter::once(root).chain(also.iter().map(PathBuf::as_path)).map(folder);
        Ok(Self {
            folders: folders.collect::<io::Result<_>>()?,
            hidden: Vec::new(),
            ignored: Gitignore::empty(),
            kept: Vec::new(),
        })
    }

    /// Patterns as in a .gitignore at the root. Gives back those that are none, each with the reason.
    pub fn ignoring(self, patterns: &[String]) -> (Self, Vec<String>) {
        let mut builder = GitignoreBuilder::new(self.root());
        let wrong = |pattern: &String, error: ignore::Error| format!("{pattern:?} is left out: {error}");
        let mut unreadable: Vec<String> = patterns
            .iter()
            .filter_map(|pattern| builder.add_line(None, pattern).err().map(|error| wrong(pattern, error)))
            .collect();
        let ignored = builder.build().unwrap_or_else(|error| {
            unreadable.push(error.to_string());
            Gitignore::empty()
        });
        (Self { ignored, ..self }, unreadable)
    }

    /// Files and folders that tools may read and not change, given without links: folders of hooks and configurations that
    /// git's own names.
    pub fn keeping(self, kept: Vec<PathBuf>) -> Self {
        Self { kept, ..self }
    }

    pub(crate) fn ignored(&self) -> &Gitignore {
        &self.ignored
    }

    /// Leaves places out, given without links: for a root that holds somebody's keys. A folder that was added below one of
    /// them was meant.
    pub fn without(self, mut hidden: Vec<PathBuf>) -> Self {
        hidden.retain(|hidden| !self.folders().any(|folder| folder.starts_with(hidden)));
        Self { hidden, ..self }
    }

    /// Places below a folder that no tool looks at.
    pub(crate) fn hidden_below(&self, folder: &Path) -> Vec<PathBuf> {
        self.hidden.iter().filter(|hidden| hidden.starts_with(folder)).cloned().collect()
    }

    /// Without links.
    pub fn root(&self) -> &Path {
        &self.folders[0].path
    }

    /// The root and the added folders, without links.
    pub fn folders(&self) -> impl Iterator<Item = &Path> {
        self.folders.iter().map(|folder| folder.path.as_path())
    }

    /// As results and pointers name it: relative to the root, and in full in an added folder.
    pub fn name_of(&self, path: &Path) -> String {
        match path.strip_prefix(self.root()) {
            Ok(inside) if inside.as_os_str().is_empty() => ".".to_owned(),
            Ok(inside) => inside.to_string_lossy().into_owned(),
            Err(_) => path.to_string_lossy().into_owned(),
        }
    }

    /// The place that a model's path means, whether or not something is there.
    pub(crate) fn place(&self, written: &str) -> Result<Place<'_>, Failure> {
        if written.is_empty() || written.contains('\0') {
            return Err(Failure::new(Code::InvalidParam, "path is empty or holds a NUL byte"));
        }
        let outside = || Failure::new(Code::AccessDenied, format!("{written} is outside the project"));
        let (mut real, missing) = follow(&self.root().join(written)).map_err(|error| failure(&error, written))?;
        if missing.iter().any(|part| part == "..") {
            return Err(Failure::new(Code::NotFound, format!("{written}: a folder of this path does not exist")));
        }
        real.extend(&missing);
        let folder = self.folders.iter().find(|folder| real.starts_with(&folder.path)).ok_or_else(outside)?;
        if self.hidden.iter().any(|hidden| real.starts_with(hidden)) {
            let what = format!("{written} is kept from all tools: keys or the program's own files lie there");
            return Err(Failure::new(Code::AccessDenied, what));
        }
        let beneath = real.strip_prefix(&folder.path).map_err(|_| outside())?.to_owned();
        let is_kept = self.kept.iter().any(|kept| real.starts_with(kept));
        Ok(Place { name: self.name_of(&real), missing: missing.len(), folder, beneath, real, is_kept })
    }
}

/// As far as it exists without its links, and the rest of it, which does not.
fn follow(path: &Path) -> io::Result<(PathBuf, Vec<OsString>)> {
    let mut parts: Vec<Component<'_>> = path.components().collect();
    let mut missing = Vec::new();
    loop {
        let known: PathBuf = parts.iter().collect();
        match fs::canonicalize(&known) {
            Ok(real) => return Ok((real, missing)),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            // Something is there, but it leads nowhere: writing through it would land at an unknown place.
            Err(_) if known.symlink_metadata().is_ok() => {
                return Err(io::Error::other("it is, or goes through, a link to something that does not exist"));
            }
            Err(error) => missing.insert(0, parts.pop().ok_or(error)?.as_os_str().to_owned()),
        }
    }
}

/// A path inside the project.
#[derive(Debug)]
pub(crate) struct Place<'p> {
    folder: &'p Folder,
    /// Below the folder, without links.
    beneath: PathBuf,
    /// How many of its last parts do not exist.
    missing: usize,
    /// In full, without links.
    pub real: PathBuf,
    /// As results name it.
    pub name: String,
    /// Tools may not change it.
    is_kept: bool,
}

impl Place<'_> {
    /// A regular file, for reading, and what the system says of it.
    pub(crate) fn open_file(&self) -> Result<(File, Metadata), Failure> {
        let file = self.open_inside(&self.real).map_err(|error| failure(&error, &self.name))?;
        let about = file.metadata().map_err(|error| failure(&error, &self.name))?;
        match unfit(about.file_type()) {
            None => Ok((file, about)),
            Some((code, what)) => Err(Failure::new(code, format!("{} is {what}", self.name))),
        }
    }

    /// What a walk found at or below this place. Never waits for a FIFO, and never follows a link.
    pub(crate) fn open_inside(&self, path: &Path) -> io::Result<File> {
        let beneath = path.strip_prefix(&self.folder.path).map_err(io::Error::other)?;
        let flags = OFlags::RDONLY | OFlags::NONBLOCK;
        Ok(beneath::open(&self.folder.dir, beneath, flags)?.into())
    }

    /// Whether something is there.
    pub(crate) fn exists(&self) -> bool {
        self.missing == 0
    }

    /// The folder that holds it, made if it is not there, and its name in it.
    pub(crate) fn parent(&self) -> Result<(OwnedFd, &OsStr), Failure> {
        if let Some(kept) = self.beneath.iter().find(|part| KEPT.iter().any(|kept| part == kept)) {
            let what = format!("{} is read-only for tools: {} is not theirs to change", self.name, kept.display());
            return Err(Failure::new(Code::AccessDenied, what));
        }
        if self.is_kept {
            let what = format!("{} is read-only for tools: git starts programs by it", self.name);
            return Err(Failure::new(Code::AccessDenied, what));
        }
        if self.makes_repository() {
            let what = format!("{} is read-only for tools: the folder would be a repository of git's", self.name);
            return Err(Failure::new(Code::AccessDenied, what));
        }
        let no_file = || Failure::new(Code::IsDirectory, format!("{} is a folder", self.name));
        let name = self.beneath.file_name().ok_or_else(no_file)?;
        let above = self.beneath.parent().unwrap_or(Path::new(""));
        let made = beneath::open_or_make(&self.folder.dir, above);
        made.map(|dir| (dir, name)).map_err(|error| failure(&error, &self.name))
    }

    /// Whether a file here were part of a repository without files of its own, in whatever folder on the way: git starts
    /// programs by its configuration.
    fn makes_repository(&self) -> bool {
        let folders = self.real.ancestors().skip(1).take_while(|folder| folder.starts_with(&self.folder.path));
        folders.zip(self.real.ancestors()).any(|(folder, part)| {
            let part = part.file_name().and_then(OsStr::to_str).unwrap_or_default();
            OF_REPOSITORY.contains(&part) && is_repository(|name| name == part || folder.join(name).exists())
        })
    }

    /// Refuses what is no folder.
    pub(crate) fn check_folder(&self) -> Result<(), Failure> {
        if !self.exists() {
            return Err(Failure::new(Code::NotFound, format!("{} does not exist", self.name)));
        }
        if !self.real.is_dir() {
            return Err(Failure::new(Code::InvalidParam, format!("{} is a file, not a folder", self.name)));
        }
        Ok(())
    }
}

/// Why something cannot be read as a file.
fn unfit(kind: FileType) -> Option<(Code, &'static str)> {
    match kind {
        kind if kind.is_file() => None,
        kind if kind.is_dir() => Some((Code::IsDirectory, "a folder: LS lists it")),
        kind if kind.is_fifo() => Some((Code::InvalidParam, "a FIFO, not a file")),
        kind if kind.is_socket() => Some((Code::InvalidParam, "a socket, not a file")),
        _ => Some((Code::InvalidParam, "a device, not a file")),
    }
}

/// What the system said, for a model.
pub(crate) fn failure(error: &io::Error, name: &str) -> Failure {
    use io::ErrorKind as Kind;
    let (code, what) = match error.kind() {
        Kind::NotFound => (Code::NotFound, "does not exist".to_owned()),
        Kind::PermissionDenied => (Code::AccessDenied, "cannot be opened or changed: permission denied".to_owned()),
        Kind::ReadOnlyFilesystem => (Code::AccessDenied, "is on a read-only file system".to_owned()),
        Kind::NotADirectory => (Code::NotFound, "has a file where a folder should be".to_owned()),
        Kind::IsADirectory => (Code::IsDirectory, "is a folder".to_owned()),
        Kind::InvalidFilename => (Code::InvalidParam, "is too long for a path".to_owned()),
        Kind::StorageFull | Kind::QuotaExceeded | Kind::FileTooLarge => {
            (Code::ExecutionError, format!("could not be written, and is as it was: {error}"))
        }
        // No device can be opened by two of these names: a socket, or a link that was put in its place just now.
        _ if [rustix::io::Errno::LOOP, rustix::io::Errno::XDEV]
            .iter()
            .any(|errno| error.raw_os_error() == Some(errno.raw_os_error())) =>
        {
            (Code::AccessDenied, "became a link while it was opened, or leads through too many".to_owned())
        }
        _ if error.raw_os_error() == Some(rustix::io::Errno::NXIO.raw_os_error()) => {
            (Code::InvalidParam, "is a socket or a device, not a file".to_owned())
        }
        _ => (Code::ExecutionError, error.to_string()),
    };
    Failure::new(code, format!("{name} {what}"))
}

#[cfg(test)]
mod tests;
