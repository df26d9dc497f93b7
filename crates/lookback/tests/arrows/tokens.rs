//! Rust source as words with their lines: no comments, no literals but plain strings, nothing that only tests compile.
//! Knows no grammar beyond what is needed to leave those out.

#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'a> {
    pub(crate) text: &'a str,
    pub(crate) line: usize,
}

/// The tokens of a file without the items under `#[cfg(test)]`.
pub(crate) fn tokens(text: &str) -> Vec<Token<'_>> {
    without_tests(&all(text))
}

fn all(text: &str) -> Vec<Token<'_>> {
    let bytes = text.as_bytes();
    let (mut at, mut line, mut found) = (0, 1, Vec::new());
    while at < bytes.len() {
        let rest = &text[at..];
        let length = match bytes[at] {
            b'/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            b'/' if rest.starts_with("/*") => comment(rest),
            b'"' => {
                let length = quoted(rest);
                found.push(Token { text: &rest[..length], line });
                length
            }
            b'\'' => character(rest),
            b':' if rest.starts_with("::") => {
                found.push(Token { text: "::", line });
                2
            }
            first if first.is_ascii_digit() => word(rest),
            first if first == b'_' || first.is_ascii_alphabetic() || !first.is_ascii() => match raw(rest) {
                Some(length) => length,
                None => {
                    found.push(Token { text: &rest[..word(rest)], line });
                    word(rest)
                }
            },
            first if first.is_ascii_whitespace() => 1,
            _ => {
                found.push(Token { text: &rest[..1], line });
                1
            }
        };
        line += rest[..length].matches('\n').count();
        at += length;
    }
    found
}

fn word(rest: &str) -> usize {
    rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len()).max(1)
}

fn comment(rest: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    loop {
        if rest[at..].starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if rest[at..].starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
        } else {
            match rest[at..].chars().next() {
                Some(c) => at += c.len_utf8(),
                None => return at,
            }
        }
        if depth == 0 {
            return at;
        }
    }
}

fn quoted(rest: &str) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// `'x'` and `'\n'` are characters, `'x` is a lifetime.
fn character(rest: &str) -> usize {
    let mut inside = rest[1..].char_indices();
    match inside.next() {
        Some((_, '\\')) => 3 + rest[3..].find('\'').map_or(0, |end| end + 1),
        Some(_) => match inside.next() {
            Some((at, '\'')) => at + 2,
            _ => 1 + word(&rest[1..]),
        },
        None => 1,
    }
}

/// The length of `r"…"`, `br#"…"#` and the like, if one begins here.
fn raw(rest: &str) -> Option<usize> {
    let prefix = ["r", "br", "cr"].into_iter().find(|prefix| word(rest) == prefix.len() && rest.starts_with(prefix))?;
    let hashes = rest[prefix.len()..].bytes().take_while(|byte| *byte == b'#').count();
    let open = prefix.len() + hashes;
    rest[open..].strip_prefix('"')?;
    let close = format!("\"{}", "#".repeat(hashes));
    let end = rest[open + 1..].find(&close)?;
    Some(open + 1 + end + close.len())
}

fn without_tests<'a>(tokens: &[Token<'a>]) -> Vec<Token<'a>> {
    let (mut kept, mut at) = (Vec::new(), 0);
    while at < tokens.len() {
        if is_test_only(&tokens[at..]) {
            while is(tokens, at, "#") {
                at = closing(tokens, at + 1);
            }
            at = item_end(tokens, at);
        } else {
            kept.push(tokens[at]);
            at += 1;
        }
    }
    kept
}

fn is_test_only(tokens: &[Token<'_>]) -> bool {
    [&["#", "[", "cfg", "(", "test", ")"][..], &["#", "[", "cfg", "(", "all", "(", "test"]]
        .into_iter()
        .any(|start| tokens.len() >= start.len() && tokens.iter().zip(start).all(|(token, text)| token.text == *text))
}

/// Behind the item, field or statement that begins at `at`.
fn item_end(tokens: &[Token<'_>], mut at: usize) -> usize {
    at += usize::from(is(tokens, at, "pub"));
    if is(tokens, at, "(") {
        at = closing(tokens, at);
    }
    let list = is(tokens, at, "use");
    while at < tokens.len() {
        match tokens[at].text {
            ";" => return at + 1,
            "}" => return at,
            "{" if !list => return closing(tokens, at),
            "{" | "(" | "[" => at = closing(tokens, at),
            _ => at += 1,
        }
    }
    at
}

/// Behind the bracket that closes the one at `at`.
pub(crate) fn closing(tokens: &[Token<'_>], mut at: usize) -> usize {
    let mut depth = 0;
    while at < tokens.len() {
        match tokens[at].text {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => depth -= 1,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            break;
        }
    }
    at
}

pub(crate) fn is(tokens: &[Token<'_>], at: usize, text: &str) -> bool {
    tokens.get(at).is_some_and(|token| token.text == text)
}

pub(crate) fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
}
