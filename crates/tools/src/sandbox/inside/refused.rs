//! Protected files that are not there yet, or are links: nothing can be mounted over their names.
//!
//! Whatever comes to stand there while a command runs gets another name at once. Nothing is deleted: it may have been the
//! user, at the same moment.

use std::{
    collections::{BTreeSet, VecDeque},
    fs, io,
    os::unix::fs::{MetadataExt as _, symlink},
    path::{Path, PathBuf},
};

use super::harmless::is_harmless;
use crate::{
    ordinary::{Links, read_text},
    sandbox::{
        gitlinks::{Inner, linked},
        nested::{MAKES_BARE, is_repository},
        policy::{Policy, folders_in},
    },
};

/// Indices are read at every so many looks, and at the end.
const NOW_AND_THEN: u32 = 10;

#[derive(Debug)]
pub(super) struct Refused {
    policy: Policy,
    /// With where it led, if it was a link.
    watched: Vec<(PathBuf, Option<PathBuf>)>,
    /// Read-only for the command: what changes there is another's doing.
    mounted: BTreeSet<PathBuf>,
    /// What starts programs in repositories inside, and did so before.
    before: BTreeSet<Starter>,
    looks: u32,
    renamed: Vec<String>,
}

impl Refused {
    /// `protecting` is the same policy, with what `nested` repositories have; `is_mounted` where no command runs without.
    pub(super) fn new(policy: &Policy, protecting: &Policy, nested: &[Inner], is_mounted: bool) -> Self {
        let (mut watched, mut mounted) = (Vec::new(), BTreeSet::new());
        for path in &protecting.protect {
            match path.symlink_metadata() {
                Ok(there) if there.is_symlink() => {
                    watched.extend(fs::read_link(path).ok().map(|link| (path.clone(), Some(link))));
                }
                Ok(_) => drop(is_mounted && mounted.insert(path.clone())),
                Err(_) => watched.push((path.clone(), None)),
            }
        }
        for folder in policy.written() {
            let git = folder.join(".git");
            match git.symlink_metadata() {
                Ok(there) if there.is_symlink() => {
                    watched.extend(fs::read_link(&git).ok().map(|link| (git.clone(), Some(link))));
                }
                Ok(_) => {}
                // One may be made, but not elsewhere, and not of the project's folder itself: by what of that is not there.
                Err(_) => {
                    let missing =
                        |names: &[&str]| names.iter().map(|name| folder.join(name)).find(|path| !path.exists());
                    let parts = [missing(&["HEAD", "objects", "refs"]), missing(&["HEAD", "commondir"])];
                    watched.extend(parts.into_iter().flatten().chain([git]).map(|path| (path, None)));
                }
            }
        }
        let before = starters(policy, nested);
        Self { policy: policy.clone(), watched, mounted, before, looks: 0, renamed: Vec::new() }
    }

    /// Once more, when everything is over: all that was refused, by its new names.
    pub(super) fn rename_all(mut self) -> Vec<String> {
        self.rename_starters(&self.policy.nested());
        self.rename_watched();
        self.renamed
    }

    pub(super) fn rename(&mut self) {
        self.looks += 1;
        if self.looks % NOW_AND_THEN == 1 {
            // Folders are walked through before and behind a command only.
            self.rename_starters(&[]);
        }
        self.rename_watched();
    }

    fn rename_starters(&mut self, nested: &[Inner]) {
        for Starter { path, .. } in starters(&self.policy, nested).difference(&self.before) {
            if !path.ancestors().any(|path| self.mounted.contains(path)) {
                self.renamed.extend(set_aside(path));
            }
        }
    }

    fn rename_watched(&mut self) {
        for (path, link) in &self.watched {
            // Tried again at the next look.
            let _ = rename_one(path, link.as_deref(), &mut self.renamed);
        }
    }
}

/// A file by which git starts a program, and when it was last touched.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Starter {
    path: PathBuf,
    touched: (u64, i64, i64),
}

/// In all repositories inside of others that commands may write to. One that lies elsewhere is its owner's.
fn starters(policy: &Policy, nested: &[Inner]) -> BTreeSet<Starter> {
    let is_written = |path: &Path| policy.written().any(|written| path.starts_with(written));
    let (mut paths, mut seen) = (Vec::new(), BTreeSet::new());
    let mut waiting: VecDeque<PathBuf> = nested.iter().map(|inner| inner.repository.clone()).collect();
    for folder in policy.written() {
        let linked = linked(folder);
        waiting.extend(linked.inner.into_iter().map(|inner| inner.repository));
        paths.extend(linked.unread);
        [folder.join(".git"), folder.clone()].iter().for_each(|repository| paths.extend(led_elsewhere(repository)));
    }
    while let Some(repository) = waiting.pop_front() {
        if !is_written(&repository) || !seen.insert(repository.clone()) {
            continue;
        }
        let configured = ["config", "config.worktree"].map(|name| repository.join(name)).into_iter();
        paths.extend(configured.filter(|path| !is_harmless_file(path)));
        let hooks = fs::read_dir(repository.join("hooks")).into_iter().flatten().flatten().map(|entry| entry.path());
        paths.extend(hooks.filter(|path| is_hook(path)));
        paths.extend(led_elsewhere(&repository));
        match repository.parent().filter(|above| above.ends_with("worktrees")).and_then(Path::parent) {
            // The worktree of a repository, which is looked into itself.
            Some(common) if is_own_worktree(&repository) => waiting.push_back(common.to_owned()),
            _ => paths.push(repository.join("commondir")),
        }
    }
    let starter = |path: PathBuf| {
        let about = path.symlink_metadata().ok().filter(|_| is_written(&path))?;
        Some(Starter { path, touched: (about.ino(), about.ctime(), about.ctime_nsec()) })
    };
    paths.into_iter().filter_map(starter).collect()
}

/// What worktrees that a command may have made say of their repository, where that is not the one they lie in.
fn led_elsewhere(repository: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    folders_in(&repository.join("worktrees")).flat_map(|worktree| {
        let is_own = is_own_worktree(&worktree);
        let starts = !is_harmless_file(&worktree.join("config.worktree"));
        let found = [("commondir", !is_own), ("config.worktree", starts)];
        found.into_iter().filter(|(_, is_bad)| *is_bad).map(move |(name, _)| worktree.join(name))
    })
}

fn is_own_worktree(worktree: &Path) -> bool {
    read_text(&worktree.join("commondir"), Links::Refused).is_ok_and(|text| text.trim() == "../..")
}

/// None is harmless, too.
fn is_harmless_file(path: &Path) -> bool {
    match read_text(path, Links::Refused) {
        Ok(text) => is_harmless(&text),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}

/// And neither a sample nor refused already.
fn is_hook(path: &Path) -> bool {
    !path.extension().is_some_and(|ending| ending == "sample" || ending == "refused")
}

fn rename_one(path: &Path, link: Option<&Path>, renamed: &mut Vec<String>) -> io::Result<()> {
    let Ok(there) = path.symlink_metadata() else { return Ok(()) };
    if link.is_some() && fs::read_link(path).ok().as_deref() == link {
        return Ok(());
    }
    if link.is_none() && is_of_git_init(path, &there) {
        return Ok(());
    }
    let makes_bare = MAKES_BARE.iter().any(|name| path.ends_with(name));
    if there.is_dir() && link.is_none() && !makes_bare {
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
        Some("config" | "config.worktree") => is_harmless_file(path),
        // Together they make a folder a repository without files.
        Some("HEAD" | "objects" | "refs" | "commondir") => {
            !is_repository(|name| path.with_file_name(name).symlink_metadata().is_ok())
        }
        _ => false,
    }
}

fn set_aside(path: &Path) -> io::Result<String> {
    let name = |number: u32| {
        let ending = if number == 0 { ".refused".to_owned() } else { format!(".{number}.refused") };
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    };
    let free = (0..1000).map(name).find(|name| name.symlink_metadata().is_err());
    let free = free.ok_or_else(|| io::Error::other("a thousand were refused already"))?;
    fs::rename(path, &free)?;
    Ok(free.to_string_lossy().into_owned())
}
