//! The tables: what was paid, strategies of a group, the check, every session.

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
    measure::Figures,
    recording::Format,
    report::{
        PAID, Report, SessionReport,
        money::Money,
        numbers,
        summary::{
            APPEND, AsPaid, Group, LOOKBACK, ProviderCheck, Quartiles, StrategySummary, Summary, in_the_running,
            is_less,
        },
    },
};

/// A column of numbers: its title, what that means for whoever points at it, and its cell in a row.
type Measure<R> = (&'static str, &'static str, fn(&R) -> String);

/// The same of a strategy beside what was paid.
type Main = (&'static str, &'static str, fn(&StrategySummary, &Money) -> String);

/// What matters most.
const MAIN: [Main; 8] = [
    ("dollars", "all sessions together, look-ups included", |s, _| dollars(s.total.repaired_usd)),
    ("of paid", "the share of what was paid", |s, money| of_paid(s.total.repaired_usd, money)),
    ("of append", "cost with look-ups, append = 1", |s, _| ratio(s.repaired_vs_append)),
    ("recall", "share of needed items that were in view", |s, _| percent(s.recall)),
    ("look-ups in 100", "how often something had to be fetched again, in the median session", |s, _| {
        in_100(s.repairs_per_call)
    }),
    ("context", "tokens per prompt, the mean", |s, _| tokens(s.context_mean)),
    ("folds", "how often old steps became a block or a summary, per session", |s, _| tokens(s.folds)),
    ("cheapest on", "sessions where nothing else was as cheap with look-ups, what was paid included", |s, _| {
        cheapest_on(s)
    }),
];

/// The rest, with the cost beside it once more: prefix reuse alone would mislead.
const MORE: [Measure<StrategySummary>; 13] = [
    ("of append", "cost with look-ups, append = 1", |s| ratio(s.repaired_vs_append)),
    ("without look-ups", "cost, append = 1", |s| ratio(s.vs_append)),
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

const AGENTS: [Measure<Money>; 7] = [
    ("sessions", "", |money| numbers::count(money.sessions)),
    ("calls", "", |money| numbers::count(money.calls)),
    ("paid", "as recorded, at the prices of the API", |money| {
        let estimated = match money.is_about() {
            true => format!(" <small>~ {} estimated</small>", numbers::dollars(money.estimated())),
            false => String::new(),
        };
        format!("{}{estimated}", numbers::dollars(money.paid))
    }),
    ("with whole answers", "some clients write down a part of their output tokens", |money| {
        numbers::dollars(money.whole)
    }),
    ("with Lookback", "look-ups included", |money| dollars(money.lookback)),
    ("of paid", "with whole answers", |money| {
        money.share().map_or("–".to_owned(), |share| format!("{:.0}%", share * 100.0))
    }),
    ("look-ups in 100 calls", "how often something had to be fetched again, over all calls", |money| {
        format!("{:.0}", money.look_ups_in_100())
    }),
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

fn dollars(sum: Option<f64>) -> String {
    sum.map_or("–".to_owned(), numbers::dollars)
}

fn of_paid(sum: Option<f64>, money: &Money) -> String {
    let sum = sum.filter(|_| !money.is_estimate() && money.whole > 0.0);
    sum.map_or("–".to_owned(), |sum| format!("{:.0}%", sum / money.whole * 100.0))
}

fn in_100(quartiles: Option<Quartiles>) -> String {
    spread(quartiles, |share| format!("{:.0}", share * 100.0))
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

fn table_of<F>(label: &str, first: &'static str, measures: &[(&'static str, &'static str, F)]) -> Table {
    let columns = measures.iter().map(|(title, meaning, _)| Column(Number, title, meaning));
    let columns: Vec<Column> = [Column(Text, first, "")].into_iter().chain(columns).collect();
    Table::new(label, &columns)
}

fn cells<R>(measures: &[Measure<R>], row: &R) -> Vec<Cell> {
    measures.iter().map(|(.., cell)| Cell::Number(cell(row))).collect()
}

pub(super) fn strategies(group: &Group) -> String {
    let mut table = table_of("Strategies", "strategy", &MAIN);
    let money = &group.money;
    for (place, strategy) in group.strategies.iter().enumerate() {
        let cells = MAIN.iter().map(|(.., cell)| Cell::Number(cell(strategy, money)));
        table.row(class(strategy), &name(&strategy.name), cells);
        if place == 0 && !money.is_estimate() {
            let cells = MAIN.iter().map(|(title, ..)| Cell::Number(paid(title, money, group.paid)));
            table.row("", &name(PAID), cells);
        }
    }
    table.finish()
}

/// Of what was really billed nobody knows what it had in view.
fn paid(title: &str, money: &Money, paid: Option<AsPaid>) -> String {
    let known = match title {
        "dollars" => Some(numbers::dollars(money.whole)),
        "of paid" => Some("100%".to_owned()),
        "of append" => paid.map(|paid| numbers::ratio(paid.of_append)),
        "context" => paid.map(|paid| numbers::tokens(paid.context)),
        _ => None,
    };
    known.unwrap_or_else(|| "–".to_owned())
}

pub(super) fn more_measures(group: &Group) -> String {
    let mut table = table_of("More measures", "strategy", &MORE);
    group
        .strategies
        .iter()
        .for_each(|strategy| table.row(class(strategy), &name(&strategy.name), cells(&MORE, strategy)));
    table.finish()
}

fn class(strategy: &StrategySummary) -> &'static str {
    if strategy.name == LOOKBACK { "ours" } else { "" }
}

/// Agent by agent, what the first sentence says over all.
pub(super) fn agents(agents: &[(Format, Money)]) -> String {
    let mut table = table_of("What was paid", "agent", &AGENTS);
    for (format, money) in agents {
        let doubt = if money.not_understood > 0 { "* <small class=\"about\">cache not understood</small>" } else { "" };
        table.row("", &format!("{}{doubt}", format.label()), cells(&AGENTS, money));
    }
    table.finish()
}

pub(super) fn checks(summary: &Summary) -> String {
    let mut table = table_of("The check", "provider", &CHECK);
    summary.checks.iter().for_each(|provider| table.row("", &escape(&provider.provider), cells(&CHECK, provider)));
    table.finish()
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
            Column(Text, "session", "file, agent, model and prices"),
            Column(Number, "calls", ""),
            Column(Number, "paid", "with whole answers; ~ without bills, as if everything had been sent"),
            Column(Number, "with it", "by the strategy, look-ups included"),
            Column(Number, "of paid", ""),
            Column(Number, "recall", ""),
            Column(Number, "look-ups", "in the whole session"),
            Column(Number, "folds", ""),
            Column(Text, "cheapest", "with look-ups or as paid, against append; the oracle and lookback-fixed apart"),
        ],
    );
    for group in &summary.groups {
        let leading = group.leading().map(|strategy| strategy.name.as_str());
        for place in &group.members {
            let session = &report.sessions[*place];
            let model = session.model.as_deref().map_or(String::new(), |model| format!(" · {}", escape(model)));
            let about = format!("{}{model} · {}", session.agent.label(), escape(&session.prices));
            let name = format!("{}<small class=\"about\">{about}</small>", file(&session.file));
            table.row("", &name, session_cells(session, leading));
        }
    }
    table.finish()
}

fn session_cells(session: &SessionReport, leading: Option<&str>) -> Vec<Cell> {
    let none = || "–".to_owned();
    let own = leading.and_then(|name| session.strategies.get(name));
    let money = Money::of([session]);
    let running = session.strategies.iter().filter(|(name, _)| in_the_running(name));
    let cheapest = running.min_by(|(_, one), (_, other)| one.repaired.total_cmp(&other.repaired));
    let append = session.strategies.get(APPEND).and_then(|append| append.cost_usd).filter(|usd| *usd > 0.0);
    let paid = session.paid_for_all().zip(append).map(|(paid, append)| (PAID, paid / append));
    let cheapest = cheapest.map(|(name, figures)| (name.as_str(), figures.repaired_vs_append));
    let paid = paid.filter(|paid| cheapest.is_none_or(|best| is_less(paid.1, best.1)));
    let cheapest = paid.or(cheapest);
    let with = own.and_then(|figures| figures.repaired_usd);
    let share = with.filter(|_| money.whole > 0.0).map(|with| format!("{:.0}%", with / money.whole * 100.0));
    let look_ups = |figures: &Figures| (figures.repairs_per_call * session.calls as f64).round() as u64;
    vec![
        Cell::Number(numbers::count(session.calls)),
        Cell::Number(format!("{}{}", if money.is_about() { "~" } else { "" }, numbers::dollars(money.whole))),
        Cell::Number(dollars(with)),
        Cell::Number(share.unwrap_or_else(none)),
        Cell::Number(own.map_or(none(), |figures| numbers::percent(figures.recall))),
        Cell::Number(own.map_or(none(), |figures| numbers::count(look_ups(figures)))),
        Cell::Number(own.map_or(none(), |figures| numbers::count(figures.folds))),
        Cell::Text(cheapest.map_or(none(), |(name, of_append)| {
            format!("{} <small>{}</small>", escape(name), numbers::ratio(of_append))
        })),
    ]
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
