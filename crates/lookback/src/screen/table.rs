//! Rows that stand below one another and fit the terminal: one that wraps them shows no table any more.

use std::{
    env,
    io::{self, Write},
    os::fd::AsFd,
};

use terminal_size::Width;
use unicode_width::UnicodeWidthStr;

use super::{Screen, one_line};

/// A narrower terminal gets the layout of this width.
const NARROWEST: usize = 60;

/// For pipes: what most terminals have at least, and people read without turning their heads.
const NO_TERMINAL: usize = 100;

/// The last column holds the text that people look for: it is left so much before another column is shortened.
const LAST: usize = 12;

/// What stays of a column in the middle when there is no room.
const MIDDLE: usize = 8;

/// How many columns there are to write in: as `COLUMNS` says, else as the terminal is.
pub(crate) fn columns() -> usize {
    known_columns().unwrap_or(NO_TERMINAL).max(NARROWEST)
}

/// The same for rows that go whole into a pipe: whoever reads them there cuts them as they like.
pub(crate) fn columns_or_endless() -> usize {
    known_columns().unwrap_or(1_000_000).max(NARROWEST)
}

fn known_columns() -> Option<usize> {
    let said = env::var("COLUMNS").ok().and_then(|text| text.trim().parse().ok()).filter(|columns| *columns > 0);
    said.or_else(|| measured(io::stdout()))
}

/// A terminal that does not know its size says 0.
fn measured(stream: impl AsFd) -> Option<usize> {
    let columns = terminal_size::terminal_size_of(stream).map(|(Width(columns), _)| usize::from(columns));
    columns.filter(|columns| *columns > 0)
}

/// A line as standard error has room for it: in a pipe it stays whole. What is indented stays so.
pub(super) fn broken_for_errors(line: &str) -> Vec<String> {
    let Some(room) = measured(io::stderr()).filter(|room| line.width() > *room) else { return vec![line.to_owned()] };
    let indent = &line[..line.len() - line.trim_start().len()];
    let pieces = wrap(line, room.saturating_sub(indent.len()));
    pieces.into_iter().map(|piece| format!("{indent}{piece}")).collect()
}

/// The columns in `right` are aligned to the right. Where the rows are wider than `width`, the last column gives way
/// first, then the widest of those in the middle that hold text. The first one names what a row is about and stays.
pub(crate) fn write_table<W: Write>(
    out: &mut Screen<W>,
    rows: &[Vec<String>],
    right: &[usize],
    width: usize,
) -> io::Result<()> {
    write_marked_table(out, rows, right, width, None)
}

/// The same with one row in colour.
pub(crate) fn write_marked_table<W: Write>(
    out: &mut Screen<W>,
    rows: &[Vec<String>],
    right: &[usize],
    width: usize,
    marked: Option<usize>,
) -> io::Result<()> {
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(|cell| one_line(cell, usize::MAX)).collect()).collect();
    let widths = fit(natural_widths(&rows), right, width);
    for (place, row) in rows.iter().enumerate() {
        let mut line = String::new();
        for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let cell = one_line(cell, *width);
            let padding = " ".repeat(width.saturating_sub(cell.width()));
            let (before, after) =
                if right.contains(&column) { (padding, String::new()) } else { (String::new(), padding) };
            line.push_str(&format!(" {before}{cell}{after} "));
        }
        match marked == Some(place) {
            true => out.write_marked(line.trim_end())?,
            false => writeln!(out, "{}", line.trim_end())?,
        }
    }
    Ok(())
}

/// The same, but of the last column nothing is left out: it goes on below itself.
pub(crate) fn write_wrapped_table<W: Write>(
    out: &mut Screen<W>,
    rows: &[Vec<String>],
    right: &[usize],
    width: usize,
) -> io::Result<()> {
    let fitted = fit(natural_widths(rows), right, width);
    let room = fitted.last().copied().unwrap_or(0);
    let mut lines = Vec::new();
    for row in rows {
        let Some((last, before)) = row.split_last() else { continue };
        let blank = vec![String::new(); before.len()];
        for (place, piece) in wrap(last, room).into_iter().enumerate() {
            let cells = if place == 0 { before } else { &blank[..] };
            lines.push([cells, &[piece]].concat());
        }
    }
    write_table(out, &lines, right, width)
}

/// Lines of at most `width` columns, broken between words. A word that is longer than a line is cut by the table.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.width() + 1 + word.width() <= width => line.push_str(&format!(" {word}")),
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

fn natural_widths(rows: &[Vec<String>]) -> Vec<usize> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column| rows.iter().filter_map(|row| row.get(column)).map(|cell: &String| cell.width()).max();
    (0..columns).map(|column| width(column).unwrap_or(0)).collect()
}

fn fit(mut widths: Vec<usize>, right: &[usize], width: usize) -> Vec<usize> {
    let Some(last) = widths.len().checked_sub(1) else { return widths };
    // A blank on either side of each cell; the very last one is not written.
    let excess = |widths: &[usize]| (widths.iter().sum::<usize>() + 2 * widths.len()).saturating_sub(width + 1);
    let least = widths[last].min(LAST);
    widths[last] = widths[last].saturating_sub(excess(&widths)).max(least);
    while excess(&widths) > 0 {
        let middle = (1..last).filter(|column| !right.contains(column) && widths[*column] > MIDDLE);
        let Some(widest) = middle.max_by_key(|column| widths[*column]) else { break };
        widths[widest] -= 1;
    }
    widths
}

/// A sentence of facts with dots between them: one line in a pipe; on a terminal it breaks between facts.
pub(crate) fn write_line<W: Write>(out: &mut Screen<W>, line: &str) -> io::Result<()> {
    let facts: Vec<String> = line.split(" · ").map(str::to_owned).collect();
    write_facts(out, "", &facts, known_columns().map_or(usize::MAX, |columns| columns.max(NARROWEST)))
}

/// Facts with dots between them, on as many lines as they need.
pub(crate) fn write_facts<W: Write>(
    out: &mut Screen<W>,
    indent: &str,
    facts: &[String],
    width: usize,
) -> io::Result<()> {
    let room = width.saturating_sub(indent.width());
    let mut line = String::new();
    for fact in facts {
        // One that is longer than a line breaks between its words, and one that is a single word is cut.
        for (place, part) in wrap(fact, room).iter().enumerate() {
            let part = one_line(part, room);
            if line.is_empty() {
                line = format!("{indent}{part}");
            } else if place == 0 && line.width() + 3 + part.width() <= width {
                line.push_str(&format!(" · {part}"));
            } else {
                writeln!(out, "{line}")?;
                line = format!("{indent}{part}");
            }
        }
    }
    writeln!(out, "{line}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[&[&str]], right: &[usize], width: usize) -> String {
        let rows: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(|&cell| cell.to_owned()).collect()).collect();
        let mut out = Screen(Vec::new());
        write_table(&mut out, &rows, right, width).expect("memory");
        String::from_utf8(out.0).expect("text")
    }

    #[test]
    fn wide_characters_keep_their_columns() {
        assert_eq!(table(&[&["回望", "1"], &["ab", "22"]], &[1], 80), " 回望   1\n ab    22\n");
    }

    #[test]
    fn the_last_column_gives_way_then_the_widest_in_the_middle() {
        let rows: &[&[&str]] = &[&["k3v9x2ab", "a-model-with-a-long-name", "1,234", &"what 余额 ".repeat(20)]];
        for width in [60, 80, 120] {
            let shown = table(rows, &[2], width);
            let line = shown.trim_end();
            assert!((width - 1..=width).contains(&line.width()), "{} of {width}: {line}", line.width());
            assert!(line.contains("k3v9x2ab") && line.contains("1,234") && line.ends_with('…'));
        }
        assert!(table(rows, &[2], 60).contains("a-model-with-a-long-name"));
        assert!(table(rows, &[2], 50).contains("a-model-with-a-lo…"));
    }

    #[test]
    fn a_last_column_that_matters_goes_on_below_itself() {
        let rows = [["1", "cold: 6 min since the call before (entries live 5 min)"], ["2", "new turns"]];
        let rows = rows.map(|row| row.map(str::to_owned).to_vec());
        let mut out = Screen(Vec::new());
        write_wrapped_table(&mut out, &rows, &[0], 30).expect("memory");
        let expected = " 1  cold: 6 min since the call\n    before (entries live 5\n    min)\n 2  new turns\n";
        assert_eq!(String::from_utf8_lossy(&out.0), expected);
    }

    #[test]
    fn a_cell_is_one_line() {
        assert_eq!(table(&[&["a\nb", "\u{1b}c"]], &[], 80), " a b  ␛c\n");
    }

    #[test]
    fn facts_break_between_each_other() {
        let mut out = Screen(Vec::new());
        let facts = ["one", "two", "three", "a fact too long"].map(str::to_owned);
        write_facts(&mut out, " ", &facts, 10).expect("memory");
        assert_eq!(String::from_utf8_lossy(&out.0), " one · two\n three\n a fact\n too long\n");
    }
}
