//! Is a new goal a refinement of the old one, or another goal (docs/seeds.md 7.1)?
//!
//! A refinement keeps every significant word of the old goal (in any order, in any form of the word, with more around
//! them), and keeps each as it was: wanted or forbidden. So "fix the ledger test" → "fix the ledger test by comparing whole
//! names" is one; "delete the ledger test", "do not fix the ledger test" and a dropped "don't touch the fixtures" are not.
//! It is strict on purpose: a shift taken for a refinement is drift, the reverse costs one sentence of reason.

use std::collections::BTreeSet;

use super::words::{Token, stem, tokens};
use crate::words::lists;

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Wanted(String),
    Forbidden(String),
}

pub(super) fn is_refinement(old: &str, new: &str) -> bool {
    let mut kept = BTreeSet::new();
    collect_parts(new, &mut kept);
    let mut needed = BTreeSet::new();
    collect_parts(old, &mut needed);
    needed.is_subset(&kept)
}

/// A negation forbids the next significant word.
fn collect_parts(text: &str, parts: &mut BTreeSet<Part>) {
    let mut forbids = false;
    for token in tokens(text) {
        let word = match token {
            Token::Negation => {
                forbids = true;
                continue;
            }
            Token::Word(word) if lists().insignificant.iter().any(|listed| stem(listed) == word) => continue,
            Token::Word(word) => word,
            Token::Number(number) => number.to_owned(),
            Token::Quoted(quoted) => {
                collect_parts(quoted, parts);
                continue;
            }
        };
        parts.insert(if forbids { Part::Forbidden(word) } else { Part::Wanted(word) });
        forbids = false;
    }
}

#[cfg(test)]
mod tests {
    use super::is_refinement;

    const OLD: &str = "fix the failing ledger test, don't touch the fixtures";

    #[test]
    fn seed_7_1_a_refinement_keeps_what_was_asked() {
        for new in [
            OLD,
            "Fix the ledger test that fails (balance() counts prefixes) without touching the fixtures",
            "fix the failing `ledger` test in tests/test_ledger.py; do not touch the fixtures",
        ] {
            assert!(is_refinement(OLD, new), "{new}");
        }
        assert!(is_refinement("修复失败的测试", "修复 ledger 中失败的测试"));
    }

    #[test]
    fn seed_7_1_dropping_adding_or_turning_a_word_is_a_shift() {
        for new in [
            "fix the failing ledger test",
            "fix the failing ledger test, touch the fixtures",
            "delete the failing ledger test, don't touch the fixtures",
            "do not fix the failing ledger test, don't touch the fixtures",
            "write the release notes",
            "",
        ] {
            assert!(!is_refinement(OLD, new), "{new}");
        }
        assert!(!is_refinement("修复失败的测试", "删除失败的测试"));
    }
}
