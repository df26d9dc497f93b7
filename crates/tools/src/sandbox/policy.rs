//! What a command may see and change. Says it; enforcing is done elsewhere.

use std::{
    ffi::OsString,
    fs,
    path::{Component, Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::{
    gitconfig::Named,
    gitlinks::{Inner, linked},
    nested::{is_repository, nested},
};
use crate::{keys, ordinary::named_in};

/// Paths are absolute and without links.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Policy {
    /// The project, and the folder that commands start in.
    pub root: PathBuf,
    /// What else may be written.
    pub writable: Vec<PathBuf>,
    /// Stands empty inside, and may be written there: what a command leaves in it is gone with the session.
    pub home: Option<PathBuf>,
    /// What of the home directory is there for reading.
    pub readable: Vec<PathBuf>,
    /// What is not there at all; tools for files and snapshots leave it out, too.
    pub hidden: Vec<PathBuf>,
    /// What of the writable folders may only be read. What is not there yet cannot be mounted over: of hooks and of our
    /// own project file, what a command makes is renamed at once, so that it has no effect and nothing is lost. So is a
    /// new configuration of git's that starts programs.
    #[serde(skip)]
    pub protect: Vec<PathBuf>,
    /// By git's configuration outside of all repositories: it holds in each of them.
    named: Named,
    /// Whether commands reach the network. Their own loopback they always have.
    pub network: bool,
}

/// Of the home directory: programs, toolchains and downloads, never the files beside them in which tools keep keys
/// (`.cargo/credentials.toml`, `.m2/settings.xml`, `.npmrc`, `.config/gh`). Nothing of it is written: build caches that
/// must be (`.cache/go-build`, `.gradle`) begin empty in the private home, unless their folder is among the writable.
const TOOL_FOLDERS: [&str; 36] = [
    ".asdf",
    ".bun/bin",
    ".bun/install",
    ".cabal/packages",
    ".cache/pip",
    ".cache/uv",
    ".cache/yarn",
    ".cargo/bin",
    ".cargo/config.toml",
    ".cargo/env",
    ".cargo/git",
    ".cargo/registry",
    ".config/git/attributes",
    ".config/git/config",
    ".config/git/ignore",
    ".deno/bin",
    ".gem/ruby",
    ".gitconfig",
    ".gradle/caches",
    ".gradle/wrapper",
    ".local/bin",
    ".local/lib",
    ".local/share/mise",
    ".local/share/pnpm",
    ".local/share/uv",
    ".m2/repository",
    ".npm",
    ".nvm",
    ".pyenv",
    ".rbenv",
    ".rustup",
    ".sdkman",
    ".volta",
    "go/bin",
    "go/pkg",
    "miniconda3",
];

impl Policy {
    /// As it is for a project where nothing was widened. `project_file` is our own, by name; `environment` gives HOME and
    /// PATH.
    pub fn of_project(root: &Path, project_file: &str, environment: &dyn Fn(&str) -> Option<OsString>) -> Self {
        let root = real(root);
        let home = environment("HOME").map(|home| real(Path::new(&home))).filter(|home| home.is_dir());
        let mut policy = Self {
            protect: Vec::new(),
            hidden: ["/etc/shadow", "/etc/gshadow"].map(PathBuf::from).to_vec(),
            root,
            writable: Vec::new(),
            home: None,
            readable: Vec::new(),
            named: Named::outside(environment),
            network: false,
        };
        policy.protect_in(&policy.root.clone(), project_file);
        match home {
            // It cannot be covered.
            Some(home) if home.starts_with(&policy.root) => policy.hidden.extend(keys::places(&home)),
            Some(home) if home.parent().is_some() => {
                let path = environment("PATH").unwrap_or_default();
                policy.readable = TOOL_FOLDERS.map(|name| home.join(name)).to_vec();
                policy
                    .readable
                    .extend(std::env::split_paths(&path).filter_map(|folder| program_folder(&folder, &home)));
                policy.home = Some(home);
            }
            _ => {}
        }
        policy
    }

    /// Widens it by a folder that may be written as the project may.
    pub fn allow(&mut self, folder: &Path, project_file: &str) {
        let folder = real(folder);
        let home = self.home.as_deref().filter(|home| home.starts_with(&folder));
        self.hidden.extend(home.into_iter().flat_map(keys::places));
        self.protect_in(&folder, project_file);
        self.writable.push(folder);
    }

    /// Our own project file, and git's folders: hooks and configuration start programs, for the user and outside of all
    /// walls. A worktree's commits go to the repository that it belongs to; that a folder is one's worktree the
    /// repository itself must say.
    fn protect_in(&mut self, folder: &Path, project_file: &str) {
        self.protect.push(folder.join(project_file));
        let mut repository = folder.join(".git");
        if repository.is_file() {
            self.protect.push(repository.clone());
        }
        if let Some(named) = named_in(&repository, "gitdir: ") {
            if named_in(&named.join("gitdir"), "").is_some_and(|back| back == repository)
                && let Some(common) = named_in(&named.join("commondir"), "")
            {
                self.writable.push(common.clone());
                repository = common;
            } else if named.starts_with(folder) {
                repository = named;
            }
        }
        for worktree in folders_in(&repository.join("worktrees")) {
            self.protect.extend(["config.worktree", "commondir"].map(|name| worktree.join(name)));
        }
        self.protect_named(&self.named.files.clone(), folder);
        let own = |repository| Inner { repository, folder: folder.to_owned() };
        let mut found: Vec<Inner> = modules(&repository.join("modules")).into_iter().map(own).collect();
        found.extend(linked(folder).inner.into_iter().filter(|inner| inner.repository.starts_with(folder)));
        found.push(own(repository));
        found.extend(is_repository(|name| folder.join(name).exists()).then(|| own(folder.to_owned())));
        found.iter().for_each(|inner| self.protect_inner(inner, folder));
    }

    /// What a repository has git start programs by.
    fn protect_inner(&mut self, inner: &Inner, folder: &Path) {
        let is_worktree = inner.repository.parent().is_some_and(|above| above.ends_with("worktrees"));
        let starts = if is_worktree { &GIT_STARTS_BY[2..] } else { &GIT_STARTS_BY };
        self.protect.extend(starts.iter().map(|name| inner.repository.join(name)));
        let mut named = self.named.clone();
        named.files.clear();
        ["config", "config.worktree"].iter().for_each(|name| named.read(&inner.repository.join(name)));
        named.files.extend(named.hooks.iter().map(|hooks| inner.folder.join(hooks)));
        self.protect_named(&named.files, folder);
    }

    /// Files and folders of the project that a configuration names as its own, and a link that leads to them.
    fn protect_named(&mut self, named: &[PathBuf], folder: &Path) {
        // The name itself only where no link is on the way to it, or it would be another folder that is mounted.
        let plain = |path: &PathBuf| {
            Some(without_dots(path)).filter(|path| path.parent().map(real).as_deref() == path.parent())
        };
        for path in named.iter().flat_map(|path| plain(path).into_iter().chain(path.canonicalize())) {
            // Husky's programs for hooks stand in `_`, and start what stands beside it.
            let path = if path.ends_with("_") { path.parent().unwrap_or(&path) } else { &path };
            if path.starts_with(folder) && path != folder && !self.protect.iter().any(|known| known == path) {
                self.protect.push(path.to_owned());
            }
        }
    }

    /// Repositories that lie in folders now.
    pub(super) fn nested(&self) -> Vec<Inner> {
        self.written().flat_map(|folder| nested(folder)).collect()
    }

    /// With what these have.
    pub(super) fn protecting(&self, nested: &[Inner]) -> Self {
        let mut policy = self.clone();
        for inner in nested {
            if let Some(folder) = self.written().find(|folder| inner.repository.starts_with(folder)) {
                policy.protect_inner(inner, folder);
            }
        }
        policy
    }

    /// What may be written, the project first.
    pub(crate) fn written(&self) -> impl Iterator<Item = &PathBuf> {
        std::iter::once(&self.root).chain(&self.writable)
    }
}

/// By which of its files a repository has git start programs, or go elsewhere for these files. A worktree has the last two.
const GIT_STARTS_BY: [&str; 4] = ["hooks", "config", "config.worktree", "commondir"];

/// Those of submodules: a name with a slash is a folder in a folder, and each may have submodules of its own. All folders
/// are looked into, and the configuration alone tells: what else makes a repository, commands may remove or add.
fn modules(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut waiting) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = waiting.pop().filter(|_| found.len() < MOST_MODULES) {
        waiting.extend(folders_in(&folder));
        found.extend(folder.join("config").exists().then_some(folder));
    }
    found
}

/// Folders that a command makes there must not keep the next session from starting.
const MOST_MODULES: usize = 10_000;

/// Without links, so that there is an end.
pub(super) fn folders_in(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|entry| entry.path())
}

/// What a folder of PATH needs to work: itself, or the toolchain whose `bin` it is.
fn program_folder(folder: &Path, home: &Path) -> Option<PathBuf> {
    let inside = folder.strip_prefix(home).ok()?;
    let toolchain = inside.parent().filter(|parent| parent.components().count() > 1 && inside.ends_with("bin"));
    (inside.components().count() > 0).then(|| home.join(toolchain.unwrap_or(inside)))
}

/// What is not there yet cannot be asked.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}
