//! Which session a bare pointer means, and what a search says about its finds.

use lookback_engine::trace::{Event, EventBody, Timestamp};
use lookback_store::Durability;

use crate::person::{BEGINNING, Person, now, store_question};

#[test]
fn a_clock_that_was_ahead_does_not_win_for_ever() {
    let person = Person::new();
    let store = person.store();
    store_question(&store, "from-the-future", "not yet asked", now() + 3 * 86_400 + 600);
    let alone = person.run(&["recall", "user#1"]);
    assert_eq!(alone.out, "not yet asked\n");
    store_question(&store, "today-and-right", "asked today", now() - 60);
    let recalled = person.run(&["recall", "user#1"]);
    assert_eq!(recalled.out, "asked today\n");
    assert!(recalled.err.contains("today-an/turn#0"), "{}", recalled.err);
    assert!(recalled.err.contains("the newest session; --session ID names another"), "{}", recalled.err);
    let listed = person.run(&["sessions"]).out;
    assert!(listed.contains(" in 3 d "), "{listed}");
    let named = person.run(&["recall", "user#1", "--session", "from-the"]);
    assert!(!named.err.contains("newest"), "{}", named.err);
}

#[test]
fn what_belongs_to_no_turn_is_found_and_shown_the_way_to() {
    let person = Person::with_sample();
    let store = person.store();
    let mut writer = store.writer(&store.find("sample").expect("stored")).expect("nobody else writes");
    let error = EventBody::Error { kind: "network".into(), message: "first\nthe flux capacitor broke".into() };
    let event = Event { seq: writer.next(), at: Timestamp(BEGINNING + 600_000), event: error };
    writer.append(&[event], Durability::Durable).expect("it fits");
    drop(writer);
    insta::assert_snapshot!("recall_between_turns", person.run(&["recall", "capacitor"]).shown());
    assert!(person.run(&["show", "sample00", "--trace"]).out.contains("flux capacitor"));
}
