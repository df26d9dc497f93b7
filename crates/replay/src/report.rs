//! Reports: one object for programs, a table for a terminal, a page for a browser.

pub mod money;
pub mod page;
pub mod pictures;
pub mod summary;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::{
    check,
    measure::{Figures, competitive::Competitive},
    recording::{Format, Unpriced},
};

/// What the agent did, where it stands beside strategies.
pub const PAID: &str = "paid";

pub use crate::{check::Bills, measure::BillByKind, numbers, paid::Paid};

/// A whole run over many sessions.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Report {
    /// In the order in which they were given.
    pub sessions: Vec<SessionReport>,
    /// What stands in the files beside them.
    pub beside: Beside,
}

/// Calls that no figure of a session has.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Beside {
    /// Of sub-agents: nobody folds them.
    pub sub_agents: u64,
    /// What these were billed, each at its own model's prices.
    pub sub_agents_usd: f64,
    /// Calls that more than one session has, because one began as a copy of another: they count in the first.
    pub copied: u64,
}

/// One session under every strategy.
#[derive(Debug, Clone, Serialize)]
pub struct SessionReport {
    /// As it was named.
    pub file: String,
    /// Whose file it is.
    pub format: Format,
    /// Whose session: what Lookback imported is still its agent's.
    pub agent: Format,
    /// How many there were.
    pub calls: u64,
    /// Of most calls.
    pub model: Option<String>,
    /// What it is billed by, for a person.
    pub prices: String,
    /// The price card of it.
    pub card: UsedCard,
    /// In the order of the strategies' table, by name.
    pub strategies: BTreeMap<String, Figures>,
    /// What the file's own usage costs; none without bills. Of the calls that have one.
    pub paid_usd: Option<f64>,
    /// The same with whole answers, as every strategy is billed.
    pub paid_whole_usd: Option<f64>,
    /// What that was paid for.
    pub paid: Option<Paid>,
    /// What the calls without a bill would have cost, everything sent every time; none where each has its bill.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimated_usd: Option<f64>,
    /// What that would have been paid for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimated: Option<Paid>,
    /// What was billed beside tokens at the usual prices, and is in no sum.
    #[serde(skip_serializing_if = "Unpriced::is_nothing")]
    pub unpriced: Unpriced,
    /// Of `paid_usd`, the bills of calls whose model has no prices of its own, where other calls' has.
    #[serde(skip_serializing_if = "is_nothing")]
    pub borrowed_usd: f64,
    /// What the provider billed, with each answer as long as for every strategy, so that it can be compared with them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub billed: Option<Bills>,
    /// What the cache model says to the same prompts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub predicted: Option<Bills>,
    /// How well the cache model reproduces the bill, where one was recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<Check>,
    /// Both bills behind `competitive_ratio`, whole and without what no cut changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub competitive: Option<Competitive>,
    /// For pictures, not for programs.
    #[serde(skip)]
    pub pictures: Pictures,
}

/// By which card a session is billed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct UsedCard {
    /// As a person chose it, else its provider.
    pub name: String,
    /// The other providers by whose cards single calls are billed.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub others: BTreeSet<String>,
    /// The card's own patterns.
    pub models: Vec<String>,
    /// By a person, in the place of the session's own.
    pub chosen: bool,
    /// Its prices are another model's, because no card has those of the session's own.
    pub stands_in: bool,
    /// Models of single calls that have no prices of their own, and whose those are billed at.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub borrowing: BTreeMap<String, String>,
    /// How long entries of the cache live; none: for good.
    pub lifetime_ms: Option<i64>,
    /// Bills differ from what its cache rule says, and nobody knows why.
    pub cache_not_understood: bool,
    /// The day of its prices.
    pub date: String,
    /// Where they were read.
    pub source: String,
    /// The session is older than that day, and may have been billed otherwise.
    pub is_newer: bool,
}

fn is_nothing(usd: &f64) -> bool {
    *usd == 0.0
}

impl SessionReport {
    /// What it cost with whole answers, calls without a bill as they are estimated: a sum over the same calls as every
    /// strategy's. None where the file has no bill, or a person chose other prices: bills in their units say nothing.
    pub fn paid_for_all(&self) -> Option<f64> {
        let billed = self.paid_whole_usd.filter(|_| !self.card.chosen)?;
        Some(billed + self.estimated_usd.unwrap_or(0.0))
    }
}

impl UsedCard {
    /// "anthropic", "anthropic and openai".
    pub fn providers(&self) -> String {
        let others = self.others.iter().map(|other| format!(" and {other}"));
        std::iter::once(self.name.clone()).chain(others).collect()
    }

    /// "anthropic, 5-minute cache".
    pub fn label(&self) -> String {
        match self.lifetime_ms {
            _ if !self.others.is_empty() => format!("{}, caches as recorded", self.providers()),
            _ if self.cache_not_understood => format!("{}, its cache not understood", self.name),
            Some(lifetime) if lifetime % 3_600_000 == 0 => {
                format!("{}, {}-hour cache", self.name, lifetime / 3_600_000)
            }
            Some(lifetime) => format!("{}, {}-minute cache", self.name, lifetime / 60_000),
            None => self.name.clone(),
        }
    }
}

/// The days of the prices of sessions: "2026-11-16", "2026-09-05 to 2026-11-16"; none where no card says one.
pub(crate) fn days<'a>(sessions: impl Iterator<Item = &'a SessionReport> + Clone) -> Option<String> {
    let days = || sessions.clone().map(|session| session.card.date.as_str()).filter(|day| !day.is_empty());
    let (first, last) = (days().min()?, days().max()?);
    Some(if first == last { first.to_owned() } else { format!("{first} to {last}") })
}

/// The check of the sessions of one provider: `anthropic`, `openai`, `deepseek`…
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[allow(missing_docs, reason = "its line says it")]
pub struct Check {
    pub provider: String,
    #[serde(flatten)]
    pub check: check::Check,
}

/// Series for the page.
#[derive(Debug, Clone, Default)]
pub struct Pictures {
    /// By strategy: context tokens of each call.
    pub context: BTreeMap<String, Vec<u64>>,
    /// By strategy: calls before which something was folded, settled, masked…
    pub marks: BTreeMap<String, Vec<Mark>>,
    /// By strategy: the bill by kind of token, in dollars.
    pub kinds: BTreeMap<String, BillByKind>,
    /// The dearest calls that were really made, with their reasons.
    pub dearest: Vec<Moment>,
}

/// Something done to the view right before a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// Counted from 0.
    pub call: usize,
    /// `fold`, `settle`, `archive`, `summary`, `mask`, `clear`.
    pub what: &'static str,
    /// For a person: "turns 3–14 into block 1".
    pub note: String,
}

/// A call that cost much.
#[derive(Debug, Clone, PartialEq)]
pub struct Moment {
    /// The session.
    pub file: String,
    /// Counted from 0.
    pub call: usize,
    /// In dollars, with the whole answer.
    pub cost: f64,
    /// Of the session's whole bill.
    pub share: f64,
    /// Tokens of the prompt.
    pub context: u64,
    /// For a person.
    pub why: String,
    /// What Lookback would have sent in its place, and what that costs; none where it was not run.
    pub instead: Option<String>,
}
