//! The engine in a replay: planner, fold and view of each call, with the token counter's time left out.

use anyhow::Result;
use lookback_engine::Configuration;
use lookback_replay::{
    conversation::Conversation,
    simulate::Tariff,
    strategy::driven::{Driven, Powers},
};

use super::{Group, Stopwatch};
use crate::{
    figures::{Samples, microseconds, ratio, thousands, timed, verdict},
    table::Table,
};

/// Seconds, on average over calls.
const TARGET: f64 = 100e-6;

#[derive(Debug, Default)]
pub(super) struct Calls {
    /// Recording what came before a call, and counting in it.
    feeding: Samples,
    feeding_counted: Samples,
    /// Planner, fold and view without counting; where nothing was folded, and where something was.
    all: Samples,
    holding: Samples,
    folding: Samples,
    counting: Samples,
}

impl Calls {
    pub(super) fn add(&mut self, conversation: &Conversation<'_>, tariff: &Tariff) -> Result<()> {
        let stopwatch = Stopwatch::default();
        let count = |text: &[u8]| stopwatch.count(text);
        let configuration = Configuration::default();
        let mut driven = Driven::new(conversation, Powers::Planned, tariff, configuration, &count);
        stopwatch.lap();
        for call in 0..conversation.calls.len() {
            let (fed, took) = timed(|| driven.feed(call));
            fed?;
            let counting = stopwatch.lap();
            self.feeding.push(took.saturating_sub(counting));
            self.feeding_counted.push(counting);
            let (opened, took) = timed(|| driven.open(call));
            let opened = opened?;
            let counting = stopwatch.lap();
            let took = took.saturating_sub(counting);
            self.counting.push(counting);
            self.all.push(took);
            if opened.folded.is_some() { &mut self.folding } else { &mut self.holding }.push(took);
        }
        Ok(())
    }
}

pub(super) fn table(rows: &[(&Group, Calls)]) -> Table {
    let note = format!(
        "`Driven::open`: planner, fold and view of strategy `lookback` at the prices of each format, less the time spent \
         in the token counter (o200k, each text once), which stands beside it. \"Feed\" is recording the step before, without \
         counting, too. Means over calls, µs. Target: the mean below {} µs.",
        microseconds(TARGET),
    );
    let columns = [
        "sessions of",
        "calls",
        "planner, fold, view",
        "p95",
        "max",
        "where it holds",
        "where it folds",
        "folds",
        "fold / hold",
        "its counting",
        "feed",
        "its counting",
        "target",
    ];
    let mut table = Table::new("One call of `lookback` in replay", note, &columns);
    let mean = |samples: &Samples| if samples.len() == 0 { "–".to_owned() } else { microseconds(samples.mean()) };
    for (group, calls) in rows {
        let folds_to_holds = match calls.folding.len() {
            0 => "–".to_owned(),
            _ => ratio(calls.folding.mean() / calls.holding.mean()),
        };
        table.row([
            group.name.clone(),
            thousands((calls.all.len() / group.times) as u64),
            mean(&calls.all),
            microseconds(calls.all.p95()),
            microseconds(calls.all.max()),
            mean(&calls.holding),
            mean(&calls.folding),
            (calls.folding.len() / group.times).to_string(),
            folds_to_holds,
            mean(&calls.counting),
            mean(&calls.feeding),
            mean(&calls.feeding_counted),
            verdict(calls.all.mean() < TARGET),
        ]);
    }
    table
}
