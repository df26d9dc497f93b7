//! What the bills say of a session's calls, and its prompts do not: that a cache had gone cold, that the agent had made its
//! own prompt shorter, and whether a call found what was there to be found.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use lookback_engine::{
    CacheVerdict, Difference, LedgerLine, Mismatch, Miss, Session,
    card::{Card, Lifetime},
    trace::{
        CallNo, EventBody,
        event::{CallKind, Cold, Usage},
    },
};

use crate::{cards, opened};

/// Whose entries live as long as entries usually do, where no card knows a model.
const USUAL: &str = "anthropic";

/// What one call was billed, and what follows from it.
pub(super) struct Bill {
    pub(super) usage: Usage,
    /// In the place of what its prompt shows.
    pub(super) reason: Option<Miss>,
    pub(super) verdict: Option<CacheVerdict>,
}

/// Of all calls with a bill.
pub(super) fn read(session: &Session) -> Result<BTreeMap<CallNo, Bill>> {
    let usual = cards::usual(USUAL)?;
    let judge = Judge::new(session, usual.as_ref());
    let mut bills = BTreeMap::new();
    let (mut before, mut lifetime) = (None, Lifetime::Usual);
    for line in session.ledger() {
        if let Some(usage) = judge.usages.get(&line.call) {
            let verdict = session.cache_verdict(line.call);
            let told = before.map(|before| judge.judge(&Step { before, line, usage }, lifetime, verdict));
            let (reason, verdict) = told.unwrap_or((None, verdict));
            bills.insert(line.call, Bill { usage: *usage, reason, verdict });
            lifetime = opened::held(usage).unwrap_or(lifetime);
        }
        before = Some(line);
    }
    Ok(bills)
}

/// From one call to the next.
struct Step<'a> {
    before: &'a LedgerLine,
    line: &'a LedgerLine,
    usage: &'a Usage,
}

impl Step<'_> {
    /// The whole prompt before stands in this one.
    fn appends(&self) -> bool {
        self.line.reused.tokens == self.before.reused.tokens + self.before.written.tokens
    }
}

struct Judge<'a> {
    session: &'a Session,
    usages: BTreeMap<CallNo, Usage>,
    /// Calls before which somebody told the agent something.
    told: BTreeSet<CallNo>,
    /// Calls before which the recording says that the agent made its prompt shorter.
    shortened: BTreeSet<CallNo>,
    /// The session's, else that of a usual one.
    card: Option<&'a Card>,
}

impl<'a> Judge<'a> {
    fn new(session: &'a Session, usual: Option<&'a Card>) -> Self {
        let (mut usages, mut told, mut since) = (BTreeMap::new(), BTreeSet::new(), false);
        let (mut shortened, mut shorter) = (BTreeSet::new(), false);
        for event in session.trace() {
            match &event.event {
                EventBody::Usage(usage) => drop(usages.insert(usage.call, *usage)),
                EventBody::UserTurn(_) => since = true,
                EventBody::ClientCompacted(_) => shorter = true,
                EventBody::CallStarted { call, .. } => match event.event.call_kind() {
                    Some(CallKind::ClientCompaction) => since = false,
                    _ => {
                        told.extend(std::mem::take(&mut since).then_some(*call));
                        shortened.extend(std::mem::take(&mut shorter).then_some(*call));
                    }
                },
                _ => {}
            }
        }
        Self { session, usages, told, shortened, card: session.card().or(usual) }
    }

    /// The reason, and what becomes of the engine's verdict.
    fn judge(
        &self,
        step: &Step<'_>,
        lifetime: Lifetime,
        verdict: Option<CacheVerdict>,
    ) -> (Option<Miss>, Option<CacheVerdict>) {
        if self.shortened.contains(&step.line.call) || self.is_compacted(step) {
            return (Some(Miss::ClientCompaction), None);
        }
        let idle_ms = step.line.at.0.saturating_sub(step.before.at.0);
        let lifetime_ms = self.card.and_then(|card| card.lifetime_ms(lifetime));
        match lifetime_ms.filter(|lifetime_ms| idle_ms > *lifetime_ms) {
            Some(lifetime_ms) if step.usage.billed.cached == 0 => {
                (Some(Miss::Cold(Cold { idle_ms, lifetime_ms, base_held: false })), verdict)
            }
            Some(_) => (None, verdict),
            None => (None, self.beside_the_bill_before(step, verdict)),
        }
    }

    /// Billed as much shorter, though nothing left the prompt that was recorded: by a tenth where nothing else explains it,
    /// by half where somebody spoke again. Thinking of the finished round may leave the prompt then: of a recorded one that
    /// alone took 47%.
    fn is_compacted(&self, step: &Step<'_>) -> bool {
        let Some(before) = self.usages.get(&step.before.call).filter(|_| step.appends()) else { return false };
        let (then, now) = (before.billed.prompt(), step.usage.billed.prompt());
        if self.told.contains(&step.line.call) { now < then / 2 } else { now < then - then / 10 }
    }

    /// A card may know less than the bill does: a base that no file shows, or nothing at all of this model.
    fn beside_the_bill_before(&self, step: &Step<'_>, verdict: Option<CacheVerdict>) -> Option<CacheVerdict> {
        let Some(left) = self.left(step) else { return verdict };
        let expects = self.session.expected_bill(step.line.call).is_some_and(|split| split.read > 0);
        match verdict {
            Some(CacheVerdict::Mismatch(Mismatch { difference: Difference::MoreCached, reported, .. }))
                if reported <= left =>
            {
                Some(CacheVerdict::AsExpected)
            }
            None if self.usages.values().all(|usage| usage.billed.cached == 0) => Some(CacheVerdict::NotReported),
            None | Some(CacheVerdict::AsExpected) if !expects => {
                let missed = Mismatch::since(left, &step.usage.billed);
                Some(missed.map_or(CacheVerdict::AsExpected, CacheVerdict::Mismatch))
            }
            other => other,
        }
    }

    /// What the call before left in the cache for a prompt that appends to it. Who never names what was written keeps whole
    /// prompts without being asked; a card says so itself.
    fn left(&self, step: &Step<'_>) -> Option<u64> {
        let before = self.usages.get(&step.before.call).filter(|_| step.appends())?.billed;
        let keeps_all = self.session.card().is_none() && self.usages.values().all(|usage| usage.billed.written == 0);
        let left = if keeps_all { before.prompt() } else { u64::from(before.cached) + u64::from(before.written) };
        (left > 0).then_some(left)
    }
}
