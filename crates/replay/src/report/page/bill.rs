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
    BillByKind, Report, numbers,
    summary::{APPEND, Group},
};

/// A kind's class, its name, and its part of a bill.
type Kind = (&'static str, &'static str, fn(&BillByKind) -> f64);

const KINDS: [Kind; 6] = [
    ("k-read", "read from cache", |bill| bill.read),
    ("k-written", "written to cache", |bill| bill.written),
    ("k-uncached", "uncached", |bill| bill.uncached),
    ("k-output", "output", |bill| bill.output),
    ("k-compactor", "compactor", |bill| bill.compactor),
    ("k-repairs", "repairs", |bill| bill.repairs),
];

/// Bills of a group's strategies, all sessions together, in the order of the table.
pub(super) fn bills<'a>(report: &Report, group: &'a Group) -> Vec<(&'a str, BillByKind)> {
    let mut bills = Vec::new();
    for strategy in &group.strategies {
        let mut sum = BillByKind::default();
        for place in &group.members {
            if let Some(bill) = report.sessions[*place].pictures.kinds.get(&strategy.name) {
                sum.add(bill);
            }
        }
        if sum.total() > 0.0 {
            bills.push((strategy.name.as_str(), sum));
        }
    }
    bills
}

pub(super) fn render(bills: &[(&str, BillByKind)], size: Size) -> Option<String> {
    let dearest = bills.iter().map(|(_, bill)| bill.total()).max_by(f64::total_cmp)?;
    let append = bills.iter().find(|(name, _)| *name == APPEND).map(|(_, bill)| bill.total());
    // On a phone a name stands above its bar.
    let (left, above, row) = match size {
        Size::Desk => (120.0, 0.0, 30.0),
        Size::Phone => (0.0, 18.0, 46.0),
    };
    let end = if size == Size::Desk { size.width() - 150.0 } else { size.width() };
    let x = Axis { low: 0.0, high: dearest, start: left, end, scale: AxisScale::Even };
    let mut svg = String::new();
    for (place, (name, bill)) in bills.iter().enumerate() {
        let top = row * place as f64 + above + 2.0;
        let total = bill.total();
        let vs_append = append.filter(|append| *append > 0.0).map(|append| total / append);
        let figure = match vs_append {
            Some(ratio) => format!("{} · {} of append", numbers::tokens(total), numbers::ratio(ratio)),
            None => numbers::tokens(total),
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
        draw_bar(&mut svg, bill, &x, top, append);
    }
    let height = row * bills.len() as f64 + 4.0;
    Some(size.picture(height, &in_words(bills, append), &svg))
}

fn draw_bar(svg: &mut String, bill: &BillByKind, x: &Axis, top: f64, append: Option<f64>) {
    let mut before = 0.0;
    for (class, kind, part) in KINDS {
        let part = part(bill);
        if part <= 0.0 {
            continue;
        }
        let (start, end) = (x.place(before), x.place(before + part));
        before += part;
        let whole = append.unwrap_or(bill.total());
        let tip = format!(
            "{kind}: {} uncached-input tokens, {} of append's bill",
            numbers::tokens(part),
            numbers::ratio(part / whole)
        );
        put!(
            svg,
            "<rect class=\"{class}\" x=\"{start:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"20\" data-tip=\"{tip}\"><title>{tip}</title></rect>",
            (end - start).max(0.3)
        );
        if end - start >= 34.0 {
            put!(
                svg,
                "<text class=\"inside\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                (start + end) / 2.0,
                top + 14.5,
                numbers::ratio(part / whole)
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
    let columns = titles.map(|title| Column(Number, title, "in uncached-input tokens"));
    let columns: Vec<Column> = [Column(Text, "strategy", "")].into_iter().chain(columns).collect();
    let mut table = Table::new("The bill by kind of token, as figures", &columns);
    for (name, bill) in bills {
        let kinds = KINDS.iter().map(|(_, _, part)| part(bill)).chain([bill.total()]);
        table.row("", &escape(name), kinds.map(|part| Cell::Number(numbers::tokens(part))));
    }
    table.finish()
}

fn in_words(bills: &[(&str, BillByKind)], append: Option<f64>) -> String {
    let each = bills.iter().map(|(name, bill)| match append {
        Some(append) if append > 0.0 => format!("{name} {}", numbers::ratio(bill.total() / append)),
        _ => format!("{name} {}", numbers::tokens(bill.total())),
    });
    format!("The bill of each strategy by kind of token, repairs included: {}.", each.collect::<Vec<_>>().join(", "))
}
