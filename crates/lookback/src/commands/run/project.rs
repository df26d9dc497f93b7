//! The project that an agent works in: its root, its rules, and what a person may name of it.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};

use crate::screen;

/// Rules of a project or of a person, the first that is there.
const RULES: [&str; 3] = ["CODE_LAW.md", "AGENTS.md", "CLAUDE.md"];

/// Bytes of rules that are shown: more would fill the prompt of every call.
const MOST_RULES: usize = 48 << 10;

#[derive(Debug)]
pub(super) struct Project {
    pub(super) root: PathBuf,
    pub(super) also: Vec<PathBuf>,
    /// L2 of the prompt; empty where there are none.
    pub(super) rules: String,
    /// Where they come from, for a person.
    pub(super) rules_from: Vec<String>,
}

/// Git's top level, else the folder that the program was started in.
pub(super) fn root() -> Result<PathBuf> {
    let here = env::current_dir().and_then(|here| here.canonicalize()).context("the working folder cannot be read")?;
    Ok(here.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(&here).to_owned())
}

/// Of the folder that the program was started in.
/// `own` is where the person's own settings are.
pub(super) fn find(also: &[PathBuf], own: Option<&Path>) -> Result<Project> {
    let root = root()?;
    let also = also
        .iter()
        .map(|folder| folder.canonicalize().with_context(|| format!("--add-dir {}: no such folder", folder.display())))
        .collect::<Result<Vec<_>>>()?;
    let (mut rules, mut rules_from) = (String::new(), Vec::new());
    for folder in own.into_iter().chain([root.as_path()]) {
        let Some((name, text)) = rules_in(folder) else { continue };
        rules_from.push(name.clone());
        rules.push_str(&format!("{}# {name}\n\n{}\n", if rules.is_empty() { "" } else { "\n" }, text.trim_end()));
    }
    Ok(Project { root, also, rules, rules_from })
}

fn rules_in(folder: &Path) -> Option<(String, String)> {
    for name in RULES {
        let path = folder.join(name);
        // A cloned repository may have put a link to something private here, or a pipe that never ends.
        if !fs::symlink_metadata(&path).is_ok_and(|about| about.is_file()) {
            continue;
        }
        let Ok(bytes) = fs::read(&path) else { continue };
        let mut text = String::from_utf8_lossy(&bytes).into_owned();
        if text.len() > MOST_RULES {
            let end = (0..=MOST_RULES).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
            text.truncate(end);
            screen::remark(&format!("{}: only the first {} KiB are used as rules", path.display(), MOST_RULES >> 10));
        }
        return Some((name.to_owned(), text));
    }
    None
}

impl Project {
    /// Of the paths that a person named those that are there; of the others they are told.
    pub(super) fn known(&self, paths: &[String]) -> Vec<String> {
        let is_inside = |path: &String| {
            let found = self.root.join(path).canonicalize();
            let is_inside = found.is_ok_and(|found| {
                found.starts_with(&self.root) || self.also.iter().any(|folder| found.starts_with(folder))
            });
            if !is_inside {
                screen::remark(&format!("@{path}: there is no such file in {}", self.root.display()));
            }
            is_inside
        };
        paths.iter().filter(|path| is_inside(path)).cloned().collect()
    }
}
