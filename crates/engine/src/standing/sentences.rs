//! Sentences of what somebody wrote, each as it stands there.
//!
//! Markdown is looked through: code, tables and headings hold no sentences, marks of lists and emphasis at the edges do
//! not belong to them. What a sentence says is not known here.

use crate::words::lists;

/// One sentence, borrowed from the text, so that it can be quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sentence<'a> {
    pub(crate) text: &'a str,
    /// It begins the whole text.
    pub(crate) opens: bool,
    /// It begins an item of a list.
    pub(crate) listed: bool,
}

pub(crate) fn sentences(text: &str) -> Vec<Sentence<'_>> {
    let mut found: Vec<Sentence<'_>> = Vec::new();
    let mut in_code = false;
    for line in text.lines() {
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            in_code = !in_code;
            continue;
        }
        let no_prose = ["#", "|", "<", ">", "---", "===", "$ "].iter().any(|mark| line.starts_with(mark));
        if in_code || no_prose || line.is_empty() {
            continue;
        }
        let (line, listed) = without_list_mark(line);
        for (place, text) in split(line).into_iter().enumerate() {
            let text = without_emphasis(text.trim());
            if !text.is_empty() {
                found.push(Sentence { text, opens: found.is_empty(), listed: listed && place == 0 });
            }
        }
    }
    found
}

/// Marks around the whole go; those around a part of it stay in pairs.
fn without_emphasis(text: &str) -> &str {
    let inner = text.trim_matches('*').trim();
    if inner.matches("**").count().is_multiple_of(2) { inner } else { text }
}

pub(crate) fn without_list_mark(line: &str) -> (&str, bool) {
    for mark in ["- [x] ", "- [ ] ", "- ", "* ", "• ", "✅ ", "✓ "] {
        if let Some(rest) = line.strip_prefix(mark) {
            return (rest.trim_start(), true);
        }
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    match line[digits..].strip_prefix(". ").or_else(|| line[digits..].strip_prefix(") ")) {
        Some(rest) if digits > 0 => (rest.trim_start(), true),
        _ => (line, false),
    }
}

pub(crate) fn split(line: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut characters = line.char_indices().peekable();
    let mut in_code = false;
    while let Some((at, character)) = characters.next() {
        let end = at + character.len_utf8();
        in_code ^= character == '`';
        let next = characters.peek().map(|(_, next)| *next);
        let ends = match character {
            '。' | '！' | '？' => true,
            '.' | '!' | '?' => next.is_none_or(char::is_whitespace) && !is_short_form(&line[start..end]),
            _ => false,
        };
        if ends && !in_code {
            parts.push(&line[start..end]);
            start = end;
        }
    }
    parts.push(&line[start..]);
    parts
}

fn is_short_form(text: &str) -> bool {
    let last = text.rsplit(char::is_whitespace).next().unwrap_or_default().trim_start_matches('(').to_lowercase();
    lists().short_forms.has(&last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        sentences(text).into_iter().map(|sentence| sentence.text).collect()
    }

    #[test]
    fn prose_is_cut_into_sentences() {
        assert_eq!(
            texts("Found it. The cause is `a.b. c` in v1.2, e.g. here! 问题在于前缀。已修复"),
            ["Found it.", "The cause is `a.b. c` in v1.2, e.g. here!", "问题在于前缀。", "已修复"]
        );
    }

    #[test]
    fn markdown_is_looked_through() {
        let text =
            "## Summary\n\n1. **Fixed** the parser\n- **All done.**\n| a | b |\n```\nlet x = 1. + 2.;\n```\nBye.";
        assert_eq!(texts(text), ["**Fixed** the parser", "All done.", "Bye."]);
        let found = sentences(text);
        assert!(found[0].opens && found[0].listed && !found[2].listed);
    }
}
