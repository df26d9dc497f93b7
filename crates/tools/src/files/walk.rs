//! Which files a listing or a search looks at: not what `.gitignore` or the project's
//! settings leave out, nothing in `.git`, no hidden ones unless
//! they are asked for, and never through a link.

use std::{os::unix::ffi::OsStrExt as _, path::Path};

use globset::{GlobBuilder, GlobMatcher};
use ignore::{Match, WalkBuilder};

use crate::{
    envelope::{Code, Failure},
    ignoring::{Ignoring, Which},
    project::Project,
};

/// Whether names that begin with a dot are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hidden {
    Shown,
    LeftOut,
}

pub(super) fn walk(project: &Project, base: &Path, hidden: Hidden) -> WalkBuilder {
    let mut walk = WalkBuilder::new(base);
    let left_out = project.hidden_below(base);
    walk.standard_filters(false).follow_links(false);
    // A project without git can have a .gitignore, too.
    let (ignored, ignoring) = (project.ignored().clone(), Ignoring::new(Which::All));
    walk.filter_entry(move |entry| {
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        let is_shown = || match ignoring.matched(entry.path(), is_folder) {
            Match::None => hidden == Hidden::Shown || !entry.file_name().as_bytes().starts_with(b"."),
            matched => matched.is_whitelist(),
        };
        entry.depth() == 0
            || entry.file_name() != ".git"
                && !left_out.iter().any(|hidden| hidden == entry.path())
                && !ignored.matched(entry.path(), is_folder).is_ignore()
                && is_shown()
    });
    walk
}

/// A glob as people type it: without a slash it is about names at any depth, with one about paths below `base`.
#[derive(Debug, Clone)]
pub(super) struct Pattern {
    matcher: GlobMatcher,
    by_name: bool,
    is_negated: bool,
    pub hidden: Hidden,
}

impl Pattern {
    pub(super) fn parse(written: &str, base: &Path) -> Result<Self, Failure> {
        let (is_negated, rest) = written.strip_prefix('!').map_or((false, written), |rest| (true, rest));
        let below = rest.strip_prefix(&*base.to_string_lossy()).unwrap_or(rest);
        let glob = below.trim_start_matches("./").trim_start_matches('/');
        let matcher = GlobBuilder::new(glob).literal_separator(true).build().map_err(|error| {
            Failure::new(Code::InvalidParam, format!("\"{written}\" is not a glob: {}", error.kind()))
        })?;
        let hidden = if glob.starts_with('.') || glob.contains("/.") { Hidden::Shown } else { Hidden::LeftOut };
        Ok(Self { matcher: matcher.compile_matcher(), by_name: !glob.contains('/'), is_negated, hidden })
    }

    /// `path` is below `base`, or `base` itself where that is one file.
    pub(super) fn fits(&self, path: &Path, base: &Path) -> bool {
        let below = path.strip_prefix(base).unwrap_or(path);
        let name = path.file_name().map_or(below, Path::new);
        let subject = if self.by_name || below.as_os_str().is_empty() { name } else { below };
        self.matcher.is_match(subject) != self.is_negated
    }
}
