//! What was read out of the trace for one decision and will be asked for again by the next.
//!
//! Block, delta and admission ask for the same files and sentences, and so does the next fold. An entry is bound to what it was read from,
//! and the trace only grows: it is right or it is not found, never out of date. Without it everything is looked up anew.

use std::{collections::BTreeMap, sync::Arc};

use crate::{
    configuration::memory::READINGS_HOLD,
    evidence::observed::ObservedLine,
    trace::{EventNo, TurnNo, claim::RunVerdict},
};

/// How far the history of a file went: its sights, and the rollbacks of all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AsOf {
    pub(super) sights: usize,
    pub(super) rollbacks: usize,
}

/// One text of the assistant's, and whether it changed a file right behind it.
pub(crate) type SaidKey = (TurnNo, usize, bool);

/// A sentence of a text, by its place in it, what it is worth to whoever goes on from here, and what of its wording tells
/// whether it still holds. Words are kept as hashes: the text is in the trace.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Weighed {
    pub(crate) worth: i32,
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) names_cause: bool,
    /// The same of its letters as they are: with `’` for `'` some words are others.
    pub(crate) names_cause_as_written: bool,
    /// It still holds after the work was handed on.
    pub(crate) lasts: bool,
    /// It says that something is missing.
    pub(crate) lacks: bool,
    /// Names that only code has, and all that stand in code marks.
    pub(crate) names: Box<[u64]>,
    pub(crate) marked: Box<[u64]>,
    /// Its longer words, in their order.
    pub(crate) subject: Box<[u64]>,
}

impl Weighed {
    fn size(&self) -> usize {
        let words = self.names.len() + self.marked.len() + self.subject.len();
        size_of::<Self>() + words * size_of::<u64>()
    }
}

pub(super) fn size_of_weighed(weighed: &[Weighed]) -> usize {
    weighed.iter().map(Weighed::size).sum()
}

/// What a person's turn is. Which one it is `standing/turns.rs` knows by its wording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Work with a title and a description.
    Plan,
    /// Something is to be done, or does not work.
    Request,
    /// Something is to be answered.
    Question,
    Remark,
    /// Understood only with what it answers: "1", "yes", "lgtm".
    Answer,
    /// Hands on what was done: "commit and push".
    Closes,
    /// Not the user's words.
    Foreign,
}

/// How a person's turn is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tone {
    /// It speaks against what was said before.
    pub(crate) objects: bool,
    /// It does not want something that it names.
    pub(crate) rejects: bool,
}

/// The words that an edit took away and those that it brought, each by its hash, in their order: the texts are in the trace.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct EditWords {
    pub(crate) removed: Box<[u64]>,
    pub(crate) added: Box<[u64]>,
}

/// How the tests and the build of a run ended, as far as the run itself says. None: it has none, or did not get so far.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Ended {
    pub(crate) tests: Option<RunVerdict>,
    pub(crate) build: Option<RunVerdict>,
    /// The files that it runs as scripts and that a session may have written for it.
    pub(crate) scripts: Box<[String]>,
    /// How many of its commands build.
    pub(crate) builds: usize,
}

#[derive(Debug, Default)]
pub(super) struct Readings {
    files: BTreeMap<String, (AsOf, Arc<Vec<ObservedLine>>)>,
    pub(super) said: BTreeMap<SaidKey, Arc<[Weighed]>>,
    pub(super) kinds: BTreeMap<TurnNo, Kind>,
    pub(super) follows: BTreeMap<TurnNo, bool>,
    pub(super) tones: BTreeMap<TurnNo, Tone>,
    pub(super) wanted: BTreeMap<TurnNo, Option<Arc<str>>>,
    pub(super) edits: BTreeMap<EditKey, Arc<EditWords>>,
    pub(super) keys: BTreeMap<EventNo, Arc<str>>,
    pub(super) ended: BTreeMap<EventNo, Arc<Ended>>,
    pub(super) errors: BTreeMap<EventNo, Arc<str>>,
    bytes: usize,
}

/// A result and the place of a file among those that it changed.
pub(super) type EditKey = (EventNo, usize);

impl Readings {
    pub(super) fn lines_of(&self, path: &str, as_of: AsOf) -> Option<Arc<Vec<ObservedLine>>> {
        self.files.get(path).filter(|(known, _)| *known == as_of).map(|(_, lines)| lines.clone())
    }

    pub(super) fn keep_lines(&mut self, path: &str, as_of: AsOf, lines: Arc<Vec<ObservedLine>>) {
        self.make_room(size_of_lines(&lines));
        if let Some((_, outdated)) = self.files.insert(path.to_owned(), (as_of, lines)) {
            self.bytes -= size_of_lines(&outdated);
        }
    }

    /// Where it becomes too much, all is forgotten: what is still needed is read again once.
    pub(super) fn make_room(&mut self, bytes: usize) {
        if self.bytes + bytes > READINGS_HOLD {
            *self = Self::default();
        }
        self.bytes += bytes;
    }
}

fn size_of_lines(lines: &[ObservedLine]) -> usize {
    lines.iter().map(|line| size_of::<ObservedLine>() + line.text.len()).sum()
}
