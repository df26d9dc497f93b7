//! A view in the bytes of one provider, kept up to date at the cost of what changed.
//!
//! Between two edits of the view only new entries are rendered; an edit renders what it changes and what follows it
//! (docs/design/model.md, "Invariants", 9). Entries are recognised by source and revision, which together determine
//! their bytes.

use lookback_wire::{Provider, render_body};

use super::{Change, Entry, EntryKey, View};
use crate::{ledger::Size, tight, trace::BlobError};

/// The bytes of a prompt, brought up to date by what changed in the view.
#[derive(Debug)]
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

#[derive(Debug)]
struct Rendered {
    key: EntryKey,
    bytes: Box<[u8]>,
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
            let bytes = self.push(entry, render)?;
            if old.next().is_some_and(|old| *old.bytes == *bytes) {
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

    /// The bytes of a whole request to this provider.
    pub fn body(&self, model: &str, max_output: u32) -> Vec<u8> {
        let messages = self.messages.iter().map(|message| &*message.bytes);
        render_body(self.provider, model, max_output, &self.head, messages)
    }

    /// Head and messages, one after another, each as it stands in the body.
    pub fn parts(&self) -> impl Iterator<Item = &[u8]> {
        std::iter::once(&*self.head).chain(self.messages.iter().map(|message| &*message.bytes))
    }

    /// The bytes of an entry that stands at this place, where they are at hand.
    pub(crate) fn message(&self, place: usize, entry: &Entry) -> Option<&[u8]> {
        self.messages.get(place).filter(|rendered| rendered.key == entry.key()).map(|rendered| &*rendered.bytes)
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

    fn head_size(&self) -> Size {
        Size { tokens: self.head_tokens, bytes: self.head.len() as u64 }
    }

    fn push(&mut self, entry: &Entry, render: &RenderPart<'_>) -> Result<&[u8], BlobError> {
        let bytes: Box<[u8]> = render(self.provider, Some(entry))?.into();
        self.work.messages += 1;
        let end = self.size() + Size { tokens: u64::from(entry.tokens), bytes: bytes.len() as u64 };
        tight::push(&mut self.messages, Rendered { key: entry.key(), bytes });
        tight::push(&mut self.ends, end);
        Ok(&self.messages[self.messages.len() - 1].bytes)
    }
}
