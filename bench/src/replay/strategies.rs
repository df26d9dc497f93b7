//! All strategies side by side: what showing a call takes, and what billing and judging it takes.

use std::time::Duration;

use lookback_engine::Configuration;
use lookback_replay::{
    conversation::Conversation,
    simulate::{self, Tariff},
    strategy::{StrategyName, build},
};

use super::{Group, Stopwatch};
use crate::{
    figures::{microseconds, ratio, thousands, timed},
    table::Table,
};

/// Sums over all calls, in the order of the strategies' table.
#[derive(Debug, Default)]
pub(super) struct Shows {
    calls: u64,
    rows: [Row; StrategyName::ALL.len()],
}

#[derive(Debug, Default)]
struct Row {
    /// Making a strategy and asking it for every view.
    showing: Duration,
    counting: Duration,
    /// The same with bill, needs, validity and Task-SNR.
    running: Duration,
}

impl Shows {
    pub(super) fn add(&mut self, conversation: &Conversation<'_>, tariff: &Tariff) {
        let configuration = Configuration::default();
        self.calls += conversation.calls.len() as u64;
        for (name, row) in StrategyName::ALL.into_iter().zip(&mut self.rows) {
            let stopwatch = Stopwatch::default();
            let count = |text: &[u8]| stopwatch.count(text);
            let make = |name| build(name, conversation, tariff, &configuration, &count);
            let ((), took) = timed(|| {
                let mut strategy = make(name);
                (0..conversation.calls.len()).for_each(|call| drop(strategy.show(call)));
            });
            let counting = stopwatch.lap();
            row.counting += counting;
            row.showing += took.saturating_sub(counting);
            let (_, took) = timed(|| simulate::run(&mut *make(name), conversation, tariff));
            row.running += took.saturating_sub(stopwatch.lap());
        }
    }
}

pub(super) fn table(shows: &Shows, groups: &[Group]) -> Table {
    let groups: Vec<&str> = groups.iter().map(|group| group.name.as_str()).collect();
    let note = format!(
        "Mean µs per call over {} calls of {}, counting (each text once for a session) left out and beside it. \
         \"View\" is everything that the strategy does for a call; what comes on top in a whole run (`simulate::run`) is the bill, the search for needs, validity and \
         Task-SNR. `append`, which is run first, pays there for what all need \
         once: which lines later steps use. `oracle` tries many intervals over the whole session before its first view.",
        thousands(shows.calls),
        groups.join(", "),
    );
    let columns = ["strategy", "view µs/call", "to append", "counting µs/call", "whole run µs/call", "run / view"];
    let mut table = Table::new("One call of every strategy in replay", note, &columns);
    let per_call = |duration: Duration| duration.as_secs_f64() / shows.calls as f64;
    let append = per_call(shows.rows[0].showing);
    for (name, row) in StrategyName::ALL.into_iter().zip(&shows.rows) {
        let (showing, running) = (per_call(row.showing), per_call(row.running));
        table.row([
            name.name().to_owned(),
            microseconds(showing),
            ratio(showing / append),
            microseconds(per_call(row.counting)),
            microseconds(running),
            ratio(running / showing),
        ]);
    }
    table
}
