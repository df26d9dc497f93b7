//! All sessions that were asked for, replayed side by side, so that each call of a model is billed once: what is left of the
//! files when copies and sub-agents are told apart.

use std::collections::BTreeSet;

use anyhow::{Error, Result};
use lookback_replay::{
    recording::{Format, Skipped},
    report::Beside,
    session::{self, Job, Plan, Replayed},
};
use lookback_store::Snapshot;

use super::{
    copies::{self, Known},
    counting::Counts,
    origin::{Asked, Identity, Origin},
    prices::Prices,
    side_by_side::each,
    sub_agents::{self, Aside},
};
use crate::reading;

/// Clients begin a file when they start, whether anything is said or not.
#[derive(Debug, thiserror::Error)]
#[error("a session of {} without any call of a model", .0.label())]
pub(super) struct WithoutCalls(pub(super) Format, pub(super) Vec<Skipped>);

pub(super) fn is_unused(error: &Error) -> bool {
    error.downcast_ref().is_some_and(|WithoutCalls(_, skipped)| skipped.is_empty())
}

pub(super) struct One {
    pub(super) identity: Identity,
    pub(super) replayed: Replayed,
    /// Calls of sub-agents among its lines.
    asides: Vec<Aside>,
    pub(super) skipped: Vec<Skipped>,
}

/// All that was asked for.
pub(super) struct Outcomes {
    /// In the order of the origins.
    pub(super) sessions: Vec<Result<One>>,
    /// The places of those that count elsewhere.
    pub(super) again: BTreeSet<usize>,
    pub(super) beside: Beside,
    /// Files of sub-agents that could not be read.
    pub(super) unread: Vec<(String, Error)>,
}

/// Each call is billed once: sessions that have calls of another are replayed again without these.
pub(super) fn replay_all(asked: &Asked, prices: &Prices, plan: Plan<'_>) -> Outcomes {
    let one = |place: usize, copied: &BTreeSet<usize>| {
        replay(&asked.origins[place], asked.store.as_ref(), prices, plan, copied)
    };
    let places: Vec<usize> = (0..asked.origins.len()).collect();
    let mut sessions = each(&places, |place| one(*place, &BTreeSet::new()));
    let read = sessions.iter().enumerate().filter_map(|(place, one)| Some((place, one.as_ref().ok()?)));
    let known = read.map(|(place, one)| Known { place, identity: &one.identity, calls: one.replayed.report.calls });
    let mut known: Vec<Known<'_>> = known.collect();
    let mut again = copies::given_again(&known);
    known.retain(|one| !again.contains(&one.place));
    // What came by standard input cannot be read again. Of the others the one that ended first has paid, in whatever order
    // they were named, and a fork whose copies have its own time never has.
    let is_read_again = |one: &Known<'_>| !asked.origins[one.place].comes_once();
    known.sort_by_key(|one| (is_read_again(one), one.identity.is_fork, one.identity.last()));
    let mut billed = copies::Billed::default();
    let mut copied: Vec<_> =
        known.iter().map(|one| (one.place, one.calls, billed.billed_elsewhere(one.place, one.identity))).collect();
    copied.retain(|(.., items)| !items.is_empty());
    let anew = each(&copied, |(place, _, items)| one(*place, items));
    let mut beside = Beside::default();
    for ((place, before, _), one) in copied.into_iter().zip(anew) {
        match one.as_ref().map_or(0, |one| one.replayed.report.calls) {
            0 => drop(again.insert(place)),
            left => beside.copied += before - left,
        }
        sessions[place] = one;
    }
    let (mut asides, mut unread) = (Vec::new(), Vec::new());
    for (source, found) in
        asked.sub_agents.iter().zip(each(&asked.sub_agents, |file| sub_agents::in_file(file, prices)))
    {
        match found {
            Ok(found) => asides.extend(found),
            Err(error) if reading::is_no_session(&error) => {}
            Err(error) => unread.push((source.name(), error)),
        }
    }
    let counted = sessions.iter().enumerate().filter(|(place, _)| !again.contains(place));
    let within = counted.filter_map(|(_, one)| one.as_ref().ok()).flat_map(|one| &one.asides);
    let sum = sub_agents::sum(within.chain(&asides), &mut billed);
    Outcomes { sessions, again, beside: Beside { copied: beside.copied, ..sum }, unread }
}

fn replay(
    origin: &Origin,
    store: Option<&Snapshot>,
    prices: &Prices,
    plan: Plan<'_>,
    copied: &BTreeSet<usize>,
) -> Result<One> {
    let (recording, identity) = origin.read(store)?;
    if recording.calls().next().is_none() {
        return Err(WithoutCalls(recording.format, recording.skipped).into());
    }
    let (card, tariff) = prices.of(&recording)?;
    let counts = Counts::default();
    let asides = sub_agents::within(&recording, &tariff.card)?;
    let job = Job { file: origin.name(), recording: &recording, tariff: &tariff, card, copied };
    let replayed = session::replay(&job, plan, &|text| counts.count(text));
    Ok(One { identity, replayed, asides, skipped: recording.skipped })
}
