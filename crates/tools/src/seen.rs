//! What was read of which file: an edit of anything else would be made blindly.
//!
//! A file is the same as long as its bytes are; a time alone that moved is no change.

use std::{
    collections::BTreeMap,
    fs::Metadata,
    sync::{Mutex, MutexGuard, PoisonError},
    time::UNIX_EPOCH,
};

use lookback_engine::trace::BlobHash;
use serde::{Deserialize, Serialize};

/// How a file was when a tool last read or wrote it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// In bytes.
    pub size: u64,
    /// Modification time in milliseconds.
    pub mtime: i64,
    /// Of all bytes. None: too large to be read whole, so that size and time have to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<BlobHash>,
}

impl Fingerprint {
    pub(crate) fn new(about: &Metadata, hash: Option<BlobHash>) -> Self {
        Self { size: about.len(), mtime: mtime_of(about), hash }
    }

    /// Whether both are of the same bytes, as far as can be told.
    pub(crate) fn same_content(&self, other: &Self) -> bool {
        match (self.hash, other.hash) {
            (Some(one), Some(another)) => one == another,
            _ => (self.size, self.mtime) == (other.size, other.mtime),
        }
    }
}

/// In milliseconds.
pub(crate) fn mtime_of(about: &Metadata) -> i64 {
    let since = about.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    since.and_then(|since| i64::try_from(since.as_millis()).ok()).unwrap_or(0)
}

/// By the name that results give a file.
#[derive(Debug, Default)]
pub(crate) struct Seen(Mutex<BTreeMap<String, Fingerprint>>);

impl Seen {
    pub(crate) fn get(&self, name: &str) -> Option<Fingerprint> {
        self.all().get(name).copied()
    }

    /// What was known before.
    pub(crate) fn set(&self, name: &str, fingerprint: Fingerprint) -> Option<Fingerprint> {
        self.all().insert(name.to_owned(), fingerprint)
    }

    pub(crate) fn forget(&self, name: &str) {
        self.all().remove(name);
    }

    /// A thread that panicked left it whole: every change is one insertion.
    fn all(&self) -> MutexGuard<'_, BTreeMap<String, Fingerprint>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
