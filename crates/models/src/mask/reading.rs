//! The characters that a text stands for, each with its place: escapes of any kind are what they mean, and what a screen
//! does not show (tags, orders to a terminal) is nothing.

use std::ops::Range;

/// A character, and where in the text it is written.
pub(super) type Letter = (Range<usize>, char);

/// How a character is written by its number: what stands before it, its base, and how many digits it has at most.
const NUMBERED: [(&str, u32, usize); 15] = [
    ("\\u{", 16, 6),
    ("\\x{", 16, 6),
    ("\\u000", 16, 5),
    ("\\u", 16, 4),
    ("\\x", 16, 2),
    ("&#x", 16, 6),
    ("&#", 10, 6),
    ("%u", 16, 4),
    ("%", 16, 2),
    ("0x", 16, 2),
    ("u+", 16, 6),
    ("\\00", 16, 4),
    ("\\", 8, 3),
    ("&amp;#x", 16, 6),
    ("&amp;#", 10, 6),
];
/// Before whose digits any number of zeros may stand.
const PADDED: [&str; 8] = ["\\u{", "\\x{", "&#x", "&#", "u+", "0x", "&amp;#x", "&amp;#"];
/// Of the number of any character that a key has, in each of these bases.
const FEWEST_DIGITS: usize = 2;
const ESCAPE: char = '\u{1b}';

/// The text as it is, and as it is once and twice read: some escape what is escaped.
pub(super) fn readings(text: &str) -> Vec<Vec<Letter>> {
    let mut readings: Vec<Vec<Letter>> = vec![text.char_indices().map(|(at, c)| (at..at + c.len_utf8(), c)).collect()];
    for _ in 0..2 {
        let last = &readings[readings.len() - 1];
        let next = unescape(last);
        if next.len() == last.len() {
            break;
        }
        readings.push(next);
    }
    readings
}

fn unescape(letters: &[Letter]) -> Vec<Letter> {
    let mut out = Vec::with_capacity(letters.len());
    let mut at = 0;
    while at < letters.len() {
        let rest = &letters[at..];
        let length = match numbered(rest) {
            Some((length, c)) => {
                out.push((rest[0].0.start..rest[length - 1].0.end, c));
                length
            }
            None => unseen(rest).unwrap_or_else(|| {
                out.push(rest[0].clone());
                1
            }),
        };
        at += length;
    }
    out
}

/// How many letters make up the number of a character, and which.
fn numbered(rest: &[Letter]) -> Option<(usize, char)> {
    // Most letters begin none.
    if !matches!(rest[0].1, '\\' | '&' | '%' | '0' | 'u' | 'U') {
        return None;
    }
    NUMBERED.iter().find_map(|(before, base, most)| {
        let begins =
            before.len() <= rest.len() && before.chars().zip(rest).all(|(a, (_, b))| a == b.to_ascii_lowercase());
        let written = rest.get(before.len()..).filter(|_| begins)?;
        let zeros = if PADDED.contains(before) { written.iter().take_while(|(_, c)| *c == '0').count() } else { 0 };
        let digits = written[zeros..].iter().take(*most).map_while(|(_, c)| c.to_digit(*base));
        let (count, number) = digits.fold((zeros, 0), |(count, number), digit| (count + 1, number * base + digit));
        let c = char::from_u32(number).filter(|c| count >= FEWEST_DIGITS && (c.is_ascii_graphic() || *c == ESCAPE))?;
        let length = before.len() + count;
        let closes = rest.get(length).is_some_and(|(_, c)| matches!(c, ';' | '}'));
        Some((length + usize::from(closes), c))
    })
}

/// How many letters make up a tag or an order to a terminal. Each is looked through once: the next one's beginning ends it.
fn unseen(rest: &[Letter]) -> Option<usize> {
    let ends = |from: usize, is_end: fn(char) -> bool| {
        let inside = rest.get(from..)?.iter().position(|(_, c)| is_end(*c) || matches!(*c, '<' | ESCAPE))?;
        is_end(rest[from + inside].1).then_some(from + inside + 1)
    };
    match rest[0].1 {
        '<' => ends(1, |c| c == '>'),
        ESCAPE if rest.get(1).is_some_and(|(_, c)| *c == '[') => ends(2, |c| ('@'..='~').contains(&c)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        readings(text).pop().into_iter().flatten().map(|(_, c)| c).collect()
    }

    #[test]
    fn escapes_are_what_they_mean_and_tags_are_nothing() {
        for said in [
            "a\\x67b",
            "a\\u0067b",
            "a\\u{67}b",
            "a\\U00000067b",
            "a&#103;b",
            "a&#x67;b",
            "a&amp;#103;b",
            "a%67b",
            "a%2567b",
            "a0x67b",
            "aU+0067;b",
            "a\\147b",
            "a&#0000103;b",
            "a&#x00000067;b",
            "a\\u{000067}b",
            "a\\000067b",
            "a<br/>g</i>b",
            "a\u{1b}[1;31mg\u{1b}[0mb",
            "a\\x1b[31mgb",
        ] {
            assert_eq!(read(said), "agb", "{said}");
        }
        for said in ["agb", "100 % of = 7 < 8", "a \\ b & c <", "\u{1b}", "%", "&#;", "\\u", "ü%c3"] {
            assert_eq!(read(said), said);
        }
    }

    #[test]
    fn places_are_those_of_the_text() {
        let last = readings("ü&#x67;<b>c").pop().expect("a reading");
        assert_eq!(last, [(0..2, 'ü'), (2..8, 'g'), (11..12, 'c')]);
    }
}
