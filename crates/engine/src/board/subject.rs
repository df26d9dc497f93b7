//! When do two facts speak of the same thing, and do they say the same of it (docs/design/model.md, "Conflict")?
//!
//! Two statements have one subject where they are the same but for their **values**: a number, unless it names something
//! ("line 22", "#4"); a quotation behind "is", "returns", "=" and the like; a negation. Everything else must be equal, word
//! for word: "line 22 is wrong" and "line 40 is wrong" are two facts, "3 tests fail" and "2 tests fail" are one with two
//! values. A contradiction in other words stays unseen here; whoever sees it revises or retracts by id.

use super::words::{Token, stem, tokens};
use crate::words::{Words, lists};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    Unrelated,
    /// The same statement again.
    Same,
    /// The same subject, another value.
    Contrary,
}

/// What a statement is about: its wording with the values left open. Empty where it has no words at all.
pub(super) fn subject(text: &str) -> String {
    wording(text, Values::Open)
}

/// How a text relates to one whose subject is known.
pub(super) fn relation(text: &str, other: &str, other_subject: &str) -> Relation {
    let own = subject(text);
    if own.is_empty() || own != other_subject {
        Relation::Unrelated
    } else if wording(text, Values::Stated) == wording(other, Values::Stated) {
        Relation::Same
    } else {
        Relation::Contrary
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Values {
    Open,
    Stated,
}

fn wording(text: &str, values: Values) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut has_words = false;
    let lists = lists();
    // The last word, where nothing but unheard words came behind it.
    let mut before = String::new();
    for token in tokens(text) {
        let part = match &token {
            Token::Word(word) if is_one_of(&lists.unheard, word) => continue,
            Token::Word(word) => {
                has_words = true;
                word.clone()
            }
            Token::Negation if values == Values::Open => continue,
            Token::Negation => "not".to_owned(),
            Token::Number(_) if values == Values::Open && !is_one_of(&lists.naming, &before) => "0".to_owned(),
            Token::Number(number) => (*number).to_owned(),
            Token::Quoted(_) if values == Values::Open && is_one_of(&lists.stating, &before) => "``".to_owned(),
            Token::Quoted(quoted) => format!("`{quoted}`"),
        };
        before = if matches!(token, Token::Word(_)) { part.clone() } else { String::new() };
        parts.push(part);
    }
    if has_words { parts.join(" ") } else { String::new() }
}

fn is_one_of(list: &Words, word: &str) -> bool {
    list.iter().any(|listed| stem(listed) == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn between(one: &str, other: &str) -> Relation {
        relation(one, other, &subject(other))
    }

    #[test]
    fn other_numbers_quotations_and_negations_are_contrary() {
        for (one, other) in [
            ("3 tests fail", "2 tests fail"),
            ("src/a.py has 38 lines", "src/a.py has 40 lines."),
            ("the suite passes", "The suite does not pass"),
            ("balance() is exact", "balance() isn't exact"),
            ("the default port is `8080`", "the default port is \"9090\""),
            ("测试通过", "测试未通过"),
            ("剩余 3 个失败用例", "剩余 1 个失败用例"),
        ] {
            assert_eq!(between(one, other), Relation::Contrary, "{one} / {other}");
        }
    }

    #[test]
    fn names_make_two_subjects() {
        for (one, other) in [
            ("line 22 uses startswith", "line 40 uses startswith"),
            ("`balance` uses startswith", "`report` uses startswith"),
            ("the function `balance` is exact", "the function `report` is exact"),
            ("issue #4 is open", "issue #5 is open"),
            ("src/a.py has 38 lines", "src/b.py has 38 lines"),
            ("x == 1 holds", "x != 1 holds"),
            ("测试 通过", "构建 通过"),
            ("the tests pass", "the tests fail"),
            ("3", "4"),
        ] {
            assert_eq!(between(one, other), Relation::Unrelated, "{one} / {other}");
        }
    }

    #[test]
    fn the_same_again_is_the_same() {
        assert_eq!(between("The 3 tests pass.", "3 tests passed"), Relation::Same);
        assert_eq!(between("`x` is `1`", "\"x\" is '1'"), Relation::Same);
    }
}
