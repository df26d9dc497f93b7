//! Protected files that are not there yet, or are links: nothing can be mounted over their names.
//!
//! Whatever comes to stand there while a command runs gets another name at once. Nothing is deleted: it may have been the
//! user, at the same moment.

use std::{
    fs, io,
    os::unix::fs::{MetadataExt as _, symlink},
    path::{Path, PathBuf},
};

use super::harmless::is_harmless;
use crate::sandbox::{
    gitlinks::inner_repositories,
    policy::{Policy, folders_in},
};

/// Indices are read at every so many looks, and at the end.
const NOW_AND_THEN: u32 = 10;

#[derive(Debug)]
pub(super) struct Refused {
    policy: Policy,
    /// With where it led, if it was a link.
    watched: Vec<(PathBuf, Option<PathBuf>)>,
    /// What starts programs in repositories inside, and did so before: read-only, so it is not the command's.
    before: Vec<Starter>,
    looks: u32,
    renamed: Vec<PathBuf>,
}

impl Refused {
    pub(super) fn new(policy: &Policy) -> Self {
        // Where there is no repository one may be made, but not elsewhere, and not of the project's folder itself.
        let begun = policy.written().flat_map(|folder| {
            let is_new = folder.join(".git").symlink_metadata().is_err();
            let names = if is_new { &[".git", "HEAD"][..] } else { &[".git"] };
            names.iter().map(|name| folder.join(name))
        });
        let begun: Vec<PathBuf> = begun.collect();
        let unmounted = policy.protect.iter().chain(&begun).filter_map(|path| match path.symlink_metadata() {
            Ok(there) if there.is_symlink() => Some((path.clone(), Some(fs::read_link(path).ok()?))),
            Ok(_) => None,
            Err(_) => Some((path.clone(), None)),
        });
        let watched = unmounted.collect();
        Self { policy: policy.clone(), watched, before: starters(policy), looks: 0, renamed: Vec::new() }
    }

    /// Once more, when everything is over.
    pub(super) fn rename_all(&mut self) {
        self.looks = 0;
        self.rename();
    }

    pub(super) fn rename(&mut self) {
        self.looks += 1;
        if self.looks % NOW_AND_THEN == 1 {
            let new = starters(&self.policy).into_iter().filter(|starter| !self.before.contains(starter));
            self.renamed.extend(new.filter_map(|starter| set_aside(&starter.path).ok()));
        }
        for (path, link) in &self.watched {
            // Tried again at the next look.
            let _ = rename_one(path, link.as_deref(), &mut self.renamed);
        }
    }

    /// By their new names.
    pub(super) fn into_renamed(self) -> Vec<PathBuf> {
        self.renamed
    }
}

/// A file by which git starts a program, and when it was last touched.
#[derive(Debug, PartialEq, Eq)]
struct Starter {
    path: PathBuf,
    touched: (u64, i64, i64),
}

/// In all repositories inside of others that commands may write to. One that lies elsewhere is its owner's.
fn starters(policy: &Policy) -> Vec<Starter> {
    let inner = policy.written().flat_map(|folder| inner_repositories(folder));
    let inner = inner.filter(|repository| policy.written().any(|written| repository.starts_with(written)));
    let paths = inner.flat_map(|repository| {
        let configured = ["config", "config.worktree"].map(|name| repository.join(name)).into_iter();
        let configured = configured.filter(|path| !fs::read_to_string(path).is_ok_and(|text| is_harmless(&text)));
        let hooks = fs::read_dir(repository.join("hooks")).into_iter().flatten().flatten().map(|entry| entry.path());
        configured.chain([repository.join("commondir")]).chain(hooks.filter(|path| is_hook(path)))
    });
    let paths = paths.chain(led_elsewhere(policy));
    let starter = |path: PathBuf| {
        let about = path.symlink_metadata().ok()?;
        Some(Starter { path, touched: (about.ino(), about.ctime(), about.ctime_nsec()) })
    };
    paths.filter_map(starter).collect()
}

/// What worktrees that a command may have made say of their repository, where that is not the one they lie in.
fn led_elsewhere(policy: &Policy) -> impl Iterator<Item = PathBuf> {
    let folders = policy.written().flat_map(|folder| [folder.join(".git/worktrees"), folder.join("worktrees")]);
    let worktrees: Vec<PathBuf> = folders.flat_map(|folder| folders_in(&folder).collect::<Vec<_>>()).collect();
    worktrees.into_iter().flat_map(|worktree| {
        let said = |name: &str| fs::read_to_string(worktree.join(name)).unwrap_or_default();
        let elsewhere = said("commondir").trim() != "../..";
        let starts = !is_harmless(&said("config.worktree"));
        let found = [("commondir", elsewhere), ("config.worktree", starts)];
        found.into_iter().filter(|(_, is_bad)| *is_bad).map(|(name, _)| worktree.join(name)).collect::<Vec<_>>()
    })
}

/// And neither a sample nor refused already.
fn is_hook(path: &Path) -> bool {
    !path.extension().is_some_and(|ending| ending == "sample" || ending == "refused")
}

fn rename_one(path: &Path, link: Option<&Path>, renamed: &mut Vec<PathBuf>) -> io::Result<()> {
    let Ok(there) = path.symlink_metadata() else { return Ok(()) };
    if link.is_some() && fs::read_link(path).ok().as_deref() == link {
        return Ok(());
    }
    if link.is_none() && is_of_git_init(path, &there) {
        return Ok(());
    }
    if there.is_dir() && link.is_none() {
        // The folder of hooks that `git init` made: its samples do nothing.
        for entry in fs::read_dir(path)?.flatten().map(|entry| entry.path()) {
            if is_hook(&entry) {
                renamed.push(set_aside(&entry)?);
            }
        }
        return Ok(());
    }
    renamed.push(set_aside(path)?);
    link.map_or(Ok(()), |link| symlink(link, path))
}

/// What `git init` makes, and what has no effect.
fn is_of_git_init(path: &Path, there: &fs::Metadata) -> bool {
    match path.file_name().and_then(|name| name.to_str()) {
        Some(".git") => there.is_dir(),
        Some("config" | "config.worktree") => {
            there.is_file() && fs::read_to_string(path).is_ok_and(|text| is_harmless(&text))
        }
        // Beside these it is what makes a folder a repository without files.
        Some("HEAD") => !["objects", "refs"].iter().all(|name| path.with_file_name(name).is_dir()),
        _ => false,
    }
}

fn set_aside(path: &Path) -> io::Result<PathBuf> {
    let name = |number: u32| {
        let ending = if number == 0 { ".refused".to_owned() } else { format!(".{number}.refused") };
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    };
    let free = (0..1000).map(name).find(|name| name.symlink_metadata().is_err());
    let free = free.ok_or_else(|| io::Error::other("a thousand were refused already"))?;
    fs::rename(path, &free)?;
    Ok(free)
}
