//! Which files a shell command changes, as told by its text alone.
//!
//! Lines seen before a change say nothing about the file of today, so whoever keeps them asks here after each command.
//! To name a file too many costs one more look at it; to name one too few would show old lines as current. Therefore
//! every branch of a condition counts as taken, every command as successful, and a name of which a part is unknown
//! stands for all that fit it. Programs that rewrite whole trees by design (version control, patches, formatters) change
//! all that they can reach.
//!
//! What is not known here: the disk, links, the absolute path of the root (an absolute name counts for every known file
//! that it may be), and what programs do that run code of the project: interpreters, builds, package managers, scripts.
//! If those counted for everything, each build would wipe all that was seen; they count for nothing, and
//! [`Rest::Unknown`] says so. Whoever has the disk notes what they changed by its time.

mod arguments;
mod before;
mod formatters;
mod git;
mod lists;
mod patches;
mod pattern;
mod place;
mod rules;
mod script;
mod walk;

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Bound,
};

pub use pattern::Pattern;

/// What a command changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// Files by name: relative to the root, normalised, in order.
    pub paths: Vec<String>,
    /// Known files that match one of these have changed too.
    pub patterns: Vec<Pattern>,
    pub rest: Rest,
}

/// Whether anything else may have changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Rest {
    #[default]
    Known,
    /// Something ran whose text does not say what it changes.
    Unknown,
}

/// What `command` changes when it is run in `cwd`, which is relative to the root.
pub fn changed_files(command: &str, cwd: &str) -> Changes {
    walk::walk(&script::parse_script(command), cwd)
}

impl Changes {
    /// Those of the known files that it changes, in their order.
    pub fn among<'a>(&self, known: &'a BTreeSet<String>) -> Vec<&'a str> {
        let mut changed: BTreeSet<&str> =
            self.paths.iter().filter_map(|path| known.get(path)).map(|path| &**path).collect();
        let mut by_prefix: BTreeMap<&str, Vec<&Pattern>> = BTreeMap::new();
        for pattern in &self.patterns {
            by_prefix.entry(pattern.prefix()).or_default().push(pattern);
        }
        for (prefix, patterns) in by_prefix {
            let from = (Bound::Included(prefix), Bound::Unbounded);
            let near = known.range::<str, _>(from).take_while(|path| path.starts_with(prefix));
            changed
                .extend(near.map(String::as_str).filter(|path| patterns.iter().any(|pattern| pattern.matches(path))));
        }
        changed.into_iter().collect()
    }
}

#[cfg(test)]
mod tests;
