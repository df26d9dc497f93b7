//! Entries by what they stand for, each alive for its lifetime after its last use.

use std::collections::HashMap;

use crate::prompt::Digest;

#[derive(Debug, Default)]
pub(super) struct Store {
    pub(super) now_ms: i64,
    entries: HashMap<Digest, Entry>,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    used_ms: i64,
    /// None: for ever.
    lifetime_ms: Option<i64>,
}

impl Store {
    pub(super) fn holds(&self, digest: &Digest) -> bool {
        self.entries.get(digest).is_some_and(|entry| entry.is_alive(self.now_ms))
    }

    /// A hit renews an entry for as long as it was written for.
    pub(super) fn renew(&mut self, digest: &Digest) {
        if let Some(entry) = self.entries.get_mut(digest).filter(|entry| entry.is_alive(self.now_ms)) {
            entry.used_ms = self.now_ms;
        }
    }

    /// An entry that is there already is renewed; it keeps the longer of both lifetimes.
    pub(super) fn write(&mut self, digest: Digest, lifetime_ms: Option<i64>) {
        let now_ms = self.now_ms;
        let fresh = Entry { used_ms: now_ms, lifetime_ms };
        let entry = self.entries.entry(digest).or_insert(fresh);
        let longer = match (entry.lifetime_ms, lifetime_ms) {
            (Some(old), Some(new)) if entry.is_alive(now_ms) => Some(old.max(new)),
            _ => lifetime_ms,
        };
        *entry = Entry { used_ms: now_ms, lifetime_ms: longer };
    }
}

impl Entry {
    fn is_alive(&self, now_ms: i64) -> bool {
        self.lifetime_ms.is_none_or(|lifetime| now_ms - self.used_ms <= lifetime)
    }
}
