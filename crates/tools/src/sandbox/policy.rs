//! What a command may see and change. Says it; enforcing is done elsewhere.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::gitlinks::inner_repositories;
use crate::keys;

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
    pub protect: Vec<PathBuf>,
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
        let mut found = Vec::new();
        repositories(&repository.join("modules"), &mut found);
        found.extend(inner_repositories(folder).into_iter().filter(|inner| inner.starts_with(folder)));
        found.push(repository);
        for repository in found {
            self.protect.extend(GIT_STARTS_BY.map(|name| repository.join(name)));
            let config = fs::read_to_string(repository.join("config")).unwrap_or_default();
            self.protect_named(values(&config, "path"), &repository, folder);
            self.protect_named(values(&config, "hooksPath"), folder, folder);
        }
    }

    /// Files and folders of the project that a configuration names as its own.
    fn protect_named<'a>(&mut self, named: impl Iterator<Item = &'a str>, from: &Path, folder: &Path) {
        for path in named.map(|name| real(&from.join(name))) {
            // Husky's programs for hooks stand in `_`, and start what stands beside it.
            let path = if path.ends_with("_") { path.parent().unwrap_or(&path) } else { &path };
            if path.starts_with(folder) && path != folder && !self.protect.iter().any(|known| known == path) {
                self.protect.push(path.to_owned());
            }
        }
    }

    /// What may be written, the project first.
    pub(crate) fn written(&self) -> impl Iterator<Item = &PathBuf> {
        std::iter::once(&self.root).chain(&self.writable)
    }
}

/// By which of its files a repository has git start programs, or go elsewhere for these files.
const GIT_STARTS_BY: [&str; 4] = ["hooks", "config", "config.worktree", "commondir"];

/// Those of submodules: a name with a slash is a folder in a folder, and each may have submodules of its own. All folders
/// are looked into, and the configuration alone tells: what else makes a repository, commands may remove or add.
fn repositories(modules: &Path, found: &mut Vec<PathBuf>) {
    for folder in folders_in(modules) {
        repositories(&folder, found);
        if folder.join("config").exists() {
            found.push(folder);
        }
    }
}

/// What a key is set to, in whatever section: for names that only one has.
fn values<'a>(text: &'a str, key: &'a str) -> impl Iterator<Item = &'a str> {
    text.lines().filter_map(move |line| {
        let (name, value) = line.split_once('=')?;
        let name = name.rsplit_once(']').map_or(name, |(_, name)| name);
        name.trim().eq_ignore_ascii_case(key).then(|| value.trim().trim_matches('"'))
    })
}

/// Without links, so that there is an end.
pub(super) fn folders_in(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|entry| entry.path())
}

/// The path that a file of git's holds, relative to the file's folder.
fn named_in(file: &Path, prefix: &str) -> Option<PathBuf> {
    let text = fs::read_to_string(file).ok()?;
    let named = file.parent()?.join(text.strip_prefix(prefix)?.trim_end());
    named.canonicalize().ok()
}

/// What a folder of PATH needs to work: itself, or the toolchain whose `bin` it is.
fn program_folder(folder: &Path, home: &Path) -> Option<PathBuf> {
    let inside = folder.strip_prefix(home).ok()?;
    let toolchain = inside.parent().filter(|parent| parent.components().count() > 1 && inside.ends_with("bin"));
    (inside.components().count() > 0).then(|| home.join(toolchain.unwrap_or(inside)))
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}
