//! Entries at written breakpoints that match exactly or not at all (OpenAI from gpt-5.6 on).
//!
//! Besides the caller's marks the provider writes one at the end of every prompt; there is no walk back, so a prompt
//! that was cut anywhere else than at a breakpoint is found again only at the breakpoint before the cut.

use std::collections::VecDeque;

use super::{CachedCall, Split, chain::Boundary, marks::newest, whole_units};
use crate::trace::Timestamp;

#[derive(Debug, Clone)]
pub(super) struct Breakpoints {
    marks: u32,
    considered: u32,
    unit: u32,
    minimum: u32,
    /// Oldest use first.
    entries: VecDeque<Entry>,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    parts: usize,
    boundary: Boundary,
    used: Timestamp,
}

impl Breakpoints {
    pub(super) fn new(marks: u32, considered: u32, unit: u32, minimum: u32) -> Self {
        Self { marks, considered, unit, minimum, entries: VecDeque::new() }
    }

    pub(super) fn forget(&mut self) {
        self.entries.clear();
    }

    pub(super) fn apply_call(&mut self, call: &CachedCall<'_>, alive_since: Timestamp) -> Split {
        let prompt = call.prompt;
        let hit = self
            .entries
            .iter()
            .filter(|entry| entry.used >= alive_since && prompt.after(entry.parts) == entry.boundary)
            .max_by_key(|entry| entry.parts)
            .copied();
        let end = prompt.parts();
        let explicit = newest(call.marks, self.marks.saturating_sub(1)).iter().map(|mark| (*mark).min(end));
        for parts in hit.map(|entry| entry.parts).into_iter().chain(explicit).chain([end]) {
            let boundary = prompt.after(parts);
            if whole_units(boundary.tokens, self.unit, self.minimum) > 0 {
                self.entries.retain(|entry| entry.boundary != boundary);
                self.entries.push_back(Entry { parts, boundary, used: call.now });
            }
        }
        while self.entries.len() > self.considered as usize {
            self.entries.pop_front();
        }
        let whole = |tokens| whole_units(tokens, self.unit, self.minimum);
        Split::new(hit.map_or(0, |entry| whole(entry.boundary.tokens)), whole(prompt.tokens()), prompt.tokens())
    }
}
