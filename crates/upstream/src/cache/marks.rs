//! Anthropic and Qwen: entries are written where a mark stands, and looked up from each mark backwards over a number of
//! blocks, the marked one first.

use lookback_engine::card::Lifetime;

use super::{Reuse, chain::Link, store::Store};
use crate::prompt::Mark;

#[derive(Debug)]
pub(super) struct Marks {
    look_back: usize,
    minimum: u64,
    store: Store,
}

impl Marks {
    pub(super) fn new(look_back: u32, minimum: u32) -> Self {
        Self { look_back: look_back as usize, minimum: minimum.into(), store: Store::default() }
    }

    pub(super) fn apply_prompt(
        &mut self,
        links: &[Link],
        lifetime_ms: impl Fn(Lifetime) -> Option<i64>,
        now_ms: i64,
    ) -> Reuse {
        let marked: Vec<(usize, Lifetime)> = links
            .iter()
            .enumerate()
            .filter_map(|(place, link)| match link.mark {
                Some(Mark::CacheControl(lifetime)) => Some((place, lifetime)),
                _ => None,
            })
            .collect();
        let found: Vec<&Link> =
            marked.iter().filter_map(|(place, _)| self.look_up(&links[..=*place], now_ms)).collect();
        let cached = found.iter().map(|link| link.end).max().unwrap_or(0);
        found.iter().for_each(|link| self.store.renew(&link.digest, now_ms));

        let mut stored = cached;
        for (place, lifetime) in marked {
            let link = &links[place];
            if link.end >= self.minimum {
                self.store.write(link.digest, lifetime_ms(lifetime), now_ms);
                stored = stored.max(link.end);
            }
        }
        Reuse { cached, written: stored - cached }
    }

    /// The longest entry at the end of these links or a few blocks before it.
    fn look_up<'l>(&self, upto: &'l [Link], now_ms: i64) -> Option<&'l Link> {
        upto.iter().rev().take(self.look_back).find(|link| self.store.holds(&link.digest, now_ms))
    }
}
