//! Halves of characters. Servers, and clients written in JavaScript, cut texts between the two halves of one, and write the
//! half that is left as an escape (`\ud83d`) which no strict reader of JSON takes. It is read as U+FFFD, as bytes are that
//! are not UTF-8: one character is not worth the whole message.

use std::borrow::Cow;

use memchr::memmem;

/// JSON in which every half of a character is U+FFFD.
pub fn mend_halves(json: &[u8]) -> Cow<'_, [u8]> {
    if memmem::find(json, br"\ud").is_none() && memmem::find(json, br"\uD").is_none() {
        return Cow::Borrowed(json);
    }
    let mut mended = Vec::with_capacity(json.len());
    let mut at = 0;
    while let Some(&byte) = json.get(at) {
        let rest = &json[at..];
        let length = match (byte, half(rest)) {
            (b'\\', Some(Half::First)) if rest.get(6..).and_then(half) == Some(Half::Second) => 12,
            (b'\\', Some(_)) => {
                mended.extend_from_slice(br"\ufffd");
                at += 6;
                continue;
            }
            // What an escape stands for begins no other one.
            (b'\\', None) => 2,
            _ => 1,
        };
        mended.extend_from_slice(&rest[..length.min(rest.len())]);
        at += length;
    }
    Cow::Owned(mended)
}

#[derive(Debug, PartialEq, Eq)]
enum Half {
    First,
    Second,
}

/// Which half of a character an escape at the beginning is.
fn half(json: &[u8]) -> Option<Half> {
    let digits = json.strip_prefix(br"\u")?.get(..4)?;
    match u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()? {
        0xd800..=0xdbff => Some(Half::First),
        0xdc00..=0xdfff => Some(Half::Second),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_half_becomes_a_mark_and_a_whole_character_stays() {
        for (json, expected) in [
            (r#""a\ud83d""#, "a\u{fffd}"),
            (r#""\ude00b""#, "\u{fffd}b"),
            (r#""\ud83d\ud83d\ude00""#, "\u{fffd}\u{1f600}"),
            (r#""\uD83D\uDE00 \ud83dx""#, "\u{1f600} \u{fffd}x"),
            (r#""\\ud83d""#, r"\ud83d"),
            (r#""plain é""#, "plain é"),
        ] {
            let read: String = serde_json::from_slice(&mend_halves(json.as_bytes())).expect(json);
            assert_eq!(read, expected, "{json}");
        }
    }

    #[test]
    fn what_is_cut_off_stays_as_it_was() {
        for json in [r#""\ud8"#, r#""\ud83d\u"#, "\\"] {
            assert!(mend_halves(json.as_bytes()).len() >= json.len().min(1));
        }
    }
}
