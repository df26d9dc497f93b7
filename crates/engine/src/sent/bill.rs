//! What the provider is expected to bill for each call, by the same cache model that the planner and replay use.
//!
//! Kept beside the state while a card is in use. A call is billed when its answer is there, because some caches keep the
//! answer too. What was really billed stands in the `usage` events; nothing here looks at it.

use std::collections::BTreeMap;

use lookback_wire::HeadMark;

use crate::{
    cache::{CacheRule, CacheState, CachedCall, PartId, PromptChain},
    card::{Card, Lifetime},
    ledger::verdict::{Earlier, Expected},
    trace::{BlobHash, CallNo, Timestamp, event::Question},
    view::{Entry, TOKENS_PER_MESSAGE, View},
};

#[derive(Debug)]
pub(super) struct Bill {
    cache: CacheState,
    rule: CacheRule,
    /// The prompt sent last: the head is its first part, then one part for each entry.
    chain: PromptChain,
    marks: Vec<usize>,
    /// How many parts are asked to be held for an hour.
    hour: usize,
    /// The parts of the last prompt that the provider took: it holds an entry there.
    stored_tail: usize,
    open: Option<OpenCall>,
    earlier: Earlier,
    calls: BTreeMap<CallNo, Expected>,
}

#[derive(Debug, Clone, Copy)]
struct OpenCall {
    call: CallNo,
    at: Timestamp,
    /// Whether the provider took the prompt, as far as is known.
    taken: bool,
}

impl Bill {
    pub(super) fn new(card: &Card) -> Self {
        Self {
            // Each prompt says how many of its parts are to be held for longer.
            cache: card.cache_state(Lifetime::Usual),
            rule: card.cache,
            chain: PromptChain::default(),
            marks: Vec::new(),
            hour: 0,
            stored_tail: 0,
            open: None,
            earlier: Earlier::Unknown,
            calls: BTreeMap::new(),
        }
    }

    /// From now on by another card. What was expected of earlier calls stays.
    pub(super) fn renew(&mut self, card: &Card) {
        self.forget();
        self.cache = card.cache_state(Lifetime::Usual);
        self.rule = card.cache;
    }

    pub(super) fn expected(&self, call: CallNo) -> Option<&Expected> {
        self.calls.get(&call)
    }

    /// Another model has another cache.
    pub(super) fn forget(&mut self) {
        self.close(None);
        self.cache.forget();
        self.chain.truncate(0);
        self.stored_tail = 0;
        self.earlier = Earlier::Unknown;
    }

    /// A prompt is sent. The head and so many entries stand as they stood in the one before; none: not even the head.
    pub(super) fn sent(&mut self, call: CallNo, now: Timestamp, view: &View, unchanged: Option<usize>, hour: usize) {
        self.close(None);
        let tail = self.stored_tail;
        self.chain.truncate(unchanged.map_or(0, |entries| entries.saturating_add(1)).min(self.chain.parts()));
        if self.chain.parts() == 0 {
            let rules = BlobHash::of(view.head().rules.text.as_bytes());
            self.chain.push(part_id(rules), u32::try_from(view.head().tokens()).unwrap_or(u32::MAX));
        }
        for entry in &view.entries()[self.chain.parts() - 1..] {
            self.chain.push(part_of(entry), entry.tokens);
        }
        self.marks = plan_marks(self.rule, view.seam() + 1, tail, self.chain.parts());
        self.hour = hour;
        self.open = Some(OpenCall { call, at: now, taken: true });
    }

    /// A prompt that rode on the last one was taken: what is in the view by now and one message more.
    pub(super) fn rode(&mut self, call: CallNo, now: Timestamp, view: &View, question: &Question) {
        self.close(None);
        let sent = self.chain.parts();
        if sent == 0 {
            return;
        }
        for entry in view.entries().iter().skip(sent - 1) {
            self.chain.push(part_of(entry), entry.tokens);
        }
        self.chain.push(part_id(question.hash), question.tokens.saturating_add(TOKENS_PER_MESSAGE));
        let ridden = CachedCall { prompt: &self.chain, marks: &self.marks, hour: self.hour, answer: &[], now };
        let split = self.cache.apply_call(&ridden);
        self.calls.insert(call, Expected { split, rule: self.rule, earlier: self.earlier });
        self.chain.truncate(sent);
    }

    /// A prompt of its own was taken: nobody has seen any of it before.
    pub(super) fn alone(&mut self, call: CallNo, now: Timestamp, question: &Question) {
        self.close(None);
        let mut prompt = PromptChain::default();
        prompt.push(part_id(question.hash), question.tokens.saturating_add(TOKENS_PER_MESSAGE));
        let split = self.cache.apply_call(&CachedCall { prompt: &prompt, marks: &[], hour: 0, answer: &[], now });
        self.calls.insert(call, Expected { split, rule: self.rule, earlier: self.earlier });
    }

    /// The call that is open failed: unless an answer came all the same, the provider has stored nothing of it.
    pub(super) fn failed(&mut self) {
        if let Some(open) = &mut self.open {
            open.taken = false;
        }
    }

    pub(super) fn hour(&self) -> usize {
        self.hour
    }

    /// Whether the head ends with a mark, and the places of the messages that do.
    pub(super) fn marked(&self) -> (HeadMark, Vec<usize>) {
        let head = match (self.marks.contains(&1), self.hour) {
            (false, _) => HeadMark::Without,
            (true, 0) => HeadMark::Marked,
            (true, _) => HeadMark::ForAnHour,
        };
        (head, self.marks.iter().filter_map(|mark| mark.checked_sub(2)).collect())
    }

    /// The call that is open has ended, with this entry as its answer.
    pub(super) fn close(&mut self, answer: Option<&Entry>) {
        let Some(OpenCall { call, at: now, taken }) = self.open.take() else { return };
        if !taken && answer.is_none() {
            return;
        }
        let answer: Vec<(PartId, u32)> = answer.into_iter().map(|entry| (part_of(entry), entry.tokens)).collect();
        let sent = CachedCall { prompt: &self.chain, marks: &self.marks, hour: self.hour, answer: &answer, now };
        let split = self.cache.apply_call(&sent);
        self.stored_tail = self.chain.parts();
        self.calls.insert(call, Expected { split, rule: self.rule, earlier: self.earlier });
        self.earlier = Earlier::Known;
    }
}

/// docs/design/folding.md, "Marks": the end of L2, the seam, the previous tail, the tail. In numbers of parts, rising.
fn plan_marks(rule: CacheRule, seam: usize, previous_tail: usize, tail: usize) -> Vec<usize> {
    let (wanted, most) = match rule {
        CacheRule::None | CacheRule::Prefix { .. } => return Vec::new(),
        CacheRule::Marks { marks, .. } => (vec![tail, seam, 1, previous_tail.min(tail)], marks as usize),
        // The provider writes the one at the tail by itself.
        CacheRule::Breakpoints { marks, .. } => (vec![seam, 1, previous_tail], (marks as usize).saturating_sub(1)),
    };
    // The first are worth most, and a card may allow fewer than there are.
    let mut kept: Vec<usize> = Vec::new();
    for mark in wanted.into_iter().filter(|mark| (1..=tail).contains(mark)) {
        if kept.len() < most && !kept.contains(&mark) {
            kept.push(mark);
        }
    }
    kept.sort_unstable();
    kept
}

/// Source and revision determine an entry's bytes, so they stand for them.
fn part_of(entry: &Entry) -> PartId {
    part_id(BlobHash::of(&entry.key().bytes()))
}

fn part_id(BlobHash([a, b, c, d, e, f, g, h, ..]): BlobHash) -> PartId {
    PartId(u64::from_le_bytes([a, b, c, d, e, f, g, h]))
}
