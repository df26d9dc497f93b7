//! JSON as people write it into configuration files: with comments, and with a comma behind the last member.

use serde_json::Value;

pub(super) fn parse(text: &str) -> serde_json::Result<Value> {
    let mut plain = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, behind)) = rest.split_first() {
        let taken = match byte {
            b'"' => string(rest),
            b'/' if behind.first() == Some(&b'/') => {
                rest = &rest[memchr::memchr(b'\n', rest).unwrap_or(rest.len())..];
                continue;
            }
            b'/' if behind.first() == Some(&b'*') => {
                rest = &rest[memchr::memmem::find(rest, b"*/").map_or(rest.len(), |end| end + 2)..];
                continue;
            }
            b'}' | b']' => {
                let end = plain.trim_ascii_end().len();
                if plain[..end].ends_with(b",") {
                    plain.truncate(end - 1);
                }
                1
            }
            _ => 1,
        };
        plain.extend_from_slice(&rest[..taken]);
        rest = &rest[taken..];
    }
    serde_json::from_slice(&plain)
}

/// How long a string is, with its quotes.
fn string(text: &[u8]) -> usize {
    let mut at = 1;
    while at < text.len() {
        match text[at] {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn comments_and_last_commas_are_left_out_and_strings_are_not_read() {
        let text = "{ // one\n \"a\": \"// \\\" , }\", /* two, } */ \"b\": [1, 2, ], }";
        assert_eq!(parse(text).expect("JSON"), json!({"a": "// \" , }", "b": [1, 2]}));
        assert!(parse("{\"a").is_err());
        assert!(parse("{} /* open").is_ok());
    }
}
