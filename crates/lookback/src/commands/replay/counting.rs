//! Token counts of one session. Strategies count the same texts again and again, and counting is most of their time.

use std::{
    cell::RefCell,
    collections::HashMap,
    hash::{BuildHasherDefault, DefaultHasher, Hash, Hasher},
};

use crate::counter::Counter;

/// Shorter texts are counted as fast as they are looked up.
const SHORT: usize = 64;

/// Counts made so far, by the hash of the text. Not shared: sessions have few texts in common.
#[derive(Default)]
pub(crate) struct Counts {
    known: RefCell<HashMap<(u64, usize), u32, BuildHasherDefault<DefaultHasher>>>,
}

impl Counts {
    pub(crate) fn count(&self, text: &[u8]) -> u32 {
        if text.len() < SHORT {
            return Counter::O200k.count(text);
        }
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        let key = (hasher.finish(), text.len());
        if let Some(count) = self.known.borrow().get(&key) {
            return *count;
        }
        let count = Counter::O200k.count(text);
        self.known.borrow_mut().insert(key, count);
        count
    }
}
