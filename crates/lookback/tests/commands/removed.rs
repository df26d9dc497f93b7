//! Removing by age does what it can and says what it left.

use std::{
    io::Write,
    process::{Command, Stdio},
};

use lookback_engine::Session;

use crate::{
    foreign::sessions::CLAUDE_CODE,
    person::{Person, Said, fork, now, store_question},
};

#[test]
fn what_cannot_be_removed_keeps_nothing_else() {
    let person = Person::with_sample();
    let store = person.store();
    let parent = Session::replay(store.events(&store.find("sample").expect("stored")).expect("events"), &store);
    fork(&parent.expect("it replays"), &store, now());
    store_question(&store, "old-and-free", "old", 0);
    store_question(&store, "old-and-open", "old, but somebody is at it", 0);
    person.forget_imports();
    let writer = store.writer(&store.find("old-and-open").expect("stored")).expect("nobody else writes");

    let removed = person.run(&["sessions", "rm", "--older-than", "30d", "--yes"]);
    assert_eq!(removed.out, "removed 1 session\n");
    assert!(removed.err.contains("kept sample00: its fork forked00 stays\n"), "{}", removed.err);
    assert!(removed.err.contains("kept old-and-o: it is being written by process "), "{}", removed.err);
    removed.shown();

    let complaint = person.run(&["sessions", "rm", "--older-than", "30d", "--yes"]).complaint();
    assert!(complaint.contains("error: nothing was removed: all that is old enough has to stay"), "{complaint}");
    drop(writer);
    assert_eq!(person.run(&["sessions", "rm", "--older-than", "30d", "--yes"]).out, "removed 1 session\n");
    assert_eq!(person.run(&["sessions", "--json"]).json().as_array().map(Vec::len), Some(2));
}

#[test]
fn a_whole_family_goes_together_unless_its_youngest_is_being_written() {
    let person = Person::with_sample();
    let store = person.store();
    let parent = Session::replay(store.events(&store.find("sample").expect("stored")).expect("events"), &store);
    fork(&parent.expect("it replays"), &store, 500);
    person.forget_imports();
    let writer = store.writer(&store.find("forked").expect("stored")).expect("nobody else writes");
    let complaint = person.run(&["sessions", "rm", "--older-than", "30d", "--yes"]).complaint();
    assert!(complaint.contains("kept forked00: it is being written") && complaint.contains("kept sample00: its fork"));
    drop(writer);
    assert!(person.run(&["sessions", "rm", "--older-than", "30d", "--yes"]).out == "removed 2 sessions\n");
}

#[test]
fn what_was_imported_just_now_is_not_old() {
    let person = Person::new();
    person.import(CLAUDE_CODE).shown();
    let remove = || person.run(&["sessions", "rm", "--older-than", "1h", "--yes"]).shown();
    assert_eq!(remove(), "nothing to remove: 1 session used or imported since then\n");
    person.forget_imports();
    assert_eq!(remove(), "removed 1 session\n");
}

/// Twelve old ones and a new one.
fn with_many() -> Person {
    let person = Person::new();
    let store = person.store();
    for number in 0..12 {
        store_question(&store, &format!("{number:02}-old-one"), &format!("question {number}"), number);
    }
    store_question(&store, "of-today", "a new one", now());
    person.forget_imports();
    person
}

fn stored(person: &Person) -> usize {
    person.run(&["sessions", "--json"]).json().as_array().map_or(0, Vec::len)
}

#[test]
fn a_dry_run_shows_what_would_go_and_removes_nothing() {
    let person = with_many();
    let said = person.run(&["sessions", "rm", "--older-than", "30d", "--dry-run"]).ageless();
    insta::assert_snapshot!("rm_dry_run", said);
    let complaint = person.run(&["sessions", "rm", "--older-than", "30d"]);
    assert!(
        complaint.err.contains("nobody to ask: use --yes to remove 12 sessions, or --dry-run"),
        "{}",
        complaint.err
    );
    assert_eq!((complaint.code, stored(&person)), (Some(1), 13));
    for arguments in ["of-today --older-than 30d", "--yes --dry-run --older-than 30d", "--yes", ""] {
        let words: Vec<&str> = ["sessions", "rm"].into_iter().chain(arguments.split_whitespace()).collect();
        let refused = person.run(&words);
        assert_eq!(refused.code, Some(2), "{arguments:?}: {}", refused.err);
    }
    assert_eq!(stored(&person), 13);
}

#[test]
fn a_dry_run_of_named_sessions_shows_them() {
    let person = with_many();
    let said = person.run(&["sessions", "rm", "of-today", "03-old", "--dry-run"]).shown();
    assert!(said.contains("a new one") && said.contains("question 3"), "{said}");
    assert!(said.ends_with("2 sessions would be removed; nothing was\n"), "{said}");
    assert_eq!(stored(&person), 13);
}

/// As the removal itself would.
#[test]
fn a_dry_run_refuses_what_has_to_stay() {
    let person = Person::with_sample();
    let store = person.store();
    let parent = Session::replay(store.events(&store.find("sample").expect("stored")).expect("events"), &store);
    fork(&parent.expect("it replays"), &store, 500);
    let complaint = person.run(&["sessions", "rm", "sample", "--dry-run"]).complaint();
    assert_eq!(complaint, person.run(&["sessions", "rm", "sample"]).complaint());
    assert!(person.run(&["sessions", "rm", "sample", "forked", "--dry-run"]).shown().contains("2 sessions would be"));
}

/// With a terminal, as `script` makes one, and an answer typed into it.
fn answered(person: &Person, answer: &str) -> Said {
    let typed = format!("{} sessions rm --older-than 30d", env!("CARGO_BIN_EXE_lookback"));
    let mut script = Command::new("script");
    script.args(["-qec", &typed, "/dev/null"]).env("LOOKBACK_HOME", person.home.path());
    let mut child = script.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("script (util-linux) runs");
    child.stdin.take().expect("piped").write_all(answer.as_bytes()).expect("it reads");
    Person::said(child.wait_with_output())
}

#[test]
fn a_person_is_shown_what_would_go_and_asked() {
    let person = with_many();
    for no in ["n\n", "\n", "later\n"] {
        let said = answered(&person, no).shown();
        assert!(said.contains("11-old-o") && said.contains("and 2 more"), "{said}");
        assert!(said.contains("Remove 12 sessions with everything that only they use? [y/N]"), "{said}");
        assert!(said.contains("nothing was removed") && !said.contains("error"), "{said}");
        assert_eq!(stored(&person), 13);
    }
    assert!(answered(&person, "y\n").shown().contains("removed 12 sessions"));
    assert_eq!(person.run(&["sessions", "--json"]).json()[0]["id"], "of-today");
}

#[test]
fn a_removal_of_many_prints_a_count() {
    let person = with_many();
    let said = person.run(&["sessions", "rm", "--older-than", "30d", "--yes"]);
    assert_eq!((said.out.as_str(), said.err.as_str()), ("removed 12 sessions\n", ""));
}

#[test]
fn rm_alone_says_where_it_is() {
    let complaint = Person::new().run(&["rm", "--older-than", "30d"]).complaint();
    assert_eq!(
        complaint,
        "error: there is no `lookback rm`: sessions are removed by `lookback sessions rm --older-than 30d`\n"
    );
}
