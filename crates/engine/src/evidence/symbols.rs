//! Lines that define something, and what it is called.
//!
//! Names are what later steps search for (docs/design/measuring.md, "What later steps need": 87% of the symbols they
//! need were seen within ten steps). Keywords of common languages are enough to find most; no language is parsed.

use crate::configuration::evidence::{DEFINED_WITHIN, SHORTEST_NAME, TAB};

/// The name that a line defines.
pub(crate) fn defined(line: &str) -> Option<&str> {
    if !may_define(line) {
        return None;
    }
    let trimmed = line.trim_start();
    // Deeply nested definitions are details.
    let depth =
        line[..line.len() - trimmed.len()].chars().map(|blank| if blank == '\t' { TAB } else { 1 }).sum::<usize>();
    if depth > DEFINED_WITHIN {
        return None;
    }
    let mut words = trimmed.split_whitespace().skip_while(|word| is_modifier(word));
    if !is_keyword(words.next()?) {
        return None;
    }
    let mut rest = words.next()?;
    if rest.starts_with('(') {
        // Go: the receiver stands before the name.
        rest = trimmed.split_once(") ")?.1;
    }
    let end = rest.find(|character: char| !is_name(character)).unwrap_or(rest.len());
    let name = &rest[..end];
    (name.len() >= 2 && !name.starts_with(|first: char| first.is_ascii_digit())).then_some(name)
}

/// Nearly all lines define nothing, and their first letters tell.
fn may_define(line: &str) -> bool {
    let bytes = line.as_bytes();
    let Some(start) = bytes.iter().position(|byte| !matches!(byte, b' ' | b'\t')) else { return false };
    // There are other blanks.
    if !bytes[start].is_ascii_graphic() {
        return true;
    }
    let letters = bytes[start..].iter().take_while(|byte| byte.is_ascii_lowercase()).count();
    let first = &line[start..start + letters];
    matches!(first, "pub" | "macro") || is_modifier(first) || is_keyword(first)
}

/// What such a file "defines" stands in its examples.
pub(crate) fn is_prose(path: &str) -> bool {
    [".md", ".txt", ".rst"].iter().any(|ending| path.ends_with(ending))
}

/// May stand before a keyword.
fn is_modifier(word: &str) -> bool {
    matches!(
        word,
        "pub"
            | "pub(crate)"
            | "pub(super)"
            | "export"
            | "default"
            | "async"
            | "static"
            | "public"
            | "private"
            | "protected"
            | "final"
            | "abstract"
            | "unsafe"
            | "const"
            | "extern"
            | "override"
            | "inline"
    )
}

/// Stands before a name that it defines.
fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "fn" | "def"
            | "class"
            | "func"
            | "function"
            | "struct"
            | "enum"
            | "trait"
            | "interface"
            | "type"
            | "module"
            | "macro_rules!"
            | "union"
    )
}

/// Names that a text marks as code or that can be nothing else: what somebody speaks of.
pub(crate) fn spoken(text: &str) -> impl Iterator<Item = &str> {
    let mut in_code = false;
    text.split('`').flat_map(move |piece| {
        let code = in_code;
        in_code = !in_code;
        piece.split(|character: char| !is_name(character)).filter(move |word| {
            let inner_capital = || word.bytes().skip(1).any(|byte| byte.is_ascii_uppercase());
            let lower = || word.bytes().any(|byte| byte.is_ascii_lowercase());
            word.len() >= SHORTEST_NAME
                && (code || word.trim_matches('_').contains('_') || (inner_capital() && lower()))
        })
    })
}

fn is_name(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_found_in_many_languages() {
        for (line, name) in [
            ("pub(crate) unsafe fn parse_header(text: &str) {", "parse_header"),
            ("    def balance(self, account):", "balance"),
            ("class Ledger(Base):", "Ledger"),
            ("func (r *Runner) Run(ctx context.Context) error {", "Run"),
            ("export default function App() {", "App"),
            ("type Options struct {", "Options"),
            ("export interface Props<T> {", "Props"),
        ] {
            assert_eq!(defined(line), Some(name), "{line}");
        }
        for line in ["return balance", "# def x", "the class of it", "        def inner_most_of_all(self): pass"] {
            assert!(defined(line).is_none_or(|name| name == "inner_most_of_all"), "{line}");
        }
    }

    #[test]
    fn code_and_names_are_spoken_of() {
        let found: Vec<&str> = spoken("The `balance` of parse_header and HttpClient, not Plain words or `x`").collect();
        assert_eq!(found, ["balance", "parse_header", "HttpClient"]);
    }
}
