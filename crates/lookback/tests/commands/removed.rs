//! Removing by age does what it can and says what it left.

use lookback_engine::Session;

use crate::person::{Person, fork, now, store_question};

#[test]
fn what_cannot_be_removed_keeps_nothing_else() {
    let person = Person::with_sample();
    let store = person.store();
    let parent = Session::replay(store.events(&store.find("sample").expect("stored")).expect("events"), &store);
    fork(&parent.expect("it replays"), &store, now());
    store_question(&store, "old-and-free", "old", 0);
    store_question(&store, "old-and-open", "old, but somebody is at it", 0);
    let writer = store.writer(&store.find("old-and-open").expect("stored")).expect("nobody else writes");

    let removed = person.run(&["sessions", "rm", "--older-than", "30d"]);
    assert_eq!(removed.out, "removed 1 session: old-and-f\n");
    assert!(removed.err.contains("kept sample00: its fork forked00 stays\n"), "{}", removed.err);
    assert!(removed.err.contains("kept old-and-o: it is being written by process "), "{}", removed.err);
    removed.shown();

    let complaint = person.run(&["sessions", "rm", "--older-than", "30d"]).complaint();
    assert!(complaint.contains("error: nothing was removed: all that is old enough has to stay"), "{complaint}");
    drop(writer);
    assert_eq!(person.run(&["sessions", "rm", "--older-than", "30d"]).out, "removed 1 session: old-and-\n");
    assert_eq!(person.run(&["sessions", "--json"]).json().as_array().map(Vec::len), Some(2));
}

#[test]
fn a_whole_family_goes_together_unless_its_youngest_is_being_written() {
    let person = Person::with_sample();
    let store = person.store();
    let parent = Session::replay(store.events(&store.find("sample").expect("stored")).expect("events"), &store);
    fork(&parent.expect("it replays"), &store, 500);
    let writer = store.writer(&store.find("forked").expect("stored")).expect("nobody else writes");
    let complaint = person.run(&["sessions", "rm", "--older-than", "30d"]).complaint();
    assert!(complaint.contains("kept forked00: it is being written") && complaint.contains("kept sample00: its fork"));
    drop(writer);
    assert!(person.run(&["sessions", "rm", "--older-than", "30d"]).out.starts_with("removed 2 sessions: "));
}
