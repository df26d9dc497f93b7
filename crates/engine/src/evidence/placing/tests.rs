use super::*;
use crate::trace::TurnNo;

fn owned(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}

fn hunk(first_line: u32, removed: &str, added: &str) -> Hunk {
    Hunk { first_line, removed: owned(removed), added: owned(added) }
}

fn known(first: u32, text: &str) -> Vec<ObservedLine> {
    (first..)
        .zip(text.lines())
        .map(|(number, text)| ObservedLine { number, text: text.to_owned(), turn: TurnNo(1) })
        .collect()
}

const FILE: &str = "import json\n\ndef load(path):\n    data = read(path)\n    return data\n\ndef save(path, data):\n    write(path, data)\n    return data\n";

#[test]
fn a_change_stands_where_its_lines_stood() {
    let hunks = [
        hunk(
            0,
            "def load(path):\n    data = read(path)\n    return data",
            "def load(path):\n    check(path)\n    data = read(path)\n    return data or {}",
        ),
        hunk(0, "    write(path, data)", ""),
    ];
    let expected = [
        hunk(4, "", "    check(path)"),
        hunk(6, "    return data", "    return data or {}"),
        hunk(9, "    write(path, data)", ""),
    ];
    assert_eq!(place(&hunks, &known(1, FILE)), expected);
    // Whatever order they came in.
    let turned = [hunks[1].clone(), hunks[0].clone()];
    assert_eq!(place(&turned, &known(1, FILE)), expected);
}

#[test]
fn of_several_places_the_next_one_is_meant() {
    let last = [hunk(0, "    return data", "    return None")];
    assert_eq!(place(&last, &known(1, FILE)), [hunk(5, "    return data", "    return None")]);
    let both = [hunk(0, "def save(path, data):", "def store(path, data):"), last[0].clone()];
    assert_eq!(
        place(&both, &known(1, FILE)),
        [hunk(7, "def save(path, data):", "def store(path, data):"), hunk(9, "    return data", "    return None")]
    );
    // Unless the first one may lie where nobody looked.
    let seen = known(1, FILE).split_off(1);
    assert_eq!(place(&last, &seen), last);
}

#[test]
fn without_a_place_only_the_change_itself_remains() {
    let unknown = [hunk(0, "def drop(path):\n    pass", "def drop(path):\n    unlink(path)")];
    assert_eq!(place(&unknown, &known(1, FILE)), [hunk(0, "    pass", "    unlink(path)")]);
    // One that is not found makes the others uncertain.
    let mixed = [hunk(0, "import json", "import yaml"), unknown[0].clone()];
    assert_eq!(
        place(&mixed, &known(1, FILE)),
        [hunk(0, "import json", "import yaml"), hunk(0, "    pass", "    unlink(path)")]
    );
    assert_eq!(place(&[hunk(0, "", "new")], &known(1, FILE)), [hunk(0, "", "new")]);
}

#[test]
fn little_text_says_nothing_about_what_was_not_seen() {
    let bracket = [hunk(0, "}", "};")];
    assert_eq!(place(&bracket, &known(40, "x = 1\n}")), bracket);
    assert_eq!(place(&bracket, &known(1, "x = 1\n}")), [hunk(2, "}", "};")]);
    let telling = [hunk(0, "the_value_of_x = 1", "y = 1")];
    assert_eq!(place(&telling, &known(40, "the_value_of_x = 1\n}")), [hunk(40, "the_value_of_x = 1", "y = 1")]);
}

#[test]
fn a_text_inside_of_lines_takes_the_lines_with_it() {
    let one = [hunk(0, "read(path)", "parse(read(path))")];
    assert_eq!(place(&one, &known(1, FILE)), [hunk(4, "    data = read(path)", "    data = parse(read(path))")]);
    let two = [hunk(0, "read(path)\n    return", "None\n    give")];
    assert_eq!(
        place(&two, &known(1, FILE)),
        [hunk(4, "    data = read(path)\n    return data", "    data = None\n    give data")]
    );
    assert_eq!(place(&[hunk(0, "(path, data):", "")], &known(1, FILE)), [hunk(7, "def save(path, data):", "def save")]);
}

#[test]
fn blanks_do_not_hide_a_place() {
    let loose = [hunk(0, "data = read(path)  \nreturn data", "data = read(path)  \nreturn 1")];
    assert_eq!(place(&loose, &known(1, FILE)), [hunk(5, "    return data", "return 1")]);
}

#[test]
fn lines_must_follow_one_another() {
    let mut lines = known(1, FILE);
    lines.remove(3);
    let hunks = [hunk(0, "def load(path):\n    return data", "x")];
    assert_eq!(place(&hunks, &lines), hunks);
}

#[test]
fn changes_that_overlap_have_no_place() {
    let hunks = [hunk(0, "def load(path):\n    data = read(path)", "x"), hunk(0, "    data = read(path)", "y")];
    assert_eq!(place(&hunks, &known(1, FILE)), hunks);
}
