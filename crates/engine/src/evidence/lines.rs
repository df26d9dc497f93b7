//! Lines of a file as they stand in some text: sliced out, numbered, or in search output.
//!
//! A line is what stands between two line feeds, without its ending. One carriage return before the feed (or at the end
//! of the text, where a tool may have trimmed the feed) belongs to the ending: the same file checked out with CRLF and
//! with LF has the same lines, and a snippet compares verbatim with either. Other carriage returns are text. A final
//! line feed ends the last line and begins none. Bytes that are not UTF-8 become U+FFFD.
//!
//! Which text is whose, and whether it is complete, is not known here.

use std::borrow::Cow;

use crate::trace::result::LineForm;

/// A line's number in its file, from 1, and its text.
pub(crate) type NumberedLine<'a> = (u32, Cow<'a, str>);

/// The lines of a text, without their endings.
pub fn split_lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let text = text.strip_suffix(b"\n").map_or((!text.is_empty()).then_some(text), Some);
    let lines = text.into_iter().flat_map(|text| {
        let mut start = 0;
        let ends = memchr::memchr_iter(b'\n', text).chain([text.len()]);
        ends.map(move |end| &text[std::mem::replace(&mut start, end + 1)..end])
    });
    lines.map(without_carriage_return)
}

fn without_carriage_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// The file's lines that stand in a text in the given form. `first_line` numbers the first one of a plain slice; the
/// other forms carry their numbers.
pub fn lines_in<'a>(text: &'a [u8], form: &LineForm, first_line: u32) -> Vec<NumberedLine<'a>> {
    match form {
        LineForm::Plain { start, end } => {
            (first_line..=u32::MAX).zip(split_lines(part(text, *start, *end))).map(numbered).collect()
        }
        LineForm::Numbered { separator } => numbered_lines(text, separator),
        LineForm::NumberedIn { separator, start, end } => numbered_lines(part(text, *start, *end), separator),
        LineForm::PathNumbered { path } => {
            split_lines(text).filter_map(|line| parse_path_numbered(line, path.as_bytes())).map(numbered).collect()
        }
    }
}

fn part(text: &[u8], start: u64, end: u64) -> &[u8] {
    let end = usize::try_from(end).unwrap_or(usize::MAX).min(text.len());
    &text[usize::try_from(start).unwrap_or(usize::MAX).min(end)..end]
}

fn numbered_lines<'a>(text: &'a [u8], separator: &str) -> Vec<NumberedLine<'a>> {
    let mut lines = Vec::with_capacity(memchr::memchr_iter(b'\n', text).count() + 1);
    lines.extend(split_lines(text).filter_map(|line| parse_numbered(line, separator.as_bytes())).map(numbered));
    lines
}

fn numbered((number, text): (u32, &[u8])) -> NumberedLine<'_> {
    (number, lossy(text))
}

/// As text. Nearly every line is UTF-8 as it is, and seeing that is much faster than looking for what is not.
pub(crate) fn lossy(text: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(text).map_or_else(|_| String::from_utf8_lossy(text), Cow::Borrowed)
}

/// `   12→text`. Some tools trim the ends of lines, so that `12:` is what remains of an empty line behind `: `.
pub(crate) fn parse_numbered<'a>(line: &'a [u8], separator: &[u8]) -> Option<(u32, &'a [u8])> {
    let (number, rest) = parse_number(line.trim_ascii_start())?;
    if let Some(text) = rest.strip_prefix(separator) {
        return Some((number, text));
    }
    let trimmed = separator.trim_ascii_end();
    (!trimmed.is_empty() && rest == trimmed).then_some((number, &[]))
}

/// `path:12:text` or `path-12-text`. The latter can also be a line of a longer path that begins alike
/// (`a-12-b.py:3:text` for `a`): where the rest reads so, the line is left out.
pub(crate) fn parse_path_numbered<'a>(line: &'a [u8], path: &[u8]) -> Option<(u32, &'a [u8])> {
    let rest = line.strip_prefix(path)?;
    let (&separator, rest) = rest.split_first()?;
    if !matches!(separator, b':' | b'-') {
        return None;
    }
    let (number, rest) = parse_number(rest)?;
    let text = rest.strip_prefix(&[separator])?;
    (separator == b':' || !continues_a_path(text)).then_some((number, text))
}

/// Does a text go on like a path with a number behind it: `b.py:3:…`, `b.py-3-…`, with no blank before the number?
fn continues_a_path(text: &[u8]) -> bool {
    let word = text.split(u8::is_ascii_whitespace).next().unwrap_or_default();
    let mut from = 0;
    while let Some(found) = word[from..].iter().position(|byte| matches!(byte, b':' | b'-')) {
        let at = from + found;
        let digits = word[at + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if at > 0 && digits > 0 && word.get(at + 1 + digits) == Some(&word[at]) {
            return true;
        }
        from = at + 1 + digits;
    }
    false
}

/// A line number at the start of a text, and what follows it.
pub(crate) fn parse_number(text: &[u8]) -> Option<(u32, &[u8])> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, rest) = text.split_at(digits);
    let value = |number: u32, digit: &u8| number.checked_mul(10)?.checked_add(u32::from(digit - b'0'));
    let number = number.iter().try_fold(0, value)?;
    (number > 0).then_some((number, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<&[u8]> {
        split_lines(text.as_bytes()).collect()
    }

    fn found<'a>(text: &'a str, form: &LineForm) -> Vec<(u32, Cow<'a, str>)> {
        lines_in(text.as_bytes(), form, 1)
    }

    fn separated(separator: &str) -> LineForm {
        LineForm::Numbered { separator: separator.to_owned() }
    }

    fn of_path(path: &str) -> LineForm {
        LineForm::PathNumbered { path: path.to_owned() }
    }

    #[test]
    fn a_final_line_feed_begins_no_line() {
        assert_eq!(split(""), Vec::<&[u8]>::new());
        assert_eq!(split("\n"), [b""]);
        assert_eq!(split("a"), [b"a"]);
        assert_eq!(split("a\n"), [b"a"]);
        assert_eq!(split("a\n\n"), [&b"a"[..], b""]);
    }

    #[test]
    fn line_endings_do_not_matter() {
        assert_eq!(split("a\r\nb\r\n"), split("a\nb\n"));
        assert_eq!(split("a\r\nb\r"), split("a\nb"));
        assert_eq!(split("a\rb\r\r\n"), [b"a\rb\r"]);
    }

    #[test]
    fn a_plain_slice_is_numbered_from_its_first_line() {
        let form = LineForm::Plain { start: 4, end: 12 };
        let lines = lines_in(b"$ x\none\ntwo\nthree\n", &form, 7);
        assert_eq!(lines, [(7, "one".into()), (8, "two".into())]);
        assert_eq!(lines_in(b"ab", &LineForm::Plain { start: 9, end: 3 }, 1), []);
    }

    #[test]
    fn numbers_stand_before_their_separator() {
        let lines = [(9, "a = 1".into()), (10, "".into()), (11, "\tb: 2".into())];
        assert_eq!(found("     9→a = 1\r\n    10→\r\n    11→\tb: 2\r\n\r\n(more below)", &separated("→")), lines);
        assert_eq!(found("     9\ta = 1\n    10\t\n    11\t\tb: 2\n", &separated("\t")), lines);
        assert_eq!(found("9: a = 1\n10:\n11: \tb: 2\nnote: 5 lines\n", &separated(": ")), lines);
        assert_eq!(found(" 9|a = 1\n10|\n11|\tb: 2", &separated("|")), lines);
        assert_eq!(found("12\n0|zero\n99999999999|far\n-1|x", &separated("|")), []);
    }

    #[test]
    fn search_output_names_its_file() {
        let text =
            "src/a.py-11-  x = 1\nsrc/a.py:12:  y = 2: 3\n--\nsrc/a.pyi:12:  z\nsrc/b.py:1:w\nBinary file c matches\n";
        assert_eq!(found(text, &of_path("src/a.py")), [(11, "  x = 1".into()), (12, "  y = 2: 3".into())]);
        assert_eq!(found(text, &of_path("src/b.py")), [(1, "w".into())]);
    }

    #[test]
    fn paths_may_hold_separators_and_digits() {
        let text = "v-1-2:3.txt:4:5:six\nv-1-2:3.txt-5-seven\n";
        assert_eq!(found(text, &of_path("v-1-2:3.txt")), [(4, "5:six".into()), (5, "seven".into())]);
        assert_eq!(found("a.log:7:12:34:56 up\n", &of_path("a.log")), [(7, "12:34:56 up".into())]);
    }

    #[test]
    fn a_line_of_a_longer_path_is_left_out() {
        assert_eq!(found("v-1-2.txt:3:x\nv-1-2.txt-4-y\n", &of_path("v")), []);
        assert_eq!(found("v-1-on 2024-01-02:\n", &of_path("v")), [(1, "on 2024-01-02:".into())]);
    }

    #[test]
    fn broken_utf8_is_replaced() {
        assert_eq!(lines_in(b"1|\xff\n", &separated("|"), 1), [(1, "\u{fffd}".into())]);
    }

    #[test]
    fn long_texts_take_linear_time() {
        let text = "12-3-".repeat(400_000);
        assert_eq!(found(&text, &of_path("12")).len(), 0);
        let text = "7:\n".repeat(400_000);
        assert_eq!(found(&text, &separated(":")).len(), 400_000);
    }
}
