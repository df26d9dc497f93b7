//! What `.gitignore` and its like leave out. They are read here, and not by the crate that walks, because a command, or
//! whoever wrote a project that was cloned, may have put a pipe or an endless file in their place. Like git, which follows
//! no link to them, whatever is no ordinary file counts as none.

use std::{
    collections::HashMap,
    iter,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
};

use ignore::{
    Match,
    gitignore::{Gitignore, GitignoreBuilder},
};

use crate::ordinary::{Links, named_in, read};

/// Whose rules count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Which {
    /// Git's, in its repositories.
    Git,
    /// Those of `.ignore` as well, and of `.gitignore` also where there is no repository.
    All,
}

/// Remembers the rules of each folder that was asked about.
#[derive(Debug)]
pub(crate) struct Ignoring {
    which: Which,
    levels: RwLock<HashMap<PathBuf, Option<Arc<Level>>>>,
    /// The person's own.
    everywhere: Gitignore,
}

/// A folder that has rules, or is a repository's.
#[derive(Debug)]
struct Level {
    ignore: Gitignore,
    gitignore: Gitignore,
    exclude: Gitignore,
    is_repository: bool,
    above: Option<Arc<Level>>,
}

impl Ignoring {
    pub(crate) fn new(which: Which) -> Self {
        let everywhere = GitignoreBuilder::new("/").build_global().0;
        Self { which, levels: RwLock::default(), everywhere }
    }

    pub(crate) fn is_ignored(&self, path: &Path, is_folder: bool) -> bool {
        self.matched(path, is_folder).is_ignore()
    }

    /// By the nearest rule: of `.ignore`, then of `.gitignore`, then the repository's own, then the person's.
    pub(crate) fn matched(&self, path: &Path, is_folder: bool) -> Match<()> {
        let (mut ignore, mut gitignore, mut exclude) = (Match::None, Match::None, Match::None);
        let mut is_in_git = false;
        let level = path.parent().and_then(|folder| self.level(folder));
        for level in iter::successors(level.as_deref(), |level| level.above.as_deref()) {
            let matched = |rules: &Gitignore| rules.matched(path, is_folder).map(|_| ());
            ignore = ignore.or(matched(&level.ignore));
            if !is_in_git {
                gitignore = gitignore.or(matched(&level.gitignore));
                exclude = exclude.or(matched(&level.exclude));
                is_in_git = level.is_repository;
            }
        }
        if !is_in_git && self.which == Which::Git {
            return ignore;
        }
        ignore.or(gitignore).or(exclude).or(self.everywhere.matched(path, is_folder).map(|_| ()))
    }

    fn level(&self, folder: &Path) -> Option<Arc<Level>> {
        if let Some(known) = self.levels.read().unwrap_or_else(PoisonError::into_inner).get(folder) {
            return known.clone();
        }
        let above = folder.parent().and_then(|above| self.level(above));
        let git = folder.join(".git");
        let is_repository = git.exists();
        let level = Level {
            ignore: if self.which == Which::All { rules(folder, &folder.join(".ignore")) } else { Gitignore::empty() },
            gitignore: rules(folder, &folder.join(".gitignore")),
            exclude: if is_repository { rules(folder, &exclude_of(git)) } else { Gitignore::empty() },
            is_repository,
            above,
        };
        let has_rules = is_repository || !level.ignore.is_empty() || !level.gitignore.is_empty();
        let level = if has_rules { Some(Arc::new(level)) } else { level.above };
        self.levels.write().unwrap_or_else(PoisonError::into_inner).insert(folder.to_owned(), level.clone());
        level
    }
}

/// In the repository that a worktree belongs to.
fn exclude_of(git: PathBuf) -> PathBuf {
    let git = if git.is_file() { named_in(&git, "gitdir: ").unwrap_or(git) } else { git };
    named_in(&git.join("commondir"), "").unwrap_or(git).join("info/exclude")
}

fn rules(folder: &Path, file: &Path) -> Gitignore {
    let Ok(bytes) = read(file, Links::Refused) else { return Gitignore::empty() };
    let mut builder = GitignoreBuilder::new(folder);
    for line in String::from_utf8_lossy(&bytes).trim_start_matches('\u{feff}').lines() {
        // What is no pattern leaves nothing out.
        let _ = builder.add_line(None, line);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}
