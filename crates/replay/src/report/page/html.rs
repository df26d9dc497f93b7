//! Text into HTML: whatever came from a file passes through [`escape`], and tables are written in one way.

use crate::report::summary::Quartiles;

/// Adds to a text as `format!` would write it. Writing to a string does not fail.
macro_rules! put {
    ($text:expr, $($what:tt)*) => {{
        use std::fmt::Write as _;
        let _ = write!($text, $($what)*);
    }};
}
pub(super) use put;

/// Safe between tags and inside quoted attributes. Control characters, which HTML does not allow, become `�`.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\n' | '\t' => escaped.push(' '),
            control if control.is_control() => escaped.push('\u{fffd}'),
            other => escaped.push(other),
        }
    }
    escaped
}

/// A table that scrolls inside its own box; on a phone each row is a card, and each cell says what it is. The first column
/// names the row.
pub(super) struct Table {
    titles: Vec<&'static str>,
    head: String,
    rows: String,
    label: String,
}

/// One cell, escaped already where it needs to be.
pub(super) enum Cell {
    Text(String),
    Number(String),
}

/// A column: what stands in it, its title and what the title means, for whoever points at it.
pub(super) struct Column(pub Kind, pub &'static str, pub &'static str);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Number,
}

impl Table {
    pub(super) fn new(label: &str, columns: &[Column]) -> Self {
        let mut head = String::new();
        for Column(kind, title, meaning) in columns {
            let class = if *kind == Kind::Number { " class=\"n\"" } else { "" };
            put!(head, "<th scope=\"col\"{class} title=\"{}\">{title}</th>", escape(meaning));
        }
        let titles = columns.iter().skip(1).map(|Column(_, title, _)| *title).collect();
        Self { titles, head, rows: String::new(), label: escape(label) }
    }

    pub(super) fn row(&mut self, class: &str, name: &str, cells: impl IntoIterator<Item = Cell>) {
        put!(self.rows, "<tr class=\"{class}\"><th scope=\"row\">{name}</th>");
        for (title, cell) in self.titles.iter().zip(cells) {
            match cell {
                Cell::Text(text) => put!(self.rows, "<td data-title=\"{title}\">{text}</td>"),
                Cell::Number(number) => put!(self.rows, "<td class=\"n\" data-title=\"{title}\">{number}</td>"),
            }
        }
        self.rows.push_str("</tr>\n");
    }

    pub(super) fn finish(self) -> String {
        let Self { head, rows, label, .. } = self;
        // A box that scrolls must be reachable with the keyboard.
        format!(
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{label}\"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n"
        )
    }
}

/// The median large, the quartiles small beside it; equal quartiles say nothing more.
pub(super) fn spread(quartiles: Option<Quartiles>, write: fn(f64) -> String) -> String {
    let Some(Quartiles { low, median, high }) = quartiles else { return "–".to_owned() };
    let (low, median, high) = (write(low), write(median), write(high));
    match low == high {
        true => median,
        // The unit stands beside the median already.
        false => format!("{median} <small>{}–{}</small>", low.trim_end_matches('%'), high.trim_end_matches('%')),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_file_name_becomes_markup() {
        assert_eq!(
            escape("<script>alert(\"a\" & 'b')</script>\u{7}\n"),
            "&lt;script&gt;alert(&quot;a&quot; &amp; &#39;b&#39;)&lt;/script&gt;\u{fffd} "
        );
    }

    #[test]
    fn a_spread_shows_quartiles_only_where_they_differ() {
        let quartiles = |low, median, high| Some(Quartiles { low, median, high });
        assert_eq!(spread(quartiles(0.5, 0.6, 0.7), crate::report::numbers::ratio), "0.60 <small>0.50–0.70</small>");
        assert_eq!(spread(quartiles(1.0, 1.0, 1.0), crate::report::numbers::ratio), "1.00");
        assert_eq!(spread(quartiles(0.5, 0.6, 0.7), crate::report::numbers::percent), "60.0% <small>50.0–70.0</small>");
        assert_eq!(spread(None, crate::report::numbers::ratio), "–");
    }
}
