//! Lines of files, looked up once per file: a block cites the same few files many times, and each lookup reads whole
//! outputs again.
//!
//! It only saves time. Where it does not have all lines, recall answers, and says why.

use std::{collections::BTreeMap, rc::Rc};

use crate::{
    evidence::{
        observed::ObservedLine,
        pointer::{LineRange, Place},
    },
    session::Session,
    trace::{Blobs, TurnNo},
};

pub(super) struct Files<'a> {
    session: &'a Session,
    blobs: &'a dyn Blobs,
    expected: BTreeMap<String, LineRange>,
    known: BTreeMap<String, Vec<ObservedLine>>,
    whole: BTreeMap<String, Rc<Vec<ObservedLine>>>,
}

impl<'a> Files<'a> {
    pub(super) fn new(session: &'a Session, blobs: &'a dyn Blobs) -> Self {
        Self { session, blobs, expected: BTreeMap::new(), known: BTreeMap::new(), whole: BTreeMap::new() }
    }

    pub(super) fn expect(&mut self, path: String, lines: LineRange) {
        let hull = self.expected.entry(path).or_insert(lines);
        *hull = LineRange { first: hull.first.min(lines.first), last: hull.last.max(lines.last) };
    }

    /// All lines of a file that are known as of now, in their order.
    pub(super) fn whole(&mut self, path: &str) -> Rc<Vec<ObservedLine>> {
        if let Some(known) = self.whole.get(path) {
            return known.clone();
        }
        let all = LineRange { first: 1, last: u32::MAX };
        let known = Rc::new(self.session.known_lines(path, all, self.blobs));
        self.whole.insert(path.to_owned(), known.clone());
        known
    }

    /// The lines of a `file:` pointer without a turn and the newest turn that shows one of them, if all are at hand.
    pub(super) fn lines_at(&mut self, place: &Place) -> Option<(Option<TurnNo>, String)> {
        let Place::File { path, lines: Some(wanted), at: None } = place else { return None };
        let hull = self.expected.get(path)?;
        if !self.known.contains_key(path) {
            self.known.insert(path.clone(), self.session.known_lines(path, *hull, self.blobs));
        }
        let known = self.known.get(path)?;
        let first = known.partition_point(|line| line.number < wanted.first);
        let count = (wanted.last - wanted.first) as usize + 1;
        let lines = known.get(first..first.checked_add(count)?)?;
        // Each number stands once and in order: the right ends mean that none is missing between them.
        if lines.first()?.number != wanted.first || lines.last()?.number != wanted.last {
            return None;
        }
        let text = lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n");
        Some((lines.iter().map(|line| line.turn).max(), text))
    }
}
