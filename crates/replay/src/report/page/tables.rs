//! The tables: strategies of a group, the check, every session, the most expensive moments.

use super::{
    html::{
        Cell, Column,
        Kind::{Number, Text},
        Table, escape, spread,
    },
    look,
};
use crate::{
    check::Misses,
    parameters::DEAREST_CALLS,
    report::{
        Bills, Moment, Report, SessionReport, numbers,
        summary::{APPEND, Group, LOOKBACK, ProviderCheck, Quartiles, StrategySummary, Summary, in_the_running},
    },
};

/// A column of numbers: its title, what that means for whoever points at it, and its cell in a row.
type Measure<R> = (&'static str, &'static str, fn(&R) -> String);

/// What matters most.
const MAIN: [Measure<StrategySummary>; 8] = [
    ("cost after repairs", "median over sessions, append = 1; quartiles beside it", |s| ratio(s.repaired_vs_append)),
    ("cost", "without repairs, append = 1", |s| ratio(s.vs_append)),
    ("recall", "share of needed items that were in view", |s| percent(s.recall)),
    ("repairs per call", "how often something had to be recalled", |s| ratio(s.repairs_per_call)),
    ("context mean", "tokens per prompt", |s| tokens(s.context_mean)),
    ("folds", "how often old steps became a block or a summary, per session", |s| tokens(s.folds)),
    ("dollars", "all sessions together, without repairs", dollars),
    ("cheapest on", "sessions where no other strategy was as cheap after repairs", cheapest_on),
];

/// The rest, with the cost beside it once more: prefix reuse alone would mislead.
const MORE: [Measure<StrategySummary>; 12] = [
    ("cost after repairs", "append = 1", |s| ratio(s.repaired_vs_append)),
    ("prefix reuse", "share of input tokens read from the cache", |s| percent(s.prefix_reuse)),
    ("context peak", "tokens of the largest prompt", |s| tokens(s.context_peak)),
    ("pointer recall", "share of needed items in view or behind a pointer", |s| percent(s.pointer_recall)),
    ("direct pointer recall", "the same with pointers to at most 200 lines", |s| percent(s.direct_pointer_recall)),
    ("recall of paths", "", |s| percent(s.path_recall)),
    ("recall of symbols", "", |s| percent(s.symbol_recall)),
    ("recall of edit lines", "lines that an edit replaces", |s| percent(s.edit_line_recall)),
    ("task signal", "share of the view that the next 20 steps need (Task-SNR)", |s| percent(s.task_snr)),
    ("competitive ratio", "the planner's bill / that of the best cuts in hindsight", |s| ratio(s.competitive_ratio)),
    ("evidence", "worst session: share of facts and anchors that resolve", |s| numbers::percent(s.total.evidence)),
    ("refused", "facts that were refused for want of evidence", |s| numbers::count(s.total.refused)),
];

const CHECK: [Measure<ProviderCheck>; 6] = [
    ("sessions", "with a recorded bill", |p| numbers::count(p.sessions as u64)),
    ("calls compared", "first calls and calls after a compaction left out", |p| numbers::count(p.check.calls)),
    ("billed as cached", "tokens", |p| numbers::tokens(p.check.billed_cached as f64)),
    ("predicted otherwise", "tokens: the differences of all calls, added up", |p| {
        numbers::tokens(p.check.error_tokens as f64)
    }),
    ("error", "predicted otherwise / billed as cached", |p| {
        p.check.error().map_or("–".to_owned(), |error| format!("{:.2}%", error * 100.0))
    }),
    ("unexplained misses", "calls billed below half of the prediction; not in the error", misses),
];

fn ratio(quartiles: Option<Quartiles>) -> String {
    spread(quartiles, numbers::ratio)
}

fn percent(quartiles: Option<Quartiles>) -> String {
    spread(quartiles, numbers::percent)
}

fn tokens(quartiles: Option<Quartiles>) -> String {
    spread(quartiles, numbers::tokens)
}

fn dollars(strategy: &StrategySummary) -> String {
    strategy.total.cost_usd.map_or("–".to_owned(), numbers::dollars)
}

fn cheapest_on(strategy: &StrategySummary) -> String {
    strategy.cheapest.map_or("apart".to_owned(), |cheapest| match cheapest.tied {
        0 => format!("{} of {}", cheapest.won, cheapest.sessions),
        tied => format!("{} of {} <small>{tied} tied</small>", cheapest.won, cheapest.sessions),
    })
}

fn misses(provider: &ProviderCheck) -> String {
    let Misses { count, tokens } = provider.check.unexplained;
    let both = || format!("{} <small>{} tokens</small>", numbers::count(count), numbers::tokens(tokens as f64));
    if count == 0 { "none".to_owned() } else { both() }
}

/// Rows come with their class and name.
fn measures<'r, R: 'r>(
    label: &str,
    first: &'static str,
    measures: &[Measure<R>],
    rows: impl Iterator<Item = (&'r R, &'static str, String)>,
) -> String {
    let columns = measures.iter().map(|(title, meaning, _)| Column(Number, title, meaning));
    let columns: Vec<Column> = [Column(Text, first, "")].into_iter().chain(columns).collect();
    let mut table = Table::new(label, &columns);
    for (row, class, name) in rows {
        table.row(class, &name, measures.iter().map(|(.., cell)| Cell::Number(cell(row))));
    }
    table.finish()
}

pub(super) fn strategies(group: &Group) -> String {
    measures("Strategies", "strategy", &MAIN, group.strategies.iter().map(strategy_row))
}

pub(super) fn more_measures(group: &Group) -> String {
    measures("More measures", "strategy", &MORE, group.strategies.iter().map(strategy_row))
}

pub(super) fn checks(summary: &Summary) -> String {
    let rows = summary.checks.iter().map(|provider| (provider, "", escape(&provider.provider)));
    measures("The check", "provider", &CHECK, rows)
}

fn strategy_row(strategy: &StrategySummary) -> (&StrategySummary, &'static str, String) {
    (strategy, if strategy.name == LOOKBACK { "ours" } else { "" }, name(&strategy.name))
}

/// What a reader must know before trusting a group's figures; empty where there is nothing.
pub(super) fn warnings(group: &Group) -> Vec<String> {
    let mut warnings = Vec::new();
    for strategy in &group.strategies {
        let (name, total) = (escape(&strategy.name), &strategy.total);
        if total.over_window > 0 {
            let views = numbers::counted(total.over_window, "prompt");
            warnings.push(format!("{name}: {views} would not have fitted into the model's window."));
        }
        if total.invalid_views > 0 {
            let views = numbers::counted(total.invalid_views, "prompt");
            warnings.push(format!("{name}: {views} would have been refused by the provider."));
        }
        if total.evidence < 1.0 {
            let share = numbers::percent(total.evidence);
            warnings.push(format!("{name}: in one session only {share} of facts and anchors resolve."));
        }
    }
    warnings
}

pub(super) fn sessions(report: &Report, summary: &Summary) -> String {
    let mut table = Table::new(
        "Every session",
        &[
            Column(Text, "session", "file"),
            Column(Number, "calls", ""),
            Column(Number, "after repairs", "append = 1"),
            Column(Number, "recall", ""),
            Column(Number, "repairs per call", ""),
            Column(Number, "folds", ""),
            Column(Text, "cheapest", "after repairs, the oracle and lookback-fixed apart"),
            Column(Number, "append", "cost in uncached-input tokens"),
            Column(Number, "billed", "by the provider, as recorded, in uncached-input tokens"),
            Column(Number, "predicted", "by the cache model for the prompts really sent"),
            Column(Text, "format", "whose file it is"),
            Column(Text, "model", "of the first call"),
            Column(Text, "prices", "the card by which it was billed here"),
        ],
    );
    for group in &summary.groups {
        let leading = group.leading().map(|strategy| strategy.name.as_str());
        for place in &group.members {
            let session = &report.sessions[*place];
            table.row("", &file(&session.file), session_cells(session, leading));
        }
    }
    table.finish()
}

fn session_cells(session: &SessionReport, leading: Option<&str>) -> Vec<Cell> {
    let none = || "–".to_owned();
    let own = leading.and_then(|name| session.strategies.get(name));
    let append = session.strategies.get(APPEND);
    let running = session.strategies.iter().filter(|(name, _)| in_the_running(name));
    let cheapest = running.min_by(|(_, one), (_, other)| one.repaired.total_cmp(&other.repaired));
    let bill = |bills: Option<Bills>| bills.map_or(none(), |bills| numbers::tokens(bills.cost));
    vec![
        Cell::Number(numbers::count(session.calls)),
        Cell::Number(own.map_or(none(), |figures| numbers::ratio(figures.repaired_vs_append))),
        Cell::Number(own.map_or(none(), |figures| numbers::percent(figures.recall))),
        Cell::Number(own.map_or(none(), |figures| numbers::ratio(figures.repairs_per_call))),
        Cell::Number(own.map_or(none(), |figures| numbers::count(figures.folds))),
        Cell::Text(cheapest.map_or(none(), |(name, figures)| {
            format!("{} <small>{}</small>", escape(name), numbers::ratio(figures.repaired_vs_append))
        })),
        Cell::Number(append.map_or(none(), |figures| numbers::tokens(figures.cost))),
        Cell::Number(bill(session.billed)),
        Cell::Number(bill(session.predicted)),
        Cell::Text(session.format.label().to_owned()),
        Cell::Text(session.model.as_deref().map_or(none(), escape)),
        Cell::Text(escape(&session.prices)),
    ]
}

/// The most expensive moments of all sessions, with their reasons; none where no session has any.
pub(super) fn moments(report: &Report) -> Option<String> {
    let mut moments: Vec<(&Moment, u64)> = Vec::new();
    for session in &report.sessions {
        moments.extend(session.pictures.dearest.iter().map(|moment| (moment, session.calls)));
    }
    if moments.is_empty() {
        return None;
    }
    moments.sort_by(|(one, _), (other, _)| {
        other.cost.total_cmp(&one.cost).then_with(|| (&one.file, one.call).cmp(&(&other.file, other.call)))
    });
    moments.truncate(DEAREST_CALLS);
    let mut table = Table::new(
        "The most expensive moments",
        &[
            Column(Text, "place", "1 is the dearest"),
            Column(Text, "why", "what made this call dear"),
            Column(Number, "cost", "of this one call, with compactor and repairs, in uncached-input tokens"),
            Column(Number, "of its session", "share of the session's whole bill"),
            Column(Number, "prompt", "tokens of the prompt"),
            Column(Text, "call", "which call of the session"),
            Column(Text, "session", ""),
        ],
    );
    for (place, (moment, calls)) in moments.into_iter().enumerate() {
        table.row(
            "",
            &format!("{}", place + 1),
            [
                Cell::Text(format!("<span class=\"why\">{}</span>", escape(&moment.why))),
                Cell::Number(numbers::tokens(moment.cost)),
                Cell::Number(numbers::percent(moment.share)),
                Cell::Number(numbers::tokens(moment.context as f64)),
                Cell::Text(format!("{} of {}", numbers::count(moment.call as u64 + 1), numbers::count(calls))),
                Cell::Text(file(&moment.file)),
            ],
        );
    }
    Some(table.finish())
}

/// A strategy's name with its shape.
pub(super) fn name(strategy: &str) -> String {
    format!(
        "<svg class=\"key full {}\" width=\"16\" height=\"16\" aria-hidden=\"true\">{}</svg>{}",
        look::class(strategy),
        look::shape(strategy, 8.0, 8.0, 5.5),
        escape(strategy)
    )
}

/// The last two parts of a path tell sessions apart; the rest is there for whoever points at it.
pub(super) fn file(path: &str) -> String {
    let mut parts = path.rsplit(['/', '\\']);
    let last = parts.next().unwrap_or(path);
    let short = match parts.next() {
        Some(parent) if !parent.is_empty() => format!("{parent}/{last}"),
        _ => last.to_owned(),
    };
    format!("<span class=\"file\" title=\"{}\">{}</span>", escape(path), escape(&short))
}
