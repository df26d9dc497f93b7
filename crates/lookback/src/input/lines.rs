//! Lines of a file, one at a time, each of bounded length.

use std::io::{self, BufRead};

/// Longer ones are passed over: no provider takes a request of that size, so no session has such a line, and a file without
/// line feeds must not fill the memory.
pub(crate) const LONGEST_LINE: usize = 32 << 20;

/// Some editors begin a file with a mark that does not belong to its text.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

pub(crate) struct Lines<R> {
    reader: R,
    line: Vec<u8>,
    number: u64,
    longest: usize,
}

/// A line without its line feed and the blanks around it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    Text(u64, &'a [u8]),
    TooLong(u64),
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self { reader, line: Vec::new(), number: 0, longest: LONGEST_LINE }
    }

    /// The next line that is not blank; none at the end.
    pub(crate) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        loop {
            let Some(fits) = self.read()? else { return Ok(None) };
            self.number += 1;
            if !fits {
                return Ok(Some(Line::TooLong(self.number)));
            }
            if !self.text().is_empty() {
                // Asked again, because a reference that is given out cannot be held while the loop goes on.
                return Ok(Some(Line::Text(self.number, self.text())));
            }
        }
    }

    fn text(&self) -> &[u8] {
        let line = self.line.as_slice();
        let line = if self.number == 1 { line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line) } else { line };
        line.trim_ascii()
    }

    /// Whether the line fitted; none where there is no more.
    fn read(&mut self) -> io::Result<Option<bool>> {
        // One long line must not hold its memory until the end of the file.
        if self.line.capacity() > 4 << 20 {
            self.line = Vec::new();
        }
        self.line.clear();
        let (mut fits, mut any) = (true, false);
        loop {
            let there = self.reader.fill_buf()?;
            if there.is_empty() {
                return Ok(any.then_some(fits));
            }
            any = true;
            let end = there.iter().position(|byte| *byte == b'\n');
            let piece = &there[..end.unwrap_or(there.len())];
            fits &= self.line.len() + piece.len() <= self.longest;
            if fits {
                self.line.extend_from_slice(piece);
            } else {
                self.line = Vec::new();
            }
            let taken = piece.len() + usize::from(end.is_some());
            self.reader.consume(taken);
            if end.is_some() {
                return Ok(Some(fits));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_numbered_as_in_the_file_and_too_long_ones_are_passed_over() {
        let text = "\u{feff}one\r\n\n  two\nmuch too long a line\nlast";
        let mut lines = Lines { longest: 10, ..Lines::new(io::BufReader::with_capacity(4, text.as_bytes())) };
        let mut seen = Vec::new();
        while let Some(line) = lines.next().expect("memory") {
            seen.push(match line {
                Line::Text(number, text) => format!("{number} {}", String::from_utf8_lossy(text)),
                Line::TooLong(number) => format!("{number} too long"),
            });
        }
        assert_eq!(seen, ["1 one", "3 two", "4 too long", "5 last"]);
    }
}
