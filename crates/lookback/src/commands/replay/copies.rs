//! What stands in more than one file: people copy sessions, and agents begin one with a copy of the messages of another
//! when somebody resumes or forks it. Nobody pays for a copy.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use super::origin::{Identity, Sign};

/// One that was read.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    pub(super) place: usize,
    pub(super) identity: &'a Identity,
    pub(super) calls: u64,
}

/// The places of sessions of which a copy counts: one with more calls, or the first of equals.
pub(super) fn given_again(sessions: &[Known<'_>]) -> BTreeSet<usize> {
    let (mut by_id, mut by_beginning) = (BTreeMap::<_, Vec<_>>::new(), BTreeMap::<_, Vec<_>>::new());
    for one in sessions {
        by_id.entry(&one.identity.id).or_default().push(one);
        by_beginning.entry(one.identity.beginning()).or_default().push(one);
    }
    let mut again = BTreeSet::new();
    for copies in by_id.into_values().chain(by_beginning.into_values()) {
        for one in &copies {
            let counts_before =
                |other: &Known<'_>| (other.calls, Reverse(other.place)) > (one.calls, Reverse(one.place));
            if copies.iter().copied().any(|other| counts_before(other) && one.identity.is_same(other.identity)) {
                again.insert(one.place);
            }
        }
    }
    again
}

/// Calls that were billed in a session already, and in which.
#[derive(Default)]
pub(super) struct Billed(BTreeMap<Sign, usize>);

impl Billed {
    /// The items of a session that one before it has as well.
    pub(super) fn billed_elsewhere(&mut self, place: usize, identity: &Identity) -> BTreeSet<usize> {
        let mut copied = identity.signs.clone();
        copied.retain(|_, sign| *self.0.entry(*sign).or_insert(place) != place);
        let behind = identity.timeless.iter().filter(|(_, sign)| *self.0.entry(**sign).or_insert(place) != place);
        // Two that only begin alike were paid both, as runs of one script are.
        let behind: BTreeSet<usize> = behind.map(|(item, _)| *item).collect();
        let again = if identity.is_fork { behind } else { BTreeSet::new() };
        copied.into_keys().chain(again).collect()
    }

    /// Whether a call that is part of no session's figures was not billed before.
    pub(super) fn is_new(&mut self, sign: Option<Sign>) -> bool {
        sign.is_none_or(|sign| self.0.insert(sign, usize::MAX).is_none())
    }
}
