//! What a command may see and change. Says it; enforcing is done elsewhere.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

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
    /// What is not there at all.
    pub hidden: Vec<PathBuf>,
    /// What of the writable folders may only be read. What is not there yet cannot be mounted over: of hooks and of our
    /// own project file, what a command makes is renamed at once, so that it has no effect and nothing is lost.
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

/// Where the project is the home directory, or around it, that cannot be covered: then at least these.
const KEY_FOLDERS: [&str; 14] = [
    ".ssh",
    ".aws",
    ".azure",
    ".gnupg",
    ".kube",
    ".docker",
    ".config",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".cargo/credentials.toml",
    ".local/share",
    ".password-store",
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
            Some(home) if home.starts_with(&policy.root) => {
                policy.hidden.extend(KEY_FOLDERS.map(|name| home.join(name)));
            }
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
        self.protect_in(&folder, project_file);
        self.writable.push(folder);
    }

    /// Our own project file, and git's folders: hooks and configuration start programs, for the user and outside of all walls. A worktree's
    /// commits go to the repository that it belongs to; that a folder is one's worktree the repository itself must say.
    fn protect_in(&mut self, folder: &Path, project_file: &str) {
        self.protect.push(folder.join(project_file));
        let mut repository = folder.join(".git");
        if let Some(worktree) = named_in(&repository, "gitdir: ")
            && named_in(&worktree.join("gitdir"), "").is_some_and(|back| back == repository)
            && let Some(common) = named_in(&worktree.join("commondir"), "")
        {
            self.protect.extend([repository, worktree.join("config.worktree")]);
            self.writable.push(common.clone());
            repository = common;
        }
        let modules = fs::read_dir(repository.join("modules")).into_iter().flatten().flatten();
        for folder in modules.map(|entry| entry.path()).chain([repository.clone()]) {
            self.protect.extend(["hooks", "config", "config.worktree"].map(|name| folder.join(name)));
        }
    }

    /// What may be written, the project first.
    pub(crate) fn written(&self) -> impl Iterator<Item = &PathBuf> {
        std::iter::once(&self.root).chain(&self.writable)
    }
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
