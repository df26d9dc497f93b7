//! The longest common prefix with an earlier prompt, in whole units.
//!
//! The last prompt is held as a path. Whatever a fold or a rollback took off it is remembered apart with the time of its
//! last use, because an unfold may bring it back while it is still stored.

use std::collections::BTreeMap;

use super::{CachedCall, Covers, Split, chain, chain::Boundary, whole_units};
use crate::trace::Timestamp;

#[derive(Debug, Clone)]
pub(super) struct Prefix {
    unit: u32,
    minimum: u32,
    covers: Covers,
    path: Vec<Boundary>,
    left: BTreeMap<u64, Timestamp>,
}

impl Prefix {
    pub(super) fn new(unit: u32, minimum: u32, covers: Covers) -> Self {
        Self { unit, minimum, covers, path: Vec::new(), left: BTreeMap::new() }
    }

    pub(super) fn forget(&mut self) {
        self.path.clear();
        self.left.clear();
    }

    /// The path was last used at `previous`; what was left before `alive_since` is gone.
    pub(super) fn apply_call(&mut self, call: &CachedCall<'_>, previous: Timestamp, alive_since: Timestamp) -> Split {
        let boundaries = call.prompt.boundaries();
        let on_path = chain::shared(&self.path, boundaries);
        self.left.extend(self.path.drain(on_path..).map(|boundary| (boundary.digest, previous)));

        let mut known = on_path;
        for boundary in &boundaries[on_path..] {
            if self.left.get(&boundary.digest).is_some_and(|used| *used >= alive_since) {
                known = self.path.len() + 1;
            }
            self.path.push(*boundary);
        }
        let read = whole_units(call.prompt.after(known).tokens, self.unit, self.minimum);
        let stored = whole_units(call.prompt.tokens(), self.unit, self.minimum);

        if self.covers == Covers::PromptAndAnswer {
            let mut end = call.prompt.end();
            for (part, tokens) in call.answer {
                end = end.then(*part, *tokens);
                self.path.push(end);
            }
        }
        Split::new(read, stored, call.prompt.tokens())
    }
}
