//! Cutting a text into the pieces that are made into tokens one by one.
//!
//! What OpenAI's pattern for o200k_base does, by hand. Its alternatives in their order, `U` for [`UPPER`] and `l` for [`LOWER`]:
//!
//! ```text
//! [^\r\n\p{L}\p{N}]? U* l+ (?i:'s|'t|'re|'ve|'m|'ll|'d)?
//! [^\r\n\p{L}\p{N}]? U+ l* (?i:'s|'t|'re|'ve|'m|'ll|'d)?
//! \p{N}{1,3}
//!  ?[^\s\p{L}\p{N}]+[\r\n/]*
//! \s*[\r\n]+
//! \s+(?!\S)
//! \s+
//! ```

use crate::classes::{END, LETTER, LOWER, NEWLINE, NUMBER, SPACE, UPPER, at};

/// Where the piece that begins at `start` ends. There is always one: every character is in one of the sets.
#[inline]
pub(crate) fn end_of_piece(text: &str, start: usize) -> usize {
    let (first, length) = at(text, start);
    if first & LETTER != 0 {
        return word(text, start).or_else(|| capitals(text, start)).unwrap_or(start + length);
    }
    if first & NUMBER != 0 {
        return number(text, start);
    }
    if first & NEWLINE == 0 {
        let after = start + length;
        // A mark may stand before a word or be in one: as its first character it is tried both ways before capitals alone.
        let word =
            word(text, after).or_else(|| if first & LOWER != 0 { word(text, start) } else { capitals(text, after) });
        if let Some(end) = word.or_else(|| symbols(text, start)) {
            return end;
        }
    }
    space(text, start)
}

/// `U* l+` and what may follow it. The first part takes all it can and gives back until the second has something.
#[inline]
fn word(text: &str, start: usize) -> Option<usize> {
    let (mut end, mut both) = (start, None);
    loop {
        let (sets, length) = at(text, end);
        if sets & UPPER == 0 {
            if sets & LOWER != 0 {
                both = Some(run(text, end, |sets| sets & LOWER != 0));
            }
            return both.map(|end| contraction(text, end));
        }
        end += length;
        if sets & LOWER != 0 {
            both = Some(end);
        }
    }
}

/// `U+ l*` where [`word`] has found nothing: then nothing of it is lower.
fn capitals(text: &str, start: usize) -> Option<usize> {
    let end = run(text, start, |sets| sets & UPPER != 0);
    (end > start).then(|| contraction(text, end))
}

fn contraction(text: &str, end: usize) -> usize {
    let Some([b'\'', rest @ ..]) = text.as_bytes().get(end..) else { return end };
    let [first, second] = [0, 1].map(|index| rest.get(index).map_or(0, u8::to_ascii_lowercase));
    match [first, second] {
        [b's' | b't' | b'm' | b'd', _] => end + 2,
        // U+017F, which is an s in all but its case.
        [0xc5, 0xbf] | [b'r' | b'v', b'e'] | [b'l', b'l'] => end + 3,
        _ => end,
    }
}

fn number(text: &str, start: usize) -> usize {
    (0..3).fold(start, |end, _| match at(text, end) {
        (sets, length) if sets & NUMBER != 0 => end + length,
        _ => end,
    })
}

fn symbols(text: &str, start: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let begin = if bytes.get(start) == Some(&b' ') { start + 1 } else { start };
    let end = run(text, begin, |sets| sets & (SPACE | LETTER | NUMBER | END) == 0);
    let tail = || bytes[end..].iter().take_while(|byte| matches!(byte, b'\r' | b'\n' | b'/')).count();
    (end > begin).then(|| end + tail())
}

/// Space up to its last line break; else up to the last character, which goes with the word behind it.
fn space(text: &str, start: usize) -> usize {
    let (mut end, mut last, mut line) = (start, start, None);
    loop {
        let (sets, length) = at(text, end);
        if sets & SPACE == 0 {
            let all = sets == END || last == start;
            return line.unwrap_or(if all { end } else { last });
        }
        last = end;
        end += length;
        if sets & NEWLINE != 0 {
            line = Some(end);
        }
    }
}

#[inline]
fn run(text: &str, start: usize, belongs: impl Fn(u8) -> bool) -> usize {
    let mut end = start;
    loop {
        let (sets, length) = at(text, end);
        if !belongs(sets) {
            return end;
        }
        end += length;
    }
}
