//! One recorded session under every strategy: what the caller's threads do side by side.
//!
//! Pure: the caller has read the file, brings the counter and the tariff, and puts the reports together.

use std::collections::{BTreeMap, BTreeSet};

use lookback_engine::{Configuration, card::Cards};

use crate::{
    check::{self, check},
    conversation::Conversation,
    measure::{competitive::competitive, figures},
    paid::{dollars, estimated, paid},
    recording::{Item, Recording, Unpriced},
    report::{
        self, SessionReport, UsedCard,
        pictures::{NamedRun, pictures},
    },
    simulate::{self, Run, Tariff},
    strategy::{self, StrategyName},
};

/// What all sessions of a run have in common.
#[derive(Debug, Clone, Copy)]
pub struct Plan<'a> {
    /// Run as well as append, against which all are measured.
    pub strategies: &'a [StrategyName],
    /// For the check: bills were made by the models' own prices, whatever the run is billed by.
    pub cards: &'a Cards,
    /// What the engine's own strategies decide by.
    pub configuration: &'a Configuration,
}

/// A session with its place and its prices.
#[derive(Debug)]
pub struct Job<'a> {
    /// As the report names it.
    pub file: String,
    /// What happened.
    pub recording: &'a Recording,
    /// By which every strategy is billed.
    pub tariff: &'a Tariff,
    /// Whose prices these are.
    pub card: UsedCard,
    /// Items that another session of the run was billed for already: they are replayed, since what follows rests on them,
    /// and stand in no figure.
    pub copied: &'a BTreeSet<usize>,
}

/// A view that its provider would have refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidView {
    /// Whose view it was.
    pub strategy: StrategyName,
    /// Counted from 1.
    pub call: usize,
    /// As the provider's rules say it.
    pub reason: String,
}

/// The report of a session, and the first invalid view of each strategy.
#[derive(Debug)]
#[allow(missing_docs, reason = "its line says it")]
pub struct Replayed {
    pub report: SessionReport,
    pub invalid: Vec<InvalidView>,
}

/// Runs all strategies of the plan over one session.
pub fn replay(job: &Job<'_>, plan: Plan<'_>, count: &dyn Fn(&[u8]) -> u32) -> Replayed {
    let Job { file, recording, tariff, card, copied } = job;
    let mut conversation = Conversation::new(recording, count);
    let mut runs = run_all(&conversation, tariff, plan, count);
    let invalid = first_invalid(&runs);
    let checked = check(&conversation, plan.cards, copied);
    let lookback = plan.strategies.contains(&StrategyName::Lookback);
    let against_best = lookback.then(|| competitive(&conversation, tariff, plan.configuration)).flatten();
    leave_out(copied, &mut conversation, &mut runs);
    let append_run = runs.iter().find(|(name, _)| *name == StrategyName::Append).map(|(_, run)| run);
    let append = append_run.map(|run| figures(run, &conversation, tariff, None));
    let append_cost = append.as_ref().map(|append| append.cost);
    let mut strategies = BTreeMap::new();
    for (name, run) in &runs {
        let mut figures = match (name, &append) {
            (StrategyName::Append, Some(append)) => append.clone(),
            _ => figures(run, &conversation, tariff, append_cost),
        };
        if *name == StrategyName::Lookback {
            figures.competitive_ratio = against_best.map(|competitive| competitive.ratio);
        }
        strategies.insert(name.name().to_owned(), figures);
    }
    let named: Vec<NamedRun<'_>> = runs.iter().map(|(name, run)| (name.name(), run)).collect();
    let paid = paid(&conversation, copied, tariff);
    let estimated = append_run.and_then(|append| estimated(&conversation, append, tariff));
    let pictures = pictures(file, &named, &conversation, tariff, [paid.as_ref(), estimated.as_ref()]);
    let mut unpriced = Unpriced::default();
    conversation.calls.iter().for_each(|call| unpriced.add(&call.recorded.unpriced));
    let report = SessionReport {
        file: file.clone(),
        format: recording.format,
        agent: recording.agent(),
        calls: conversation.calls.len() as u64,
        model: recording.model().map(str::to_owned),
        prices: card.label(),
        card: card.clone(),
        strategies,
        paid_usd: paid.as_ref().map(|paid| paid.usd),
        paid_whole_usd: paid.as_ref().map(|paid| paid.whole_usd),
        paid,
        estimated_usd: estimated.as_ref().map(|estimated| estimated.usd),
        estimated,
        unpriced,
        borrowed_usd: borrowed(job),
        billed: checked.map(|checked| checked.billed),
        predicted: checked.map(|checked| checked.predicted),
        check: checked.map(|checked| report_check(checked.check, recording, plan.cards)),
        competitive: against_best,
        pictures,
    };
    Replayed { report, invalid }
}

/// Dollars of the calls at another model's prices. Copies were paid elsewhere.
fn borrowed(job: &Job<'_>) -> f64 {
    let items = job.recording.items.iter().enumerate().filter(|(place, _)| !job.copied.contains(place));
    let calls = items.filter_map(|(_, item)| if let Item::Call(call) = item { Some(call) } else { None });
    let borrowing =
        calls.filter(|call| call.model.as_ref().is_some_and(|model| job.card.borrowing.contains_key(model)));
    let bills = borrowing.filter_map(|call| Some((call.billed?, &job.tariff.of(call.model.as_deref()).card)));
    bills.map(|(billed, card)| dollars(&billed, card)).sum()
}

type Runs = Vec<(StrategyName, Run)>;

fn run_all(conversation: &Conversation<'_>, tariff: &Tariff, plan: Plan<'_>, count: &dyn Fn(&[u8]) -> u32) -> Runs {
    let run = |&name: &StrategyName| {
        let mut strategy = strategy::build(name, conversation, tariff, plan.configuration, count);
        (name, simulate::run(&mut *strategy, conversation, tariff))
    };
    plan.strategies.iter().map(run).collect()
}

fn leave_out(copied: &BTreeSet<usize>, conversation: &mut Conversation<'_>, runs: &mut Runs) {
    let counts: Vec<bool> = conversation.calls.iter().map(|call| !copied.contains(&call.item)).collect();
    let mut each = counts.iter();
    conversation.calls.retain(|_| each.next() == Some(&true));
    for (_, run) in runs {
        let mut each = counts.iter();
        run.calls.retain(|_| each.next() == Some(&true));
    }
}

fn first_invalid(runs: &Runs) -> Vec<InvalidView> {
    let first = |(strategy, run): &(StrategyName, Run)| {
        let refused = run.calls.iter().enumerate().find_map(|(call, run)| Some((call, run.invalid.clone()?)));
        refused.map(|(call, reason)| InvalidView { strategy: *strategy, call: call + 1, reason })
    };
    runs.iter().filter_map(first).collect()
}

/// Under the name of the provider that sent the bill.
fn report_check(check: check::Check, recording: &Recording, cards: &Cards) -> report::Check {
    let model = recording.model().or_else(|| check::usual_model(recording.agent()));
    let card = model.and_then(|model| cards.find(model));
    report::Check { provider: card.map_or("unknown", |card| card.provider.as_str()).to_owned(), check }
}
