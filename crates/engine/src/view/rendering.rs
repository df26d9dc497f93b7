//! The last prompt in the bytes of one provider, known by their hashes and kept up to date at the cost of what changed.
//!
//! Between two edits of the view only new entries are rendered; an edit renders what it changes and what follows it
//! (docs/design/model.md, "Invariants", 9). Entries are recognised by source and revision, which together determine
//! their bytes. The bytes of messages are not kept: the trace has their texts already, and a long session would hold
//! everything twice.

use std::hash::{DefaultHasher, Hasher};

use lookback_wire::Provider;

use super::{Change, Entry, EntryKey, View};
use crate::{ledger::Size, tight, trace::BlobError};

/// The prompt as it was last written: of its messages, sizes and hashes.
#[derive(Debug, PartialEq, Eq)]
pub struct Rendering {
    provider: Provider,
    head: Box<[u8]>,
    head_tokens: u64,
    messages: Vec<Rendered>,
    /// The size of the prompt up to and including each message.
    ends: Vec<Size>,
    work: Work,
}

/// How much was rendered so far: what the test of invariant 9 watches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Work {
    /// How often L1 and L2.
    pub heads: u64,
    /// How many messages.
    pub messages: u64,
}

#[derive(Debug, PartialEq, Eq)]
struct Rendered {
    key: EntryKey,
    hash: u64,
}

/// Renders an entry, or the head for `None`.
pub(crate) type RenderPart<'a> = dyn Fn(Provider, Option<&Entry>) -> Result<Vec<u8>, BlobError> + 'a;

impl Rendering {
    pub(crate) fn new(provider: Provider) -> Self {
        Self {
            provider,
            head: Box::default(),
            head_tokens: 0,
            messages: Vec::new(),
            ends: Vec::new(),
            work: Work::default(),
        }
    }

    /// The API that they are written for.
    pub fn provider(&self) -> Provider {
        self.provider
    }

    /// So far.
    pub fn work(&self) -> Work {
        self.work
    }

    /// The whole prompt.
    pub fn size(&self) -> Size {
        self.ends.last().copied().unwrap_or_else(|| self.head_size())
    }

    /// Follows the view and says how much of the old prompt is the beginning of the new one: what has the same bytes,
    /// whether or not it comes from the same events.
    pub(crate) fn sync(&mut self, view: &View, change: &Change, render: &RenderPart<'_>) -> Result<Size, BlobError> {
        if self.work.heads == 0 || change.from == Some(0) {
            let reused = self.sync_head(view, render)?;
            if let Some(reused) = reused {
                return Ok(reused);
            }
        }
        let mut same = change.from.unwrap_or(usize::MAX).min(self.messages.len()).min(view.entries().len());
        while same < self.messages.len() && view.entries().get(same).map(Entry::key) == Some(self.messages[same].key) {
            same += 1;
        }
        let old = self.messages.split_off(same);
        self.ends.truncate(same);
        let mut reused = self.size();
        let mut old = old.into_iter();
        for entry in &view.entries()[same..] {
            let hash = self.push(entry, render)?;
            if old.next().is_some_and(|old| old.hash == hash) {
                reused = self.size();
            } else {
                old = Vec::new().into_iter();
            }
        }
        Ok(reused)
    }

    /// A new head leaves nothing of what follows it: what is reused then, or `None` where it is the old one.
    fn sync_head(&mut self, view: &View, render: &RenderPart<'_>) -> Result<Option<Size>, BlobError> {
        let head = render(self.provider, None)?;
        self.work.heads += 1;
        if *head == *self.head && self.head_tokens == view.head().tokens() {
            return Ok(None);
        }
        let bytes = head.iter().zip(&*self.head).take_while(|(new, old)| new == old).count() as u64;
        let tokens = if bytes == 0 { 0 } else { u64::from(view.head().frozen_tokens) };
        self.head = head.into();
        self.head_tokens = view.head().tokens();
        self.messages.clear();
        self.ends.clear();
        for entry in view.entries() {
            self.push(entry, render)?;
        }
        Ok(Some(Size { tokens, bytes }))
    }

    /// Whether these are the messages of the prompt, one after another, each as it stands in the body.
    pub fn holds<'b>(&self, messages: impl IntoIterator<Item = &'b [u8]>) -> bool {
        messages.into_iter().map(hash_of).eq(self.messages.iter().map(|message| message.hash))
    }

    /// How much of the prompt, from its beginning, is what the view shows.
    pub(crate) fn shared_with(&self, view: &View) -> Size {
        if self.work.heads == 0 || self.head_tokens != view.head().tokens() {
            return Size::default();
        }
        let entries = view.entries().iter().zip(&self.messages);
        let same = entries.take_while(|(entry, message)| entry.key() == message.key).count();
        same.checked_sub(1).map_or_else(|| self.head_size(), |last| self.ends[last])
    }

    pub(crate) fn head_size(&self) -> Size {
        Size { tokens: self.head_tokens, bytes: self.head.len() as u64 }
    }

    fn push(&mut self, entry: &Entry, render: &RenderPart<'_>) -> Result<u64, BlobError> {
        let bytes = render(self.provider, Some(entry))?;
        let hash = hash_of(&bytes);
        self.work.messages += 1;
        let end = self.size() + Size { tokens: u64::from(entry.tokens), bytes: bytes.len() as u64 };
        tight::push(&mut self.messages, Rendered { key: entry.key(), hash });
        tight::push(&mut self.ends, end);
        Ok(hash)
    }
}

/// Two messages with the same hash are the same bytes, as far as a ledger is concerned.
fn hash_of(message: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(message);
    hasher.finish()
}
