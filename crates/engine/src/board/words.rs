//! What a short statement consists of: words, numbers, quotations and negations, in English and Chinese.
//!
//! This compares wording and understands nothing: synonyms and opposites are unknown here ("passes" and "fails" are two
//! words like any others).

use crate::text::is_unspaced;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// Plain words in lower case and without their ending; code words (`_ . / ::`, inner capitals) as they are.
    Word(String),
    Number(&'a str),
    Quoted(&'a str),
    Negation,
}

const QUOTES: [(char, char); 6] = [('`', '`'), ('"', '"'), ('“', '”'), ('‘', '’'), ('「', '」'), ('\'', '\'')];
/// What may stand once between two characters of a word (`::` twice) or of a number, date, time or range.
const WORD_JOINTS: [char; 6] = ['.', '/', ':', '-', '\'', '’'];
const NUMBER_JOINTS: [char; 4] = ['.', ',', ':', '-'];
const CHINESE_NEGATIONS: [char; 5] = ['不', '没', '未', '无', '非'];

pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let after_word = text[..at].chars().next_back().is_some_and(char::is_alphanumeric);
        let length = if let Some(inner) = quoted(rest, after_word) {
            found.push(Token::Quoted(inner.0));
            inner.1
        } else if is_unspaced(first) {
            let negates = CHINESE_NEGATIONS.contains(&first);
            found.push(if negates { Token::Negation } else { Token::Word(first.into()) });
            first.len_utf8()
        } else if first.is_ascii_digit() || first == '-' && !after_word && rest[1..].starts_with(is_digit) {
            let sign = usize::from(first == '-');
            let digits = run(&rest[sign..], |c| (c.is_alphanumeric() || c == '%') && !is_unspaced(c), &NUMBER_JOINTS);
            found.push(Token::Number(&rest[..sign + digits.len()]));
            sign + digits.len()
        } else if first.is_alphanumeric() || first == '_' {
            let word = run(rest, |c| (c.is_alphanumeric() || c == '_') && !is_unspaced(c), &WORD_JOINTS);
            push_word(word, &mut found);
            word.len()
        } else if is_operator(first) {
            let operator = run(rest, is_operator, &[]);
            found.push(Token::Word(operator.to_owned()));
            operator.len()
        } else {
            first.len_utf8()
        };
        at += length;
    }
    found
}

/// The longest start that consists of `inside` characters and of joints that stand between two of them.
fn run<'a>(text: &'a str, inside: impl Fn(char) -> bool, joints: &[char]) -> &'a str {
    let mut end = 0;
    let mut pending = false;
    for (at, character) in text.char_indices() {
        if inside(character) {
            end = at + character.len_utf8();
            pending = false;
        } else if joints.contains(&character) && (!pending || character == ':') && end > 0 {
            pending = true;
        } else {
            break;
        }
    }
    &text[..end]
}

/// What stands in quotes at the start of a text, and the length with them. An apostrophe inside a word opens nothing.
fn quoted(text: &str, after_word: bool) -> Option<(&str, usize)> {
    let first = text.chars().next()?;
    let (open, close) = QUOTES.into_iter().find(|(open, _)| *open == first)?;
    if after_word && matches!(open, '\'' | '‘') {
        return None;
    }
    let inner = &text[open.len_utf8()..];
    let end = inner.find(close)?;
    Some((&inner[..end], open.len_utf8() + end + close.len_utf8()))
}

fn push_word(word: &str, found: &mut Vec<Token<'_>>) {
    if is_code(word) {
        found.push(Token::Word(word.to_owned()));
        return;
    }
    let lower = word.to_lowercase().replace('’', "'");
    match lower.as_str() {
        "not" | "no" | "never" | "without" => found.push(Token::Negation),
        "cannot" | "can't" => found.extend([Token::Word("can".into()), Token::Negation]),
        "won't" => found.extend([Token::Word("will".into()), Token::Negation]),
        _ => match lower.strip_suffix("n't") {
            Some(verb) => found.extend([Token::Word(stem(verb)), Token::Negation]),
            None => found.push(Token::Word(stem(&lower))),
        },
    }
}

/// What admission compares exactly (docs/design/folding.md, "Admission"): words that hold `_ . / ::` or an inner
/// capital.
fn is_code(word: &str) -> bool {
    word.contains(['_', '.', '/', ':']) || word.chars().skip(1).any(char::is_uppercase)
}

/// Without the endings of number, tense and person. Too coarse for a dictionary, enough to find "passes" in "pass".
pub(super) fn stem(word: &str) -> String {
    let long_enough = |stem: &&str| stem.chars().count() >= 3;
    let stem = ["ing", "ed"].into_iter().find_map(|ending| word.strip_suffix(ending).filter(long_enough));
    let plural = || word.strip_suffix('s').filter(|rest| !rest.ends_with('s')).filter(long_enough);
    let stem = stem.or_else(plural).unwrap_or(word);
    stem.strip_suffix('e').filter(long_enough).unwrap_or(stem).to_owned()
}

fn is_digit(character: char) -> bool {
    character.is_ascii_digit()
}

fn is_operator(character: char) -> bool {
    "=<>!+*&|@#$%^~\\[]{}".contains(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(text: &str) -> Token<'_> {
        Token::Word(text.to_owned())
    }

    #[test]
    fn a_statement_is_taken_apart() {
        assert_eq!(
            tokens("3 tests don't pass in src/a.py: `x` is -1.5ms, lines 22-30"),
            [
                Token::Number("3"),
                word("test"),
                word("do"),
                Token::Negation,
                word("pass"),
                word("in"),
                word("src/a.py"),
                Token::Quoted("x"),
                word("is"),
                Token::Number("-1.5ms"),
                word("lin"),
                Token::Number("22-30"),
            ]
        );
        assert_eq!(
            tokens("测试未通过 3 个"),
            [word("测"), word("试"), Token::Negation, word("通"), word("过"), Token::Number("3"), word("个")]
        );
    }

    #[test]
    fn code_keeps_its_case_and_its_endings() {
        assert_eq!(
            tokens("Session::uses maxUses a != b"),
            [word("Session::uses"), word("maxUses"), word("a"), word("!="), word("b")]
        );
    }

    #[test]
    fn quotes_that_do_not_close_are_no_quotes() {
        assert_eq!(tokens("the user's \"end"), [word("the"), word("user'"), word("end")]);
    }

    proptest::proptest! {
        #[test]
        fn any_text_can_be_taken_apart(text in proptest::prelude::any::<String>(), short in "[-'`\"a1:.不 ]{0,12}") {
            tokens(&text);
            tokens(&short);
        }
    }
}
