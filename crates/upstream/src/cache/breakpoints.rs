//! OpenAI from gpt-5.6 on: an entry matches exactly where a breakpoint wrote it. The provider sets one of its own at the
//! end of the newest message that the model did not write itself; of the client's the newest are written too. Every end
//! of such a message can be one that an earlier call wrote, and so can every breakpoint of the client; the newest of them
//! are considered.

use super::{Reuse, chain::Link, store::Store};
use crate::prompt::{BreakpointMode, Mark, Speaker};

#[derive(Debug)]
pub(super) struct Breakpoints {
    written_per_call: usize,
    considered: usize,
    unit: u64,
    minimum: u64,
    store: Store,
}

impl Breakpoints {
    pub(super) fn new(written_per_call: u32, considered: u32, unit: u32, minimum: u32) -> Self {
        Self {
            written_per_call: written_per_call as usize,
            considered: considered as usize,
            unit: unit.max(1).into(),
            minimum: minimum.into(),
            store: Store::default(),
        }
    }

    pub(super) fn apply_prompt(
        &mut self,
        links: &[Link],
        mode: BreakpointMode,
        lifetime_ms: Option<i64>,
        now_ms: i64,
    ) -> Reuse {
        let candidates = links.iter().rev().filter(|link| is_set(link) || is_eligible(link)).take(self.considered);
        let hit = candidates.into_iter().find(|link| self.store.holds(&link.digest, now_ms)).copied();
        if let Some(hit) = hit {
            self.store.renew(&hit.digest, now_ms);
        }
        let cached = hit.map_or(0, |hit| self.whole_units(hit.end));

        let own = match mode {
            BreakpointMode::Implicit => links.iter().rev().find(|link| is_eligible(link)),
            BreakpointMode::Explicit => None,
        };
        let set =
            links.iter().rev().filter(|link| is_set(link)).take(self.written_per_call - usize::from(own.is_some()));
        let mut stored = cached;
        for link in own.into_iter().chain(set).filter(|link| link.end >= self.minimum) {
            self.store.write(link.digest, lifetime_ms, now_ms);
            stored = stored.max(self.whole_units(link.end));
        }
        Reuse { cached, written: stored - cached }
    }

    fn whole_units(&self, tokens: u64) -> u64 {
        tokens / self.unit * self.unit
    }
}

fn is_set(link: &Link) -> bool {
    link.mark == Some(Mark::Breakpoint)
}

fn is_eligible(link: &Link) -> bool {
    matches!(link.ends, Some(Speaker::User | Speaker::Tool))
}
