//! Which lines the output of a search shows.
//!
//! Every line of it must have the shape that the search prints, or be a complaint of the search itself: anything else
//! means that the output is not what it seems to be, and nothing is said about it.

use crate::{
    configuration::evidence::LONGEST_PATH,
    evidence::lines::{parse_number, parse_numbered, parse_path_numbered, split_lines},
};

/// Lines of one file in the output: the name as it is printed, the first one's number, and how many there are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) printed: String,
    pub(super) first_line: u32,
    pub(super) line_count: u32,
}

/// `12:text` and `12-text`: the first number and the count of the lines behind either separator.
pub(super) fn find_numbered(output: &[u8]) -> Option<Vec<(&'static str, u32, u32)>> {
    let mut found = [(":", 0, 0), ("-", 0, 0)];
    let mut previous = 0;
    for line in split_lines(output).filter(|line| *line != b"--") {
        let (entry, number) = found.iter_mut().find_map(|entry| {
            let (number, _) = parse_numbered(line, entry.0.as_bytes())?;
            line.first().is_some_and(u8::is_ascii_digit).then_some((entry, number))
        })?;
        if number <= previous {
            return None;
        }
        previous = number;
        if entry.2 == 0 {
            entry.1 = number;
        }
        entry.2 += 1;
    }
    Some(found.into_iter().filter(|entry| entry.2 > 0).collect())
}

/// `path:12:text` and, in blocks between `--`, also `path-12-text`. Files in the order of their first matches.
pub(super) fn find_path_numbered(output: &[u8], context: bool, operands: &[String]) -> Option<Vec<Found>> {
    let lines: Vec<&[u8]> = split_lines(output).filter(|line| !is_complaint(line)).collect();
    let blocks: Vec<&[&[u8]]> =
        if context { lines.split(|line| *line == b"--").collect() } else { lines.chunks(1).collect() };
    let mut found: Vec<Found> = Vec::new();
    let mut cut_off = Vec::new();
    for block in blocks.into_iter().filter(|block| !block.is_empty()) {
        let mut readings = possible_readings(block).filter(|reading| is_searched(reading.path, operands)).peekable();
        readings.peek()?;
        let Some(reading) = readings.find(|reading| reading.has_match()) else {
            cut_off.push(block);
            continue;
        };
        let printed = std::str::from_utf8(reading.path).ok()?;
        match found.last_mut().filter(|last| last.printed == printed) {
            Some(last) => last.line_count += reading.line_count(),
            None => found.push(Found {
                printed: printed.to_owned(),
                first_line: reading.first_line,
                line_count: reading.line_count(),
            }),
        }
    }
    // Nothing in a block without a match tells its path from its text, unless the path is known from another block.
    for reading in cut_off.into_iter().flat_map(possible_readings) {
        if let Some(known) = found.iter_mut().find(|known| known.printed.as_bytes() == reading.path) {
            known.first_line = known.first_line.min(reading.first_line);
            known.line_count += reading.line_count();
        }
    }
    Some(found)
}

fn is_complaint(line: &[u8]) -> bool {
    line.starts_with(b"grep: ")
        || line.starts_with(b"rg: ")
        || (line.starts_with(b"Binary file ") && line.ends_with(b" matches"))
}

/// A block read as a stretch of one file.
struct Reading<'a> {
    block: &'a [&'a [u8]],
    path: &'a [u8],
    first_line: u32,
}

impl Reading<'_> {
    fn has_match(&self) -> bool {
        self.block.iter().any(|line| line[self.path.len()] == b':')
    }

    fn line_count(&self) -> u32 {
        self.block.iter().filter(|line| parse_path_numbered(line, self.path).is_some()).count() as u32
    }
}

/// Every path that a block's lines could begin with, each followed by the next number; the shortest first.
fn possible_readings<'a>(block: &'a [&'a [u8]]) -> impl Iterator<Item = Reading<'a>> {
    let first = block.first().copied().unwrap_or_default();
    (1..first.len().min(LONGEST_PATH)).filter_map(move |end| {
        let (path, first_line) = (&first[..end], number_behind(first, end)?);
        let mut numbered = (first_line..=u32::MAX).zip(block);
        let fits = numbered.all(|(number, line)| number_behind(line, end) == Some(number) && line.starts_with(path));
        fits.then_some(Reading { block, path, first_line })
    })
}

fn number_behind(line: &[u8], end: usize) -> Option<u32> {
    let (separator, rest) = line.get(end..)?.split_first()?;
    if !matches!(separator, b':' | b'-') {
        return None;
    }
    let (number, rest) = parse_number(rest)?;
    (rest.first() == Some(separator)).then_some(number)
}

fn is_searched(path: &[u8], operands: &[String]) -> bool {
    let below = |operand: &String| {
        let directory = operand.trim_end_matches('/').as_bytes();
        path == operand.as_bytes() || path.strip_prefix(directory).is_some_and(|rest| rest.starts_with(b"/"))
    };
    operands.is_empty() || operands.iter().any(below)
}
