//! Strings in JSON: where one ends, and what it says.

use std::borrow::Cow;

const WORD: usize = 8;

/// The first byte from `at` on that is not plain: a quote, a backslash or a control character; else the end.
///
/// Nearly all of a large body is read here. Tool output breaks its runs at every `\n`, some twenty bytes apart in
/// recorded bodies, so one word at a time is as fast as wider strides, which must look for the place afterwards.
pub(super) fn end_of_plain(bytes: &[u8], mut at: usize) -> usize {
    while let Some(word) = bytes.get(at..at + WORD) {
        let found = special_bits(u64::from_le_bytes(word.try_into().expect("a slice of WORD bytes")));
        if found != 0 {
            return at + found.trailing_zeros() as usize / 8;
        }
        at += WORD;
    }
    while bytes.get(at).is_some_and(|&byte| !is_special(byte)) {
        at += 1;
    }
    at
}

fn is_special(byte: u8) -> bool {
    byte == b'"' || byte == b'\\' || byte < 0x20
}

/// The high bit of every byte that is special. Bytes above the lowest such one may be wrong: a borrow runs upwards.
fn special_bits(word: u64) -> u64 {
    const ONES: u64 = u64::from_ne_bytes([0x01; 8]);
    const HIGHS: u64 = u64::from_ne_bytes([0x80; 8]);
    let below = |word: u64, limit: u64| word.wrapping_sub(ONES * limit) & !word;
    let equals = |byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
    (below(word, 0x20) | equals(b'"') | equals(b'\\')) & HIGHS
}

/// The length of an escape that is not a code point, backslash included.
pub(super) fn escape_length(rest: &[u8]) -> Option<usize> {
    match rest.get(1)? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(2),
        b'u' => rest.get(2..6)?.iter().all(u8::is_ascii_hexdigit).then_some(6),
        _ => None,
    }
}

/// What an escaped string says. One with half a surrogate pair cannot be said in UTF-8 and is left as it is written.
pub(super) fn unescape(written: &str) -> Cow<'_, str> {
    serde_json::from_str(&format!("\"{written}\"")).map_or(Cow::Borrowed(written), Cow::Owned)
}
