//! Entries at marks, found again by walking back from the marks of a later prompt (Anthropic, Qwen's explicit cache).

use std::collections::BTreeMap;

use super::{CachedCall, Split};
use crate::trace::Timestamp;

#[derive(Debug, Clone)]
pub(super) struct Marks {
    marks: u32,
    look_back: u32,
    minimum: u32,
    /// By the digest of the boundary.
    entries: BTreeMap<u64, Entry>,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    used: Timestamp,
    held: Held,
}

/// For how long it was asked to be held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Held {
    Usual,
    Hour,
}

/// From when on an entry must have been used to be alive.
#[derive(Debug, Clone, Copy)]
struct Alive {
    usual: Timestamp,
    hour: Option<Timestamp>,
}

impl Alive {
    fn has(self, entry: &Entry) -> bool {
        entry.used >= self.hour.filter(|_| entry.held == Held::Hour).unwrap_or(self.usual)
    }
}

impl Marks {
    pub(super) fn new(marks: u32, look_back: u32, minimum: u32) -> Self {
        Self { marks, look_back, minimum, entries: BTreeMap::new() }
    }

    pub(super) fn forget(&mut self) {
        self.entries.clear();
    }

    /// Anthropic bills what lies behind the hit up to the last mark for an hour at that price, the rest as usual.
    pub(super) fn apply_call(
        &mut self,
        call: &CachedCall<'_>,
        alive_since: Timestamp,
        hour_since: Option<Timestamp>,
    ) -> Split {
        let marks = newest(call.marks, self.marks);
        let alive = Alive { usual: alive_since, hour: hour_since };
        let hit = marks.iter().filter_map(|mark| self.find(call, *mark, alive)).max().unwrap_or(0);
        let (mut stored, mut stored_1h) = (0, 0);
        // A mark that lies inside what was read keeps its entry warm: this is how the seam stays alive while the tail
        // alone is hit (docs/design/folding.md, "Marks").
        for parts in marks.iter().chain(&[hit]) {
            let boundary = call.prompt.after(*parts);
            if boundary.tokens < u64::from(self.minimum.max(1)) {
                continue;
            }
            let asks_hour = hour_since.is_some() && *parts <= call.hour && marks.contains(parts);
            let held = if asks_hour { Held::Hour } else { Held::Usual };
            // One that is there already keeps the longer time.
            let before = self.entries.get(&boundary.digest).filter(|entry| alive.has(entry)).map(|entry| entry.held);
            self.entries
                .insert(boundary.digest, Entry { used: call.now, held: before.map_or(held, |it| it.max(held)) });
            stored = stored.max(boundary.tokens);
            if asks_hour {
                stored_1h = stored_1h.max(boundary.tokens);
            }
        }
        let read = call.prompt.after(hit).tokens;
        let split = Split::new(read, stored, call.prompt.tokens());
        Split { written_1h: stored_1h.saturating_sub(read), ..split }
    }

    /// The longest entry that the look-up from one mark finds. The mark's own place is the first of those it tries.
    fn find(&self, call: &CachedCall<'_>, mark: usize, alive: Alive) -> Option<usize> {
        let mark = mark.min(call.prompt.parts());
        (1..=mark)
            .rev()
            .take(self.look_back as usize)
            .find(|parts| self.entries.get(&call.prompt.after(*parts).digest).is_some_and(|entry| alive.has(entry)))
    }
}

/// A provider takes no more marks than this; the agent never sends more, and of a foreign client's the newest decide.
pub(super) fn newest(marks: &[usize], most: u32) -> &[usize] {
    &marks[marks.len().saturating_sub(most as usize)..]
}
