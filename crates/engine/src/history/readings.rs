//! What was read out of the trace for one decision and will be asked for again by the next.
//!
//! Block, delta and admission ask for the same files and sentences, and so does the next fold. An entry is bound to what it was read from,
//! and the trace only grows: it is right or it is not found, never out of date. Without it everything is looked up anew.

use std::{collections::BTreeMap, sync::Arc};

use crate::{configuration::memory::READINGS_HOLD, evidence::observed::ObservedLine, trace::TurnNo};

/// How far the history of a file went: its sights, and the rollbacks of all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AsOf {
    pub(super) sights: usize,
    pub(super) rollbacks: usize,
}

/// One text of the assistant's, and whether it changed a file right behind it.
pub(crate) type SaidKey = (TurnNo, usize, bool);

/// A sentence of a text, by its place in it, and what it is worth to whoever goes on from here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Weighed {
    pub(crate) worth: i32,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

#[derive(Debug, Default)]
pub(super) struct Readings {
    files: BTreeMap<String, (AsOf, Arc<Vec<ObservedLine>>)>,
    said: BTreeMap<SaidKey, Arc<[Weighed]>>,
    bytes: usize,
}

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

    pub(super) fn weighed(&self, key: SaidKey) -> Option<Arc<[Weighed]>> {
        self.said.get(&key).cloned()
    }

    pub(super) fn keep_weighed(&mut self, key: SaidKey, weighed: Arc<[Weighed]>) {
        self.make_room(size_of::<SaidKey>() + size_of_val(&*weighed));
        self.said.insert(key, weighed);
    }

    /// Where it becomes too much, all is forgotten: what is still needed is read again once.
    fn make_room(&mut self, bytes: usize) {
        if self.bytes + bytes > READINGS_HOLD {
            *self = Self::default();
        }
        self.bytes += bytes;
    }
}

fn size_of_lines(lines: &[ObservedLine]) -> usize {
    lines.iter().map(|line| size_of::<ObservedLine>() + line.text.len()).sum()
}
