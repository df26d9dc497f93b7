//! A prompt as a cache sees it: parts in order, each boundary named by everything before it.
//!
//! Two prompts agree up to a boundary exactly when its digests are equal, so finding what they share needs no walk over
//! their parts. A part is the smallest thing that is kept or replaced as a whole: a content block of a message.

use serde::{Deserialize, Serialize};

/// The content of a part, by any digest that the caller uses throughout a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PartId(pub u64);

/// Kept by the caller from call to call: cut it where the view changed and push what follows.
#[derive(Debug, Clone, Default)]
pub struct PromptChain {
    boundaries: Vec<Boundary>,
}

/// The end of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Boundary {
    /// Of all parts up to here.
    pub(super) digest: u64,
    /// In all parts up to here.
    pub(super) tokens: u64,
}

impl Boundary {
    pub(super) const START: Self = Self { digest: 0, tokens: 0 };

    pub(super) fn then(self, part: PartId, tokens: u32) -> Self {
        Self {
            digest: mix(mix(self.digest ^ part.0).wrapping_add(u64::from(tokens))),
            tokens: self.tokens + u64::from(tokens),
        }
    }
}

impl PromptChain {
    pub fn push(&mut self, part: PartId, tokens: u32) {
        self.boundaries.push(self.end().then(part, tokens));
    }

    /// Keeps the first `parts` parts.
    pub fn truncate(&mut self, parts: usize) {
        self.boundaries.truncate(parts);
    }

    pub fn parts(&self) -> usize {
        self.boundaries.len()
    }

    /// How many parts lie within the first `tokens`.
    pub fn parts_within(&self, tokens: u64) -> usize {
        self.boundaries.partition_point(|boundary| boundary.tokens <= tokens)
    }

    pub fn tokens(&self) -> u64 {
        self.end().tokens
    }

    pub(super) fn end(&self) -> Boundary {
        self.after(self.parts())
    }

    /// The boundary behind the first `parts` parts.
    pub(super) fn after(&self, parts: usize) -> Boundary {
        if parts == 0 { Boundary::START } else { self.boundaries.get(parts - 1).copied().unwrap_or(Boundary::START) }
    }

    pub(super) fn boundaries(&self) -> &[Boundary] {
        &self.boundaries
    }
}

/// How many boundaries two chains share. Equal digests mean equal everything before, so this is a binary search.
pub(super) fn shared(one: &[Boundary], other: &[Boundary]) -> usize {
    let (mut low, mut high) = (0, one.len().min(other.len()));
    while low < high {
        let middle = low + (high - low) / 2;
        if one[middle].digest == other[middle].digest { low = middle + 1 } else { high = middle }
    }
    low
}

/// The finaliser of SplitMix64: every bit of the input moves every bit of the output.
fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}
