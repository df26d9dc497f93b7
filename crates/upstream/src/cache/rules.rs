//! What each kind of cache had of a prompt, and what it keeps.

use lookback_engine::{
    cache::CacheRule,
    card::{Card, Lifetime},
};

use super::{Reuse, chain::Link, store::Store};
use crate::prompt::{BreakpointMode, Mark, Speaker};

/// Looks a prompt up, then stores it.
pub(super) fn apply_prompt(store: &mut Store, card: &Card, links: &[Link], mode: BreakpointMode) -> Reuse {
    match card.cache {
        CacheRule::None => Reuse::default(),
        // OpenAI before gpt-5.6, DeepSeek, Gemini, llama.cpp, vLLM: the longest beginning that an earlier prompt had, in
        // whole units.
        CacheRule::Prefix { unit, minimum, .. } => {
            let ends: Vec<&Link> = links.iter().filter(|link| link.ends.is_some()).collect();
            let common = ends.iter().rev().find(|link| store.holds(&link.digest)).map_or(0, |link| link.end);
            ends.iter().for_each(|link| store.write(link.digest, card.lifetime_ms));
            let cached = whole_units(common, unit);
            Reuse { cached: if cached < u64::from(minimum) { 0 } else { cached }, ..Reuse::default() }
        }
        // Anthropic and Qwen: entries are written where a mark stands, and looked up from each mark backwards over a number
        // of blocks, the marked one first.
        CacheRule::Marks { look_back, minimum, .. } => {
            let marked: Vec<(&[Link], Lifetime)> = (1..=links.len())
                .filter_map(|end| match links[end - 1].mark {
                    Some(Mark::CacheControl(lifetime)) => Some((&links[..end], lifetime)),
                    _ => None,
                })
                .collect();
            let look_up = |upto: &'_ [Link]| {
                upto.iter().rev().take(look_back as usize).find(|link| store.holds(&link.digest)).copied()
            };
            let found: Vec<Link> = marked.iter().filter_map(|(upto, _)| look_up(upto)).collect();
            let cached = found.iter().map(|link| link.end).max().unwrap_or(0);
            found.iter().for_each(|link| store.renew(&link.digest));
            let (mut stored, mut for_an_hour) = (cached, cached);
            for (upto, lifetime) in marked {
                if let Some(link) = upto.last().filter(|link| link.end >= u64::from(minimum)) {
                    store.write(link.digest, card.lifetime_ms(lifetime));
                    stored = stored.max(link.end);
                    if lifetime == Lifetime::OneHour && card.offers_hour() {
                        for_an_hour = for_an_hour.max(link.end);
                    }
                }
            }
            Reuse { cached, written: stored - cached, written_1h: for_an_hour - cached }
        }
        // OpenAI from gpt-5.6 on: an entry matches exactly where a breakpoint wrote it. The provider sets one of its own at
        // the end of the newest message that the model did not write itself; of the client's the newest are written too.
        // Every end of such a message can be one that an earlier call wrote, and so can every breakpoint of the client; the
        // newest of them are considered.
        CacheRule::Breakpoints { marks, considered, unit, minimum } => {
            let candidates = links.iter().rev().filter(|link| is_set(link) || is_eligible(link));
            let hit = candidates.take(considered as usize).find(|link| store.holds(&link.digest)).copied();
            if let Some(hit) = hit {
                store.renew(&hit.digest);
            }
            let cached = hit.map_or(0, |hit| whole_units(hit.end, unit));
            let own = match mode {
                BreakpointMode::Implicit => links.iter().rev().find(|link| is_eligible(link)),
                BreakpointMode::Explicit => None,
            };
            let set = links.iter().rev().filter(|link| is_set(link)).take(marks as usize - usize::from(own.is_some()));
            let mut stored = cached;
            for link in own.into_iter().chain(set).filter(|link| link.end >= u64::from(minimum)) {
                store.write(link.digest, card.lifetime_ms);
                stored = stored.max(whole_units(link.end, unit));
            }
            Reuse { cached, written: stored - cached, written_1h: 0 }
        }
    }
}

fn whole_units(tokens: u64, unit: u32) -> u64 {
    let unit = u64::from(unit.max(1));
    tokens / unit * unit
}

fn is_set(link: &Link) -> bool {
    link.mark == Some(Mark::Breakpoint)
}

fn is_eligible(link: &Link) -> bool {
    matches!(link.ends, Some(Speaker::User | Speaker::Tool))
}
