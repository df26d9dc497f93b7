//! Entries at marks, found again by walking back from the marks of a later prompt (Anthropic, Qwen's explicit cache).

use std::collections::BTreeMap;

use super::{CachedCall, Split};
use crate::trace::Timestamp;

#[derive(Debug, Clone)]
pub(super) struct Marks {
    marks: u32,
    look_back: u32,
    minimum: u32,
    /// Digest of the boundary and last use.
    entries: BTreeMap<u64, Timestamp>,
}

impl Marks {
    pub(super) fn new(marks: u32, look_back: u32, minimum: u32) -> Self {
        Self { marks, look_back, minimum, entries: BTreeMap::new() }
    }

    pub(super) fn forget(&mut self) {
        self.entries.clear();
    }

    pub(super) fn apply_call(&mut self, call: &CachedCall<'_>, alive_since: Timestamp) -> Split {
        let marks = newest(call.marks, self.marks);
        let hit = marks.iter().filter_map(|mark| self.find(call, *mark, alive_since)).max().unwrap_or(0);
        let mut stored = 0;
        // A mark that lies inside what was read keeps its entry warm: this is how the seam stays alive while the tail
        // alone is hit (docs/design/folding.md, "Marks").
        for parts in marks.iter().chain(&[hit]) {
            let boundary = call.prompt.after(*parts);
            if boundary.tokens >= u64::from(self.minimum.max(1)) {
                self.entries.insert(boundary.digest, call.now);
                stored = stored.max(boundary.tokens);
            }
        }
        Split::new(call.prompt.after(hit).tokens, stored, call.prompt.tokens())
    }

    /// The longest entry that the look-up from one mark finds. The mark's own place is the first of those it tries.
    fn find(&self, call: &CachedCall<'_>, mark: usize, alive_since: Timestamp) -> Option<usize> {
        let mark = mark.min(call.prompt.parts());
        (1..=mark)
            .rev()
            .take(self.look_back as usize)
            .find(|parts| self.entries.get(&call.prompt.after(*parts).digest).is_some_and(|used| *used >= alive_since))
    }
}

/// A provider takes no more marks than this; the agent never sends more, and of a foreign client's the newest decide.
pub(super) fn newest(marks: &[usize], most: u32) -> &[usize] {
    &marks[marks.len().saturating_sub(most as usize)..]
}
