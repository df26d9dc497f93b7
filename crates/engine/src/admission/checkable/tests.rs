//! What counts as checkable, and what occurs.

use super::*;

fn rendered(text: &str) -> Vec<String> {
    checkables(text).iter().map(Checkable::render).collect()
}

#[test]
fn numbers_code_and_quotes_are_checkable() {
    assert_eq!(rendered("all 3 ledger tests pass after the edit"), ["3"]);
    assert_eq!(
        rendered("`balance()` in src/ledger.py uses startsWith."),
        ["`balance()`", "src/ledger.py", "startsWith"]
    );
    assert_eq!(rendered("a \"cash-reserve\" is counted, 1,000 times"), ["`cash-reserve`", "1,000"]);
    assert_eq!(rendered("the user's wish isn't 'cash'"), ["`cash`"]);
    assert_eq!(rendered("std::fmt, MAX_SIZE and ENOENT but no JSON or APIs"), ["std::fmt", "MAX_SIZE", "ENOENT"]);
    assert_eq!(rendered("it took 0.83s (25%) in v2, and/or e.g. more"), ["0.83", "25"]);
}

#[test]
fn lines_and_pointers_are_places() {
    use Checkable::{Line, Number, Pointer, Word};
    assert_eq!(checkables("lines 22 and 23 hold 4"), [Line(22), Line(23), Number("4".into())]);
    assert_eq!(checkables("see L22-L23, cmd#3"), [Line(22), Line(23), Pointer("cmd#3".into())]);
    assert_eq!(checkables("文件src/a.py的第22行有3处"), [Word("src/a.py".into()), Line(22), Number("3".into())]);
}

#[test]
fn an_ellipsis_splits_a_quote() {
    assert_eq!(rendered("`def balance(…): return`"), ["`def balance(`", "`): return`"]);
    assert_eq!(rendered("an unclosed ` or \" is nothing"), Vec::<String>::new());
}

#[test]
fn whole_words_occur() {
    assert!(occurs("cash", "\"cash-reserve\""));
    assert!(!occurs("cash", "cashier"));
    assert!(!occurs("a.py", "data.py"));
    assert!(!occurs("src/a.py", "src/a.pyc"));
    assert!(occurs("余额", "总余额表"));
}

#[test]
fn whole_numbers_occur() {
    assert!(number_occurs("3", "3 passed"));
    assert!(number_occurs("1", "exit=1\n"));
    assert!(number_occurs("0.83", "in 0.83s"));
    assert!(number_occurs("1,000", "1000 rows"));
    for text in ["13", "3.5", "0.3", "x3", "31", "1,3"] {
        assert!(!number_occurs("3", text), "{text}");
    }
}
