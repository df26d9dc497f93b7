//! The table of a replay: medians over the sessions of one format at the same prices.

use std::io::{self, Write};

use lookback_replay::{
    report::{
        PAID, Report, SessionReport,
        money::Money,
        numbers::dollars,
        summary::{
            APPEND, AsPaid, Cheapest, Group, LOOKBACK, Quartiles, StrategySummary, Summary, in_the_running, is_less,
        },
    },
    strategy::StrategyName,
};

use crate::screen::{self, Screen};

const ORACLE: &str = "oracle";

/// From so many sessions on the spread says something.
const SPREAD: usize = 4;

/// One column: its heading, and what is left out first where there is no room (the highest).
struct Column {
    heading: &'static str,
    /// For somebody who sees the table for the first time.
    means: &'static str,
    expendable: u8,
    cell: Cell,
}

type Cell = fn(&StrategySummary, &Money) -> String;

const fn column(heading: &'static str, means: &'static str, expendable: u8, cell: Cell) -> Column {
    Column { heading, means, expendable, cell }
}

/// Only where somebody paid.
const OF_PAID: &str = "of paid";
/// Only where there are enough sessions.
const QUARTILES: &str = "quartiles";

static COLUMNS: [Column; 10] = [
    column("dollars", "all sessions together, look-ups included", 0, |row, _| {
        row.total.repaired_usd.map_or_else(|| "–".into(), dollars)
    }),
    column(OF_PAID, "the share of what was paid", 0, |row, money| {
        let repaired = row.total.repaired_usd.filter(|_| money.whole > 0.0);
        repaired.map_or_else(|| "–".into(), |repaired| percent(repaired / money.whole))
    }),
    column("of append", "median bill, append's being 1", 0, |row, _| ratio(row.repaired_vs_append, 2)),
    column(QUARTILES, "of the bills against append, over the sessions", 7, |row, _| spread(row.repaired_vs_append)),
    column("recall", "of what steps used, the share in view", 0, |row, _| ratio(row.recall, 3)),
    column("look-ups", "in 100 calls, of what steps lacked", 1, |row, _| {
        median(row.repairs_per_call).map_or_else(String::new, |repairs| format!("{:.0}", repairs * 100.0))
    }),
    column("pointer", "in view, or reached by a pointer", 6, |row, _| ratio(row.pointer_recall, 3)),
    column("cached", "of all input, the share read from the cache", 2, |row, _| share(median(row.prefix_reuse))),
    column("context", "tokens of a prompt", 3, |row, _| tokens(median(row.context_mean))),
    column("folds", "how often old steps became a block or a summary", 4, |row, _| folds(row)),
];

fn median(quartiles: Option<Quartiles>) -> Option<f64> {
    quartiles.map(|quartiles| quartiles.median)
}

/// `is_short`: only what a person wants to see first.
pub(super) fn write<W: Write>(
    out: &mut Screen<W>,
    report: &Report,
    summary: &Summary,
    is_short: bool,
    width: usize,
) -> io::Result<()> {
    let mut shown: Vec<&Column> = Vec::new();
    for (place, group) in summary.groups.iter().enumerate() {
        if place > 0 {
            writeln!(out)?;
        }
        let facts = [
            screen::counted(group.members.len() as u64, "session"),
            group.format.label().to_owned(),
            screen::counted(group.calls, "call"),
            format!("prices: {}", group.prices),
        ];
        screen::write_facts(out, " ", &facts, width)?;
        for column in write_group(out, report, group, is_short, width)? {
            if shown.iter().all(|known| known.heading != column.heading) {
                shown.push(column);
            }
        }
    }
    let sums = "dollars and shares of paid are sums, the other columns medians over the sessions".to_owned();
    let meanings = shown.iter().map(|column| format!("{}: {}", column.heading, column.means));
    let meanings: Vec<String> =
        meanings.chain(summary.groups.iter().any(|group| group.members.len() > 1).then_some(sums)).collect();
    let is_shown = |name: &StrategyName| {
        summary.groups.iter().any(|group| in_table(group, is_short).any(|strategy| strategy.name == name.name()))
    };
    let strategies = StrategyName::ALL.iter().filter(|name| is_shown(name));
    let strategies: Vec<String> = strategies.map(|name| format!("{name}: {}", name.means())).collect();
    writeln!(out)?;
    screen::write_facts(out, " ", &strategies, width)?;
    screen::write_facts(out, " ", &meanings, width)?;
    for check in &summary.checks {
        // Without misses the row of the bills has said it.
        let Some(error) = check.check.error().filter(|_| check.check.unexplained.count > 0) else { continue };
        let misses = match check.check.unexplained.count {
            1 => "; 1 miss that no rule explains stands apart".to_owned(),
            misses => format!("; {} misses that no rule explains stand apart", screen::exact(misses)),
        };
        let text = format!(
            "{}'s bills: cached tokens predicted within {} over {}{misses}",
            check.provider,
            share(Some(error)),
            screen::counted(check.check.calls, "call")
        );
        screen::write_wrapped_table(out, &[vec![text]], &[], width)?;
    }
    if let Some(text) = against_best(report) {
        screen::write_wrapped_table(out, &[vec![text]], &[], width)?;
    }
    Ok(())
}

/// How far the planner is from the best cuts that hindsight finds.
fn against_best(report: &Report) -> Option<String> {
    let known = || report.sessions.iter().filter_map(|session| session.competitive);
    let whole = Quartiles::of(known().map(|competitive| competitive.ratio))?.median;
    Some(format!("lookback's bill: {whole:.2} times that of the best moments to fold, known in hindsight (median)"))
}

/// Those that have a row.
fn in_table(group: &Group, is_short: bool) -> impl Iterator<Item = &StrategySummary> {
    let best = group.best_other().map(|other| other.name.as_str());
    let first = [Some(APPEND), best, Some(LOOKBACK), Some(ORACLE)];
    group.strategies.iter().filter(move |strategy| !is_short || first.contains(&Some(&*strategy.name)))
}

/// Gives the columns for which there was room.
fn write_group<W: Write>(
    out: &mut Screen<W>,
    report: &Report,
    group: &Group,
    is_short: bool,
    width: usize,
) -> io::Result<Vec<&'static Column>> {
    let mut rows = rows(report, group);
    rows.retain(|row| row.summary.is_none() || in_table(group, is_short).any(|strategy| strategy.name == row.name));
    let mut columns: Vec<&'static Column> = COLUMNS.iter().collect();
    if group.members.len() < SPREAD {
        columns.retain(|column| column.heading != QUARTILES);
    }
    if group.money.is_estimate() {
        columns.retain(|column| column.heading != OF_PAID);
    }
    let cheapest = cheapest(&rows, &group.money);
    if let Some(row) = cheapest.and_then(|place| rows.get_mut(place)).filter(|row| row.summary.is_none()) {
        let more = if row.note.is_empty() { "" } else { "; " };
        row.note = format!("← cheapest{more}{}", row.note);
    }
    loop {
        let cells = cells(&rows, &columns, &group.money);
        let needed: usize = (0..=columns.len()).map(|place| widest(&cells, place) + 2).sum();
        let expendable = columns.iter().map(|column| column.expendable).max().unwrap_or(0);
        if needed > width + 1 && expendable > 0 {
            columns.retain(|column| column.expendable != expendable);
            continue;
        }
        let right: Vec<usize> = (1..=columns.len()).collect();
        // What is remarkable about a row stands behind it where there is room, else below the table.
        let beside = rows.iter().map(|row| row.note.chars().count()).max().unwrap_or(0) + needed < width;
        let cells: Vec<Vec<String>> = std::iter::once(String::new())
            .chain(rows.iter().map(|row| row.note.clone()))
            .zip(cells)
            .map(|(note, mut cells)| {
                cells.push(if beside { note } else { String::new() });
                cells
            })
            .collect();
        screen::write_marked_table(out, &cells, &right, width, cheapest.map(|row| row + 1))?;
        if !beside {
            for row in rows.iter().filter(|row| !row.note.is_empty()) {
                let note = row.note.trim_start_matches("← ");
                screen::write_wrapped_table(out, &[vec![format!("{}: {note}", row.name)]], &[], width)?;
            }
        }
        return Ok(columns);
    }
}

struct Row<'a> {
    name: String,
    /// None for what was really billed.
    summary: Option<&'a StrategySummary>,
    billed: Option<AsPaid>,
    note: String,
}

fn rows<'a>(report: &Report, group: &'a Group) -> Vec<Row<'a>> {
    let mut rows: Vec<Row<'a>> = group
        .strategies
        .iter()
        .map(|strategy| Row {
            name: strategy.name.clone(),
            summary: Some(strategy),
            billed: None,
            note: note(strategy),
        })
        .collect();
    let sessions: Vec<&SessionReport> = group.members.iter().map(|place| &report.sessions[*place]).collect();
    if let Some(billed) = group.paid.filter(|_| !group.money.is_estimate()) {
        // Beside append, with which it is compared.
        rows.insert(
            rows.len().min(1),
            Row { name: PAID.into(), summary: None, billed: Some(billed), note: noted(&sessions, &group.money) },
        );
    }
    rows
}

fn cells(rows: &[Row<'_>], columns: &[&Column], money: &Money) -> Vec<Vec<String>> {
    let heading = std::iter::once("strategy").chain(columns.iter().map(|column| column.heading));
    let mut cells = vec![heading.map(str::to_owned).collect::<Vec<_>>()];
    cells.extend(rows.iter().map(|row| {
        let figures = columns.iter().map(|column| match (row.summary, row.billed) {
            (Some(summary), _) => (column.cell)(summary, money),
            (None, Some(billed)) => match column.heading {
                "dollars" if !money.is_estimate() => dollars(money.whole),
                OF_PAID => percent(1.0),
                "of append" => format!("{:.2}", billed.of_append),
                "cached" => share(Some(billed.cached)),
                "context" => tokens(Some(billed.context)),
                _ => String::new(),
            },
            (None, None) => String::new(),
        });
        std::iter::once(row.name.clone()).chain(figures).collect()
    }));
    cells
}

/// Whose bill is the smallest of those that one could have had, and of what was paid.
fn cheapest(rows: &[Row<'_>], money: &Money) -> Option<usize> {
    let running = rows.iter().enumerate().filter(|(_, row)| in_the_running(&row.name));
    let priced = running.filter_map(|(place, row)| Some((place, row.summary?.total.repaired_usd?)));
    let best = priced.min_by(|one, other| one.1.total_cmp(&other.1));
    let paid = rows.iter().position(|row| row.summary.is_none());
    paid.filter(|_| best.is_none_or(|(_, usd)| is_less(money.whole, usd))).or(best.map(|(place, _)| place))
}

fn percent(share: f64) -> String {
    format!("{:.0}%", share * 100.0)
}

fn widest(cells: &[Vec<String>], place: usize) -> usize {
    cells.iter().filter_map(|row| row.get(place)).map(|cell| cell.chars().count()).max().unwrap_or(0)
}

/// Where it matters who won.
fn note(strategy: &StrategySummary) -> String {
    let invalid = match strategy.total.invalid_views {
        0 => String::new(),
        views => format!("← {}", screen::counted(views, "invalid view")),
    };
    match strategy.cheapest {
        Some(Cheapest { sessions: 1, won: 1, .. }) if strategy.name == LOOKBACK && invalid.is_empty() => {
            "← cheapest".to_owned()
        }
        Some(Cheapest { sessions, won, .. }) if strategy.name == LOOKBACK && won > 0 && invalid.is_empty() => {
            format!("← cheapest on {won} of {sessions}")
        }
        None if strategy.name == ORACLE => "knows the future".to_owned(),
        _ => invalid,
    }
}

/// What the row of the bills is, where that is not plainly the sum of them.
fn noted(sessions: &[&SessionReport], money: &Money) -> String {
    let whole = money.is_partial().then(|| "with whole answers".to_owned());
    let notes: Vec<String> = whole.into_iter().chain([predicted(sessions)]).filter(|note| !note.is_empty()).collect();
    notes.join("; ")
}

fn predicted(sessions: &[&SessionReport]) -> String {
    let mut sum = lookback_replay::check::Check::default();
    sessions.iter().filter_map(|session| session.check.as_ref()).for_each(|session| sum += session.check);
    match sum.error() {
        Some(error) => format!("predicted within {}", share(Some(error))),
        None => String::new(),
    }
}

fn ratio(value: Option<Quartiles>, digits: usize) -> String {
    value.map_or_else(|| "–".into(), |value| format!("{:.digits$}", value.median))
}

fn spread(value: Option<Quartiles>) -> String {
    value.map_or_else(String::new, |value| format!("{:.2}–{:.2}", value.low, value.high))
}

fn share(value: Option<f64>) -> String {
    value.map_or_else(|| "–".into(), |value| format!("{:.1}%", value * 100.0))
}

fn tokens(value: Option<f64>) -> String {
    match value {
        Some(value) if value >= 1_000.0 => format!("{:.0}k", value / 1_000.0),
        Some(value) => format!("{value:.0}"),
        None => "–".into(),
    }
}

fn folds(row: &StrategySummary) -> String {
    match row.folds {
        Some(folds) if folds.median > 0.0 => format!("{:.0}", folds.median),
        _ => "–".into(),
    }
}
