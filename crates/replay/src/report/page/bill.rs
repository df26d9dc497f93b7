//! The third picture: of what kinds of token each strategy's bill consists.

use super::{
    axis::{Axis, AxisScale, Size},
    html::{
        Cell, Column,
        Kind::{Number, Text},
        Table, escape, put,
    },
};
use crate::report::{
    BillByKind, PAID, Report, numbers,
    summary::{APPEND, Group},
};

/// A kind's class, its name, and its part of a bill.
type Kind = (&'static str, &'static str, fn(&BillByKind) -> f64);

const KINDS: [Kind; 6] = [
    ("k-read", "read from cache", |bill| bill.read),
    ("k-written", "written to cache", |bill| bill.written),
    ("k-uncached", "uncached", |bill| bill.uncached),
    ("k-output", "output", |bill| bill.output),
    ("k-compactor", "summaries", |bill| bill.compactor),
    ("k-repairs", "look-ups", |bill| bill.repairs),
];

/// Bills of a group's strategies, all sessions together, in the order of the table.
pub(super) fn bills<'a>(report: &Report, group: &'a Group) -> Vec<(&'a str, BillByKind)> {
    let mut bills = Vec::new();
    let names = group.strategies.iter().map(|strategy| strategy.name.as_str());
    let paid = Some(PAID).filter(|_| !group.money.is_estimate());
    for name in paid.into_iter().chain(names) {
        let mut sum = BillByKind::default();
        for place in &group.members {
            let session = &report.sessions[*place];
            let kinds = &session.pictures.kinds;
            // Who was not billed counts with append's bill, as in the table.
            let estimated = kinds.get(APPEND).filter(|_| name == PAID && session.paid_usd.is_none());
            if let Some(bill) = kinds.get(name).or(estimated) {
                sum.add(bill);
            }
        }
        if sum.total() > 0.0 {
            bills.push((name, sum));
        }
    }
    bills
}

pub(super) fn render(bills: &[(&str, BillByKind)], size: Size) -> Option<String> {
    let dearest = bills.iter().map(|(_, bill)| bill.total()).max_by(f64::total_cmp)?;
    let whole = whole(bills);
    // On a phone a name stands above its bar.
    let (left, above, row) = match size {
        Size::Desk => (124.0, 0.0, 30.0),
        Size::Phone => (0.0, 18.0, 46.0),
    };
    let end = if size == Size::Desk { size.width() - 190.0 } else { size.width() };
    let x = Axis { low: 0.0, high: dearest, start: left, end, scale: AxisScale::Even };
    let mut svg = String::new();
    for (place, (name, bill)) in bills.iter().enumerate() {
        let top = row * place as f64 + above + 2.0;
        let total = bill.total();
        let figure = match whole {
            Some((of, whole)) => format!("{} · {:.0}% of {of}", numbers::dollars(total), total / whole * 100.0),
            None => numbers::dollars(total),
        };
        let name = escape(name);
        match size {
            Size::Desk => {
                let down = top + 14.0;
                put!(
                    svg,
                    "<text class=\"name\" x=\"{:.1}\" y=\"{down:.1}\" text-anchor=\"end\">{name}</text><text class=\"figure\" x=\"{:.1}\" y=\"{down:.1}\">{figure}</text>\n",
                    left - 8.0,
                    x.place(total) + 8.0
                );
            }
            Size::Phone => {
                let down = top - 5.0;
                put!(
                    svg,
                    "<text class=\"name\" x=\"0\" y=\"{down:.1}\">{name}</text><text class=\"figure\" x=\"{end:.1}\" y=\"{down:.1}\" text-anchor=\"end\">{figure}</text>\n"
                );
            }
        }
        draw_bar(&mut svg, bill, &x, top, whole);
    }
    let height = row * bills.len() as f64 + 4.0;
    Some(size.picture(height, &in_words(bills, whole), &svg))
}

/// What shares are taken of: what was paid, or append where nobody knows that.
fn whole(bills: &[(&str, BillByKind)]) -> Option<(&'static str, f64)> {
    let total = |of: &'static str| {
        let bill = bills.iter().find(|(name, _)| *name == of)?.1.total();
        (bill > 0.0).then_some((of, bill))
    };
    total(PAID).or_else(|| total(APPEND))
}

fn draw_bar(svg: &mut String, bill: &BillByKind, x: &Axis, top: f64, whole: Option<(&str, f64)>) {
    let mut before = 0.0;
    for (class, kind, part) in KINDS {
        let part = part(bill);
        if part <= 0.0 {
            continue;
        }
        let (start, end) = (x.place(before), x.place(before + part));
        before += part;
        let (of, whole) = whole.unwrap_or(("its own bill", bill.total()));
        let tip = format!("{kind}: {}, {:.0}% of {of}", numbers::dollars(part), part / whole * 100.0);
        put!(
            svg,
            "<rect class=\"{class}\" x=\"{start:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"20\" data-tip=\"{tip}\"><title>{tip}</title></rect>",
            (end - start).max(0.3)
        );
        if end - start >= 34.0 {
            put!(
                svg,
                "<text class=\"inside\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{:.0}%</text>",
                (start + end) / 2.0,
                top + 14.5,
                part / whole * 100.0
            );
        }
    }
    svg.push('\n');
}

pub(super) fn legend() -> String {
    let mut legend = String::from("<ul class=\"legend\">");
    for (class, kind, _) in KINDS {
        put!(
            legend,
            "<li><svg width=\"22\" height=\"14\" aria-hidden=\"true\"><rect class=\"{class}\" width=\"22\" height=\"14\"/></svg> {kind}</li>"
        );
    }
    legend.push_str("</ul>\n");
    legend
}

/// The same as figures.
pub(super) fn table(bills: &[(&str, BillByKind)]) -> String {
    let titles = KINDS.iter().map(|(_, title, _)| *title).chain(["all"]);
    let columns = titles.map(|title| Column(Number, title, "in dollars"));
    let columns: Vec<Column> = [Column(Text, "strategy", "")].into_iter().chain(columns).collect();
    let mut table = Table::new("The bill by kind of token, as figures", &columns);
    for (name, bill) in bills {
        let kinds = KINDS.iter().map(|(_, _, part)| part(bill)).chain([bill.total()]);
        table.row("", &escape(name), kinds.map(|part| Cell::Number(numbers::dollars(part))));
    }
    table.finish()
}

fn in_words(bills: &[(&str, BillByKind)], whole: Option<(&str, f64)>) -> String {
    let each = bills.iter().map(|(name, bill)| format!("{name} {}", numbers::dollars(bill.total())));
    let share = whole.map_or_else(String::new, |(of, _)| format!(" (shares are of {of})"));
    format!(
        "The bill of each strategy by kind of token, look-ups included{share}: {}.",
        each.collect::<Vec<_>>().join(", ")
    )
}
