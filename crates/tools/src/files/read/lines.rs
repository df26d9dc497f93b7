//! A range of lines out of a stream, in bounded memory: whatever is before, behind or beside it is passed over.

use std::io::{self, BufRead, BufReader, Read};

use memchr::{memchr, memchr_iter};

/// Ours: 64,000 tokens or so, which is more than a model should be handed at once.
const MOST_BYTES: usize = 256 << 10;
/// What people know from other agents, in characters.
const LONGEST_LINE: usize = 2_000;
/// A character takes up to four bytes, and one more byte shows that there is more.
const LONGEST_BYTES: usize = LONGEST_LINE * 4 + 1;

/// Which lines.
#[derive(Debug, Clone, Copy)]
pub(super) struct Range {
    pub first: u32,
    pub most: u32,
}

/// Lines that were read.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// Each behind its number.
    pub text: String,
    pub count: u32,
    /// How many lines went by; all of the file's, if it was read to its end.
    pub passed: u32,
    /// There are lines behind the range.
    pub has_more: bool,
    /// Of some line only the beginning is shown. It stands behind another separator: it is not the line.
    pub is_cut: bool,
    /// Some bytes were not UTF-8.
    pub is_lossy: bool,
}

impl Lines {
    /// `to_the_end`: reads on behind the range, to count.
    pub(super) fn read(bytes: &mut dyn Read, range: Range, to_the_end: bool, separator: &str) -> io::Result<Self> {
        let mut bytes = BufReader::with_capacity(64 << 10, bytes);
        let mut lines = Self::default();
        let mut line = Vec::new();
        lines.passed = skip(&mut bytes, range.first - 1)?;
        while lines.count < range.most && lines.text.len() < MOST_BYTES {
            line.clear();
            let Some(length) = next_line(&mut bytes, &mut line)? else { return Ok(lines) };
            lines.push(range.first + lines.count, &line, length, separator);
        }
        lines.has_more = !bytes.fill_buf()?.is_empty();
        if to_the_end {
            lines.passed = lines.passed.saturating_add(skip(&mut bytes, u32::MAX)?);
        }
        Ok(lines)
    }

    /// `length` is that of the whole line, `line` as much of it as was kept.
    fn push(&mut self, number: u32, line: &[u8], length: u64, separator: &str) {
        let text = String::from_utf8_lossy(line);
        let end = text.char_indices().nth(LONGEST_LINE).map(|(end, _)| end);
        // A character that was cut in two is no damage of the file.
        let shown = end.map_or(&*text, |end| &text[..end]);
        self.is_lossy |= shown.contains(char::REPLACEMENT_CHARACTER) && str::from_utf8(line).is_err();
        self.text.push_str(&number.to_string());
        if end.is_some() {
            self.is_cut = true;
            self.text.push_str(&format!(" (the first {LONGEST_LINE} characters of {length} bytes)"));
        }
        self.text.extend([separator, shown, "\n"]);
        self.count += 1;
        self.passed += 1;
    }
}

/// Keeps as much of the next line as can be shown, without its ending, and says how long it is.
fn next_line(bytes: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Option<u64>> {
    let mut length = 0_u64;
    loop {
        let buffer = bytes.fill_buf()?;
        if buffer.is_empty() {
            return Ok((length > 0).then(|| without_carriage_return(line, length)));
        }
        let end = memchr(b'\n', buffer);
        let part = &buffer[..end.unwrap_or(buffer.len())];
        line.extend_from_slice(&part[..part.len().min(LONGEST_BYTES.saturating_sub(line.len()))]);
        length += part.len() as u64;
        let used = part.len() + usize::from(end.is_some());
        bytes.consume(used);
        if end.is_some() {
            return Ok(Some(without_carriage_return(line, length)));
        }
    }
}

fn without_carriage_return(line: &mut Vec<u8>, length: u64) -> u64 {
    if line.len() as u64 != length || line.pop_if(|last| *last == b'\r').is_none() {
        return length;
    }
    length - 1
}

/// Passes over so many lines, and says how many there were.
fn skip(bytes: &mut impl BufRead, most: u32) -> io::Result<u32> {
    let mut passed = 0;
    let mut is_inside = false;
    while passed < most {
        let buffer = bytes.fill_buf()?;
        if buffer.is_empty() {
            return Ok(passed + u32::from(is_inside));
        }
        let (wanted, found) = ((most - passed) as usize, memchr_iter(b'\n', buffer).count());
        let used = if found < wanted {
            passed += found as u32;
            is_inside = buffer.last() != Some(&b'\n');
            buffer.len()
        } else {
            passed = most;
            memchr_iter(b'\n', buffer).nth(wanted - 1).map_or(buffer.len(), |end| end + 1)
        };
        bytes.consume(used);
    }
    Ok(passed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, first: u32, most: u32) -> Lines {
        Lines::read(&mut text.as_bytes(), Range { first, most }, true, "\t").unwrap()
    }

    #[test]
    fn lines_are_counted_to_the_end() {
        for (text, total) in [("", 0), ("a", 1), ("a\n", 1), ("a\n\n", 2), ("a\r\nb", 2), ("\n", 1)] {
            assert_eq!(lines(text, 1, 1).passed, total, "{text:?}");
            assert_eq!(lines(text, 1, 10).passed, total, "{text:?}");
            assert_eq!(lines(text, 10, 1).passed, total, "{text:?}");
        }
    }

    #[test]
    fn a_range_stands_behind_its_numbers() {
        let shown = lines("a\r\nb\n\nd\n", 2, 2);
        assert_eq!((shown.text.as_str(), shown.has_more), ("2\tb\n3\t\n", true));
        assert!(!lines("a\nb\n", 1, 2).has_more);
    }

    #[test]
    fn a_cut_line_is_no_line_of_the_file() {
        let long = format!("{}\nshort\n", "ä".repeat(5_000));
        let shown = lines(&long, 1, 5);
        assert!(shown.text.starts_with("1 (the first 2000 characters of 10000 bytes)\tää"));
        assert!(shown.text.ends_with("ä\n2\tshort\n"));
        assert!(shown.is_cut && !shown.is_lossy);
    }
}
