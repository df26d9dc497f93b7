//! Many sessions in few figures: what the terminal's table and the page both say.
//!
//! Sessions are put together only where they can be compared: the same agent and prices of the same name. A measure
//! is taken per session first, then its median and quartiles over the sessions. Pure aggregation: nothing here knows how
//! a figure is written down.

use std::collections::{BTreeMap, BTreeSet};

use super::{Paid, Report, SessionReport, days, money::Money};
use crate::{
    check::Check, measure::Figures, parameters::LONG_SESSION_CALLS, recording::Format, strategy::StrategyName,
};

/// The name of the strategy that all others are compared with.
pub const APPEND: &str = "append";
/// The name of ours.
pub const LOOKBACK: &str = "lookback";

/// Not in the running: one knows the future, the other is `lookback` without its planner.
const APART: [&str; 2] = ["lookback-fixed", "oracle"];

/// A whole report in few figures.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "counts of what is summed up")]
pub struct Summary {
    pub sessions: usize,
    pub calls: u64,
    /// By agent, then by prices.
    pub groups: Vec<Group>,
    /// By provider; empty where no bill was recorded.
    pub checks: Vec<ProviderCheck>,
}

/// Sessions of one agent, billed by one provider's cards.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "its line says it")]
pub struct Group {
    /// Of the agent.
    pub format: Format,
    pub prices: String,
    /// Their places in the report.
    pub members: Vec<usize>,
    pub calls: u64,
    pub money: Money,
    /// What the agent did, beside the strategies; none without bills.
    pub paid: Option<AsPaid>,
    /// In the order of the strategies' table.
    pub strategies: Vec<StrategySummary>,
}

/// What was really billed: medians over the sessions that say so.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AsPaid {
    /// At the same prices.
    pub of_append: f64,
    /// Of all input, read from the cache.
    pub cached: f64,
    /// Tokens of a prompt.
    pub context: f64,
}

impl AsPaid {
    fn of(sessions: &[&SessionReport]) -> Option<Self> {
        let median = |measure: fn(&SessionReport) -> Option<f64>| {
            Some(Quartiles::of(sessions.iter().filter_map(|session| measure(session)))?.median)
        };
        Some(Self {
            of_append: median(|session| Some(session.paid_for_all()? / session.strategies.get(APPEND)?.cost_usd?))?,
            cached: median(|session| session.paid.as_ref().map(Paid::cached_share))?,
            context: median(|session| session.paid.as_ref().map(Paid::prompt_mean))?,
        })
    }
}

/// One strategy over the sessions of a group. Quartiles are none where no session has the figure.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "the figures are explained where they are computed: `measure`")]
pub struct StrategySummary {
    pub name: String,
    pub sessions: usize,
    pub vs_append: Option<Quartiles>,
    pub repaired_vs_append: Option<Quartiles>,
    pub repairs_per_call: Option<Quartiles>,
    pub recall: Option<Quartiles>,
    pub pointer_recall: Option<Quartiles>,
    pub direct_pointer_recall: Option<Quartiles>,
    pub path_recall: Option<Quartiles>,
    pub symbol_recall: Option<Quartiles>,
    pub edit_line_recall: Option<Quartiles>,
    pub prefix_reuse: Option<Quartiles>,
    pub context_mean: Option<Quartiles>,
    pub context_peak: Option<Quartiles>,
    pub task_snr: Option<Quartiles>,
    pub folds: Option<Quartiles>,
    pub competitive_ratio: Option<Quartiles>,
    /// Over all sessions together.
    pub total: Totals,
    /// None for the strategies that are not in the running.
    pub cheapest: Option<Cheapest>,
}

/// Sums over all sessions.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[allow(missing_docs, reason = "the figures are explained where they are computed: `measure`")]
pub struct Totals {
    /// In uncached-input tokens.
    pub cost: f64,
    pub repaired: f64,
    /// None where one of the sessions has no price in dollars.
    pub cost_usd: Option<f64>,
    pub repaired_usd: Option<f64>,
    pub over_window: u64,
    pub refused: u64,
    pub invalid_views: u64,
    /// The worst session's share of facts and anchors that resolve.
    pub evidence: f64,
}

/// On how many sessions a strategy's repaired cost was below that of every other in the running.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "its line says it")]
pub struct Cheapest {
    pub sessions: usize,
    pub won: usize,
    /// As cheap as the cheapest other, and no cheaper: where folding does not pay, that is the best there is. What was
    /// paid is one of the others.
    pub tied: usize,
    /// The same among sessions of `LONG_SESSION_CALLS` or more.
    pub long_sessions: usize,
    pub long_won: usize,
    pub long_tied: usize,
}

/// The cache model against the bills of one provider, all sessions together.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "its line says it")]
pub struct ProviderCheck {
    pub provider: String,
    pub sessions: usize,
    pub check: Check,
}

impl Summary {
    /// Of all sessions of the report.
    pub fn new(report: &Report) -> Self {
        let mut members: BTreeMap<(Format, String), Vec<usize>> = BTreeMap::new();
        for (place, session) in report.sessions.iter().enumerate() {
            members.entry((session.agent, session.card.providers())).or_default().push(place);
        }
        let groups = members.into_iter().map(|((format, name), members)| {
            let sessions: Vec<&SessionReport> = members.iter().map(|place| &report.sessions[*place]).collect();
            let same = sessions.iter().all(|session| session.prices == sessions[0].prices);
            let mut prices = if same { sessions[0].prices.clone() } else { format!("{name}, caches as recorded") };
            if let Some(days) = days(sessions.iter().copied()) {
                prices = format!("{prices}, of {days}");
            }
            Group {
                format,
                prices,
                calls: sessions.iter().map(|session| session.calls).sum(),
                money: Money::of(sessions.iter().copied()),
                paid: AsPaid::of(&sessions),
                strategies: summarise_strategies(&sessions),
                members,
            }
        });
        Self {
            sessions: report.sessions.len(),
            calls: report.sessions.iter().map(|session| session.calls).sum(),
            groups: groups.collect(),
            checks: sum_checks(report),
        }
    }
}

impl Group {
    /// One of the group, by its name.
    pub fn strategy(&self, name: &str) -> Option<&StrategySummary> {
        self.strategies.iter().find(|strategy| strategy.name == name)
    }

    /// The one that the summary speaks of: `lookback`, or the cheapest where it was not run.
    pub fn leading(&self) -> Option<&StrategySummary> {
        self.strategy(LOOKBACK).or_else(|| self.best_other())
    }

    /// The cheapest after repairs besides `lookback`, append, and those not in the running.
    pub fn best_other(&self) -> Option<&StrategySummary> {
        let others = self
            .strategies
            .iter()
            .filter(|strategy| strategy.name != LOOKBACK && strategy.name != APPEND && in_the_running(&strategy.name));
        let priced = others.filter_map(|strategy| Some((strategy.repaired_vs_append?.median, strategy)));
        priced.min_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, strategy)| strategy)
    }
}

/// Names in the order of the strategies' table, unknown ones at the end.
pub fn in_order<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let mut names: Vec<&str> = names.into_iter().collect();
    names.sort_by_key(|name| (place(name), *name));
    names.dedup();
    names
}

/// Whether a strategy is compared with the others.
pub fn in_the_running(name: &str) -> bool {
    !APART.contains(&name)
}

fn place(name: &str) -> usize {
    StrategyName::ALL.iter().position(|known| known.name() == name).unwrap_or(StrategyName::ALL.len())
}

fn summarise_strategies(sessions: &[&SessionReport]) -> Vec<StrategySummary> {
    let names: BTreeSet<&str> =
        sessions.iter().flat_map(|session| session.strategies.keys().map(String::as_str)).collect();
    in_order(names).into_iter().map(|name| summarise_strategy(name, sessions)).collect()
}

fn summarise_strategy(name: &str, sessions: &[&SessionReport]) -> StrategySummary {
    let figures: Vec<&Figures> = sessions.iter().filter_map(|session| session.strategies.get(name)).collect();
    let known =
        |measure: fn(&Figures) -> Option<f64>| Quartiles::of(figures.iter().filter_map(|figures| measure(figures)));
    let over = |measure: fn(&Figures) -> f64| Quartiles::of(figures.iter().map(|figures| measure(figures)));
    StrategySummary {
        name: name.to_owned(),
        sessions: figures.len(),
        vs_append: over(|figures| figures.vs_append),
        repaired_vs_append: over(|figures| figures.repaired_vs_append),
        repairs_per_call: over(|figures| figures.repairs_per_call),
        recall: over(|figures| figures.recall),
        pointer_recall: over(|figures| figures.pointer_recall),
        direct_pointer_recall: over(|figures| figures.direct_pointer_recall),
        path_recall: known(|figures| figures.recall_by_kind.path),
        symbol_recall: known(|figures| figures.recall_by_kind.symbol),
        edit_line_recall: known(|figures| figures.recall_by_kind.edit_line),
        prefix_reuse: over(|figures| figures.prefix_reuse),
        context_mean: over(|figures| figures.context_mean),
        context_peak: over(|figures| figures.context_peak as f64),
        task_snr: over(|figures| figures.task_snr),
        folds: over(|figures| figures.folds as f64),
        competitive_ratio: known(|figures| figures.competitive_ratio),
        total: Totals {
            cost: figures.iter().map(|figures| figures.cost).sum(),
            repaired: figures.iter().map(|figures| figures.repaired).sum(),
            cost_usd: figures.iter().map(|figures| figures.cost_usd).sum(),
            repaired_usd: figures.iter().map(|figures| figures.repaired_usd).sum(),
            over_window: figures.iter().map(|figures| figures.over_window).sum(),
            refused: figures.iter().map(|figures| figures.refused).sum(),
            invalid_views: figures.iter().map(|figures| figures.invalid_views).sum(),
            evidence: figures.iter().map(|figures| figures.evidence).fold(1.0, f64::min),
        },
        cheapest: in_the_running(name).then(|| count_cheapest(name, sessions)),
    }
}

fn count_cheapest(name: &str, sessions: &[&SessionReport]) -> Cheapest {
    let mut cheapest = Cheapest::default();
    for session in sessions {
        let Some(own) = session.strategies.get(name) else { continue };
        let others = session.strategies.iter().filter(|(other, _)| *other != name && in_the_running(other));
        let others = others.map(|(_, figures)| figures.repaired);
        let Some(best) = others.chain(paid_beside(session, own)).min_by(f64::total_cmp) else { continue };
        let won = usize::from(own.repaired < best);
        let tied = usize::from(own.repaired == best);
        cheapest.sessions += 1;
        cheapest.won += won;
        cheapest.tied += tied;
        if session.calls >= LONG_SESSION_CALLS {
            cheapest.long_sessions += 1;
            cheapest.long_won += won;
            cheapest.long_tied += tied;
        }
    }
    cheapest
}

/// What the agent paid, in the unit of a strategy's cost: no strategy is the cheapest that costs more.
fn paid_beside(session: &SessionReport, figures: &Figures) -> Option<f64> {
    let (paid, usd) = (session.paid_for_all()?, figures.repaired_usd.filter(|usd| *usd > 0.0)?);
    Some(if is_less(paid, usd) || is_less(usd, paid) { paid / usd * figures.repaired } else { figures.repaired })
}

/// Sums of the same dollars in another order differ behind their ninth figure.
pub fn is_less(one: f64, other: f64) -> bool {
    one < other * (1.0 - 1e-9)
}

fn sum_checks(report: &Report) -> Vec<ProviderCheck> {
    let mut providers: BTreeMap<&str, ProviderCheck> = BTreeMap::new();
    for session in report.sessions.iter().filter_map(|session| session.check.as_ref()) {
        let provider = || ProviderCheck { provider: session.provider.clone(), sessions: 0, check: Check::default() };
        let sum = providers.entry(&session.provider).or_insert_with(provider);
        sum.sessions += 1;
        sum.check += session.check;
    }
    providers.into_values().collect()
}

/// Median and quartiles, by linear interpolation between neighbours: of 1, 2, 4, 8 the quartiles are 1.75, 3 and 5.
#[derive(Debug, Clone, Copy, PartialEq)]
#[allow(missing_docs, reason = "its line says it")]
pub struct Quartiles {
    pub low: f64,
    pub median: f64,
    pub high: f64,
}

impl Quartiles {
    /// None where no value is a number: a session without a single need has no recall.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut values: Vec<f64> = values.into_iter().filter(|value| value.is_finite()).collect();
        if values.is_empty() {
            return None;
        }
        values.sort_by(f64::total_cmp);
        Some(Self { low: at(&values, 0.25), median: at(&values, 0.5), high: at(&values, 0.75) })
    }
}

/// `sorted` is not empty.
fn at(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let below = place.floor() as usize;
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + (sorted[above] - sorted[below]) * (place - below as f64)
}

#[cfg(test)]
mod tests;
