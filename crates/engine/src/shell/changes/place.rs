//! Where a name lies, seen from the directory that a shell is in.
//!
//! Where the root's own absolute path is not known, what lies behind an absolute name may be any known file that the name
//! ends with: `/srv/app/src/a.py` may be `src/a.py`. After `cd /srv/app`, which is the root or lies in it, a relative
//! name is never cut. Where it is known, a name has one place in it or none.

use std::rc::Rc;

use crate::{
    configuration::commands::DIRECTORIES_DEEP,
    shell::pattern::{Element, Pattern},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Directory {
    lies: Lies,
    /// The names of the root's absolute path, where it is known.
    root: Option<Rc<[Pattern]>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Lies {
    /// These names, from the root on.
    Below(Vec<Pattern>),
    /// An absolute path, a part of one, or something unknown.
    Elsewhere(Vec<Pattern>),
}

/// Whether a directory that is named by an absolute path may be the root itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Root {
    MayBeMeant,
    IsNotMeant,
}

impl Directory {
    /// `cwd` as a command's record has it.
    pub(super) fn new(cwd: &str, root: Option<&str>) -> Self {
        let names = |root: &str| -> Rc<[Pattern]> {
            match root {
                // No name in a path has a slash: nothing lies in it.
                "" => [Pattern::text("/")].into(),
                root => Trail::default().follow(&Pattern::text(root).components()).names.into(),
            }
        };
        Self { lies: Lies::Below(Vec::new()), root: root.map(names) }.enter(&Pattern::text(cwd))
    }

    pub(super) fn unknown(&self) -> Self {
        self.lying(Lies::Elsewhere(vec![Pattern::unknown()]))
    }

    fn lying(&self, lies: Lies) -> Self {
        Self { lies, root: self.root.clone() }
    }

    pub(super) fn enter(&self, name: &Pattern) -> Self {
        let entered = match (Start::of(name), &self.lies) {
            (Start::Absolute, _) => {
                let names = Trail::default().follow(&name.components()).names;
                let inside = self.root.as_deref().and_then(|root| names.strip_prefix(root));
                inside.map(|names| Lies::Below(names.to_vec())).unwrap_or(Lies::Elsewhere(names))
            }
            (Start::Unknown, _) => Lies::Elsewhere(Trail::unknown().follow(&name.components()[1..]).names),
            (Start::Here, Lies::Elsewhere(names)) => {
                Lies::Elsewhere(Trail::from(names).follow(&name.components()).names)
            }
            (Start::Here, Lies::Below(names)) => {
                let trail = Trail::from(names).follow(&name.components());
                if trail.left { Lies::Elsewhere(trail.names) } else { Lies::Below(trail.names) }
            }
        };
        let (Lies::Below(names) | Lies::Elsewhere(names)) = &entered;
        if names.len() > DIRECTORIES_DEEP { self.unknown() } else { self.lying(entered) }
    }

    /// Every path, relative to the root, that the name may mean.
    pub(super) fn place(&self, name: &Pattern, root: Root) -> Vec<Pattern> {
        let parts = name.components();
        match (Start::of(name), &self.lies, &self.root) {
            (Start::Absolute, _, Some(root)) => {
                let names = Trail::default().follow(&parts).names;
                names.strip_prefix(&**root).map(Pattern::join).into_iter().collect()
            }
            (Start::Unknown, _, Some(_)) | (Start::Here, Lies::Elsewhere(_), Some(_)) => Vec::new(),
            (Start::Absolute, _, None) => {
                let names = Trail::default().follow(&parts).names;
                let is_device = |name: &Pattern| matches!(name.literal(), Some("dev" | "proc" | "sys"));
                if names.first().is_some_and(is_device) {
                    return Vec::new();
                }
                let is_file = names.last().is_some_and(|name| name.literal().is_none_or(|name| name.contains('.')));
                endings(&names, usize::from(root == Root::IsNotMeant || is_file))
            }
            (Start::Unknown, _, None) if parts.len() > 1 => endings(&Trail::unknown().follow(&parts[1..]).names, 1),
            (Start::Unknown, _, None) => vec![name.clone()],
            (Start::Here, Lies::Elsewhere(names), None) => {
                let trail = Trail::from(names).follow(&parts);
                endings(&trail.names, trail.names.len() - trail.lowest)
            }
            (Start::Here, Lies::Below(names), _) => {
                let trail = Trail::from(names).follow(&parts);
                if trail.left { Vec::new() } else { vec![Pattern::join(&trail.names)] }
            }
        }
    }
}

enum Start {
    Absolute,
    /// What the shell puts there is unknown.
    Unknown,
    Here,
}

impl Start {
    fn of(name: &Pattern) -> Self {
        match name.elements().first() {
            Some(Element::Text(text)) if text.starts_with(['/', '~']) => Self::Absolute,
            Some(Element::Unknown) => Self::Unknown,
            _ => Self::Here,
        }
    }
}

/// Names one after another, with `.` and `..` followed.
#[derive(Default)]
struct Trail {
    names: Vec<Pattern>,
    /// The smallest number of names seen so far.
    lowest: usize,
    /// It went above where it began.
    left: bool,
}

impl From<&Vec<Pattern>> for Trail {
    fn from(names: &Vec<Pattern>) -> Self {
        Self { names: names.clone(), lowest: names.len(), left: false }
    }
}

impl Trail {
    fn unknown() -> Self {
        Self::from(&vec![Pattern::unknown()])
    }

    fn follow(mut self, parts: &[Pattern]) -> Self {
        for part in parts {
            match part.literal() {
                Some("" | ".") => {}
                // Above something unknown lies something unknown.
                Some("..") if self.names.last().is_some_and(Pattern::is_unresolved) => {}
                Some("..") => {
                    self.left |= self.names.pop().is_none();
                    self.lowest = self.lowest.min(self.names.len());
                }
                _ => self.names.push(part.clone()),
            }
        }
        self
    }
}

/// The last names, as many as there are but no fewer than `fewest`.
fn endings(names: &[Pattern], fewest: usize) -> Vec<Pattern> {
    let most = names.len().min(fewest + DIRECTORIES_DEEP / 2);
    (fewest..=most).map(|count| Pattern::join(&names[names.len() - count..])).collect()
}
