//! Which session a bare pointer means, and what a search says about its finds.

use lookback_engine::trace::{Event, EventBody, Timestamp};
use lookback_store::Durability;

use crate::{
    foreign::sessions,
    person::{BEGINNING, Person, now, store_question},
};

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

#[test]
fn a_search_says_how_many_more_there_are_and_programs_get_them_whole() {
    let person = Person::new();
    let long = format!("needle {}", "hay ".repeat(45));
    for number in 0..5 {
        store_question(&person.store(), &format!("haystack-{number}"), &long, now() - 60);
    }
    let found = person.run(&["recall", "needle", "--limit", "2"]);
    assert_eq!(found.out.lines().count(), 2);
    assert!(found.out.lines().all(|line| line.ends_with(long.trim_end())), "whole lines: {}", found.out);
    assert!(found.err.contains("and 3 more: --limit 5 shows them"), "{}", found.err);
    let json = person.run(&["recall", "needle", "--limit", "2", "--json"]).json();
    assert_eq!((json["more"].as_u64(), json["hits"].as_array().map(Vec::len)), (Some(3), Some(2)));
    let pointer = json["hits"][0]["pointer"].as_str().expect("a pointer").to_owned();
    let whole = person.run(&["recall", &pointer, "--json"]).json();
    assert_eq!(whole["pieces"][0]["text"].as_str(), Some(long.as_str()));
}

/// What is more than is counted cannot be shown by a larger limit alone.
#[test]
fn a_search_that_finds_more_than_is_counted_says_only_that() {
    let person = Person::new();
    let lines: String = (0..1_010).map(|part| sessions::step(part, "needle in hay")).collect();
    person.import(lines).shown();
    let found = person.run(&["recall", "needle", "--limit", "3"]);
    assert!(found.err.contains("more than 1,000 are found: more words find fewer"), "{}", found.err);
    assert!(!found.err.contains("--limit"), "{}", found.err);
}

/// More than the index gives at once, and lines longer than any screen.
#[test]
fn hundreds_of_finds_are_counted_and_long_lines_are_whole() {
    let person = Person::new();
    let long = format!("{}needle {}", "before ".repeat(100), "behind ".repeat(300));
    let lines: String = (0..130).map(|part| sessions::step(part, &long)).collect();
    person.import(lines).shown();
    let found = person.run(&["recall", "needle", "--limit", "3"]);
    assert!(found.err.contains("and 127 more: --limit 130 shows them"), "{}", found.err);
    assert!(found.out.lines().all(|line| line.ends_with(long.trim_end())), "{}", found.out);
    let json = person.run(&["recall", "needle", "--limit", "120", "--json"]).json();
    assert_eq!((json["more"].as_u64(), json["hits"].as_array().map(Vec::len)), (Some(10), Some(120)));
    assert_eq!(json["hits"][0]["line"].as_str(), Some(long.trim_end()));
    let seen = person.run_in(80, &["recall", "needle", "--limit", "3"]).out;
    assert!(seen.lines().all(|line| line.contains("needle") && line.chars().count() <= 80), "{seen}");
}

#[test]
fn turns_can_be_looked_at_alone() {
    let person = Person::with_sample();
    let view = person.run(&["show", "sample00", "--turns", "2-3"]).out;
    let turns: Vec<&str> = view.lines().filter(|line| line.contains("── turn#")).collect();
    assert!(turns.len() == 2 && turns[0].contains("turn#2") && turns[1].contains("turn#3"), "{turns:?}");
    assert!(view.contains("beside these: lookback show sample00"), "{view}");
    let trace = person.run(&["show", "sample00", "--trace", "--turns", "2"]).out;
    assert!(trace.contains("turn#2") && !trace.contains("turn#3 "), "{trace}");
    for what in ["--view", "--trace"] {
        let beyond = person.run(&["show", "sample00", what, "--turns", "500"]).complaint();
        assert!(beyond.contains("there is no turn 500: the session has 8 turns, numbered from 0"), "{beyond}");
    }
    let wrong = person.run(&["show", "sample00", "--turns", "9-2"]);
    assert!(wrong.err.contains("names no turns: write 40-60, 40- or 40"), "{}", wrong.err);
}

#[test]
fn a_record_writes_over_nothing() {
    let person = Person::with_sample();
    let path = person.home.path().join("script.toml");
    std::fs::write(&path, "mine").expect("written");
    let refused = person.run(&["record", "sample00", "--out", path.to_str().expect("UTF-8")]);
    assert!(refused.err.contains("is there already: name another file"), "{}", refused.err);
    assert_eq!(std::fs::read_to_string(&path).expect("there"), "mine");
}
