//! Files as they come from elsewhere: with a mark in front, with parts missing, with numbers that cannot be.

use crate::person::{Person, sample, trace_lines};

#[test]
fn a_byte_order_mark_is_no_part_of_a_trace() {
    let person = Person::new();
    let imported = person.import(format!("\u{feff}{}", trace_lines(&sample())));
    assert!(imported.shown().starts_with("imported session sample000000: 8 turns"));
    assert_eq!(person.run(&["show", "sample", "--trace", "--json"]).out, trace_lines(&sample()));
}

#[test]
fn a_file_without_its_outputs_is_said_to_be_incomplete() {
    let person = Person::with_sample();
    // As the store keeps them: the long log is a blob of its own.
    let store = person.store();
    let events = store.events(&store.find("sample").expect("stored")).expect("events");
    let lines: String = events.iter().map(|event| serde_json::to_string(event).expect("JSON") + "\n").collect();
    assert!(lines.contains("\"blob\""));
    let complaint = person.import(lines.replace("sample000000", "another00000")).complaint();
    assert!(complaint.contains("the file is incomplete: event 6 names an output"), "{complaint}");
    assert!(!complaint.contains("damaged"), "{complaint}");
    assert_eq!(store.sessions().expect("a list").len(), 1);
}

#[test]
fn a_window_of_nothing_is_refused() {
    let person = Person::new();
    let lines = trace_lines(&sample());
    let complaint = person.import(lines.replacen("\"window\":8000", "\"window\":0", 1)).complaint();
    assert!(complaint.contains("event 0 says that the model's window is 0 tokens"), "{complaint}");
    assert_eq!(person.run(&["sessions", "--json"]).out, "[]\n");
}
