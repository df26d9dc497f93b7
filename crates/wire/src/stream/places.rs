//! Where the newest part of a name stands: a piece finds it without a look at all the others.

use std::{borrow::Borrow, collections::BTreeMap};

#[derive(Debug, Clone)]
pub(super) struct Places<K>(BTreeMap<K, usize>);

impl<K> Default for Places<K> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<K: Ord> Places<K> {
    pub(super) fn note(&mut self, name: K, place: usize) {
        let newest = self.0.entry(name).or_insert(place);
        *newest = place.max(*newest);
    }

    pub(super) fn of<Q: Ord + ?Sized>(&self, name: &Q) -> Option<usize>
    where
        K: Borrow<Q>,
    {
        self.0.get(name).copied()
    }
}
