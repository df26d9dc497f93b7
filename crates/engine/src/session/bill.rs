//! What the provider is expected to bill for each call, by the same cache model that the planner and replay use.
//!
//! Kept beside the state while a card is in use. A call is billed when its answer is there, because some caches keep the
//! answer too. What was really billed stands in the `usage` events; nothing here looks at it.

use std::collections::BTreeMap;

use crate::{
    cache::{CacheState, CachedCall, PartId, PromptChain, Split},
    card::{Card, Lifetime},
    trace::{BlobHash, CallNo, Timestamp},
    view::{Entry, View},
};

#[derive(Debug)]
pub(super) struct Bill {
    cache: CacheState,
    /// The prompt sent last: the head is its first part, then one part for each entry.
    chain: PromptChain,
    marks: Vec<usize>,
    open: Option<(CallNo, Timestamp)>,
    splits: BTreeMap<CallNo, Split>,
}

impl Bill {
    pub(super) fn new(card: &Card, lifetime: Lifetime) -> Self {
        Self {
            cache: card.cache_state(lifetime),
            chain: PromptChain::default(),
            marks: Vec::new(),
            open: None,
            splits: BTreeMap::new(),
        }
    }

    pub(super) fn split(&self, call: CallNo) -> Option<Split> {
        self.splits.get(&call).copied()
    }

    /// Another model has another cache.
    pub(super) fn forget(&mut self) {
        self.close(None);
        self.cache.forget();
        self.chain.truncate(0);
    }

    /// A prompt is sent. The head and so many entries stand as they stood in the one before; none: not even the head.
    pub(super) fn sent(&mut self, call: CallNo, now: Timestamp, view: &View, unchanged: Option<usize>) {
        self.close(None);
        let tail = self.chain.parts();
        self.chain.truncate(unchanged.map_or(0, |entries| entries.saturating_add(1)).min(self.chain.parts()));
        if self.chain.parts() == 0 {
            let rules = BlobHash::of(view.head().rules.text.as_bytes()).0;
            self.chain.push(part(&rules), u32::try_from(view.head().tokens()).unwrap_or(u32::MAX));
        }
        for entry in &view.entries()[self.chain.parts() - 1..] {
            self.chain.push(part_of(entry), entry.tokens);
        }
        // Design 3-folding, "Units": the end of L2, the seam, the previous tail, the tail.
        self.marks = vec![1, view.seam() + 1, tail.min(self.chain.parts()), self.chain.parts()];
        self.marks.retain(|mark| *mark > 0);
        self.marks.sort_unstable();
        self.marks.dedup();
        self.open = Some((call, now));
    }

    /// The call that is open has ended, with this entry as its answer.
    pub(super) fn close(&mut self, answer: Option<&Entry>) {
        let Some((call, now)) = self.open.take() else { return };
        let answer: Vec<(PartId, u32)> = answer.into_iter().map(|entry| (part_of(entry), entry.tokens)).collect();
        let sent = CachedCall { prompt: &self.chain, marks: &self.marks, answer: &answer, now };
        self.splits.insert(call, self.cache.apply_call(&sent));
    }
}

/// Source and revision determine an entry's bytes, so they stand for them.
fn part_of(entry: &Entry) -> PartId {
    part(format!("{:?}", entry.key()).as_bytes())
}

fn part(bytes: &[u8]) -> PartId {
    let hash = BlobHash::of(bytes).0;
    PartId(u64::from_le_bytes([hash[0], hash[1], hash[2], hash[3], hash[4], hash[5], hash[6], hash[7]]))
}
