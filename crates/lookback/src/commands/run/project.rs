//! The project that an agent works in: its root, its rules, and what a person may name of it.

use std::{
    env,
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Context, Result};

use super::rules::RuleFiles;
use crate::{home, screen};

#[derive(Debug)]
pub(super) struct Project {
    pub(super) root: PathBuf,
    pub(super) also: Vec<PathBuf>,
    pub(super) rules: Arc<RuleFiles>,
}

/// Git's top level, else the folder that the program was started in.
pub(super) fn root() -> Result<PathBuf> {
    let here = env::current_dir().and_then(|here| here.canonicalize()).context("the working folder cannot be read")?;
    Ok(home::project_root(&here))
}

/// Of the folder that the program was started in.
/// `own` is where the person's own settings are.
pub(super) fn find(also: &[PathBuf], own: Option<&Path>) -> Result<Project> {
    let root = root()?;
    let also = also
        .iter()
        .map(|folder| folder.canonicalize().with_context(|| format!("--add-dir {}: no such folder", folder.display())))
        .collect::<Result<Vec<_>>>()?;
    let rules = Arc::new(RuleFiles::new(own, &root));
    Ok(Project { root, also, rules })
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
