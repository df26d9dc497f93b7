//! An output as a terminal would show it, line by line, and the small readers that the recognisers share.

use std::{borrow::Cow, collections::BTreeSet};

use crate::configuration::evidence::SUMMARY_TAIL;

pub(super) struct Printed<'a> {
    /// Without blanks at their ends.
    pub(super) lines: Vec<&'a str>,
    tail: usize,
}

impl<'a> Printed<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        let filled = lines.iter().enumerate().rev().filter(|(_, line)| !line.is_empty());
        let tail = filled.take(SUMMARY_TAIL).last().map_or(lines.len(), |(index, _)| index);
        Self { lines, tail }
    }

    /// Whether a summary in this line is the end of a run rather than text that was quoted on the way.
    pub(super) fn is_near_end(&self, line: usize) -> bool {
        line >= self.tail
    }

    /// The names that some lines hold, each once, in their order.
    pub(super) fn names(&self, parse: impl FnMut(&&'a str) -> Option<&'a str>) -> Vec<String> {
        let mut seen = BTreeSet::new();
        self.lines.iter().filter_map(parse).filter(|name| seen.insert(*name)).map(str::to_owned).collect()
    }
}

/// The text without terminal escapes: colours, cursor movements, titles and links.
pub(super) fn without_escapes(text: &str) -> Cow<'_, str> {
    if !text.contains('\u{1b}') {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, escape)) = rest.split_once('\u{1b}') {
        plain.push_str(before);
        rest = match escape.as_bytes().first() {
            Some(b'[') => after(&escape[1..], |character| ('\u{40}'..='\u{7e}').contains(&character)),
            // Ended by BEL or by ESC \, whose backslash the next round takes.
            Some(b']') => escape.find(['\u{7}', '\u{1b}']).map_or("", |end| escape[end..].trim_start_matches('\u{7}')),
            Some(_) => after(escape, |_| true),
            None => "",
        };
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

fn after(text: &str, is_end: impl Fn(char) -> bool) -> &str {
    text.char_indices().find(|(_, character)| is_end(*character)).map_or("", |(at, end)| &text[at + end.len_utf8()..])
}

/// `1 failed, 2 passed`: each count with its word. None where any part is something else.
pub(super) fn parse_counts<'a>(text: &'a str, separator: &str) -> Option<Vec<(u32, &'a str)>> {
    text.split(separator)
        .map(|part| {
            let (count, word) = part.trim().split_once(' ')?;
            Some((parse_count(count)?, word))
        })
        .collect()
}

/// Digits alone.
pub(super) fn parse_count(text: &str) -> Option<u32> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

/// The `5` of `5 tests`.
pub(super) fn without_noun(text: &str) -> Option<&str> {
    text.strip_suffix(" tests").or_else(|| text.strip_suffix(" test"))
}

/// `0.12s`, as frameworks write it.
pub(super) fn is_seconds(text: &str) -> bool {
    let number = text.strip_suffix('s').unwrap_or_default();
    number.starts_with(|first: char| first.is_ascii_digit()) && number.bytes().all(|b| b.is_ascii_digit() || b == b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_left_out() {
        let text = "\u{1b}[1;31mred\u{1b}[0m \u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{7} \u{1b}(Bplain\u{1b}[";
        assert_eq!(without_escapes(text), "red link Bplain");
        assert_eq!(without_escapes("\u{1b}é\u{1b}"), "");
    }
}
