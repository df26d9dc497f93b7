//! Tables fit the terminal, from 60 columns up.

use unicode_width::UnicodeWidthStr;

use crate::person::{Person, store_question};

#[test]
fn no_line_of_a_table_is_wider_than_the_terminal() {
    let person = Person::with_sample();
    let question = "余额 a question that is rather long, in two scripts: 为什么余额不对？".repeat(4);
    store_question(&person.store(), "a-second-session", &question, 1);
    for columns in [60, 80, 120] {
        for arguments in [
            &["sessions"][..],
            &["show", "sample", "--trace"],
            &["show", "a-second", "--trace"],
            &["show", "sample", "--ledger"],
            &["recall", "余额"],
            &["recall", "line_4711"],
        ] {
            let shown = person.run_in(columns, arguments).shown();
            for line in shown.lines() {
                assert!(line.width() <= columns, "{} of {columns} in {arguments:?}: {line}", line.width());
            }
        }
        let heading = person.run_in(columns, &["show", "sample"]).out;
        assert!(heading.lines().take(3).all(|line| line.width() <= columns), "{heading}");
    }
    insta::assert_snapshot!("narrow_trace", person.run_in(60, &["show", "sample", "--trace"]).shown());
}

#[test]
fn what_was_found_is_in_sight_however_narrow_the_terminal() {
    let person = Person::new();
    let question = format!("{}needle{}", "hay ".repeat(30), " straw".repeat(30));
    store_question(&person.store(), "haystack0000", &question, 1);
    for columns in [60, 80, 120] {
        let shown = person.run_in(columns, &["recall", "needle"]).out;
        assert!(shown.contains("needle"), "{columns}: {shown}");
    }
}

#[test]
fn odd_widths_are_as_good_as_none() {
    let person = Person::with_sample();
    let trace = &["show", "sample", "--trace"];
    assert_eq!(person.run_in(1, trace).out, person.run_in(60, trace).out);
    assert_eq!(person.run_in(0, trace).out, person.run(trace).out);
}
