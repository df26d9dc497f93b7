//! Paths inside pointers: percent-encoded where a character would end the path or break the line.
//!
//! Letters of any script stay as they are, for people to read.

use std::fmt::Write;

pub(super) fn must_be_encoded(character: char) -> bool {
    matches!(character, ':' | '#' | '%' | '@') || character.is_whitespace() || character.is_control()
}

pub(super) fn render_path(path: &str) -> String {
    let mut rendered = String::with_capacity(path.len());
    for character in path.chars() {
        if must_be_encoded(character) {
            for byte in character.encode_utf8(&mut [0; 4]).bytes() {
                // Writing to a string cannot fail.
                let _ = write!(rendered, "%{byte:02X}");
            }
        } else {
            rendered.push(character);
        }
    }
    rendered
}

/// None where a `%` is not followed by two hexadecimal digits, or the bytes are not UTF-8.
pub(super) fn parse_path(encoded: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(encoded.len());
    let mut rest = encoded.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        if first == b'%' {
            let (digits, after) = rest.split_first_chunk::<2>()?;
            bytes.push(hexadecimal(digits[0])? << 4 | hexadecimal(digits[1])?);
            rest = after;
        } else {
            bytes.push(first);
        }
    }
    String::from_utf8(bytes).ok()
}

fn hexadecimal(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).map(|value| value as u8)
}
