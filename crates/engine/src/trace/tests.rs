//! One example of every event: it goes to disk and comes back the same, and one of schema 1 becomes one of schema 2.

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::{
    Event, EventBody,
    upgrade::{CHANGED, TraceReader, upgrade},
};

/// As they are written, a line each. What is absent where it says nothing is present here once.
const EVENTS: &str = include_str!("tests/events.jsonl");

/// What schema 1 wrote otherwise.
const OLD: &str = include_str!("tests/schema_1.jsonl");

fn read(line: &str) -> EventBody {
    serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
}

#[test]
fn every_event_is_read_as_it_was_written() {
    let mut names: Vec<&str> = Vec::new();
    for line in EVENTS.lines() {
        let event = read(line);
        assert_eq!(serde_json::to_string(&event).unwrap(), line);
        names.push(event.name());
        let kind = line.split('"').nth(1);
        assert_eq!(kind, Some(event.name()), "the name on disk");
    }
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 44, "an example of every kind: {names:?}");
}

#[test]
fn events_are_small() {
    // A session of 100,000 turns has four to five events for each.
    assert_eq!((size_of::<Event>(), size_of::<EventBody>()), (56, 40));
}

#[test]
fn an_old_event_becomes_one_new_event() {
    let mut upgraded = String::new();
    for line in OLD.lines() {
        let new = upgrade(serde_json::from_str(line).unwrap());
        assert_eq!(upgrade(new.clone()), new, "a second time without harm");
        let event: EventBody = serde_json::from_value(new).unwrap_or_else(|error| panic!("{error}: {line}"));
        upgraded += &format!("{line}\n→ {}\n\n", serde_json::to_string(&event).unwrap());
    }
    assert_snapshot!(upgraded);
    let kinds: Vec<Value> = OLD.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(CHANGED.iter().all(|kind| kinds.iter().any(|body| body.get(kind).is_some())), "an example of each");
}

/// What schema 2 writes in the same way is read without a second look.
#[test]
fn all_other_events_are_the_same_in_both() {
    for line in EVENTS.lines() {
        let body: Value = serde_json::from_str(line).unwrap();
        assert_eq!(upgrade(body.clone()), body);
    }
}

#[test]
fn a_file_says_in_its_first_line_which_schema_it_has() {
    let start = |schema: u32| {
        let line = EVENTS.lines().find(|line| line.contains("session_started")).unwrap();
        let mut body: Value = serde_json::from_str(line).unwrap();
        body["session_started"]["schema"] = json!(schema);
        json!({ "seq": 0, "at": 1, "event": body }).to_string()
    };
    let gate = |number: u32| json!({ "number": number, "question": "?", "options": [], "answers": [] });
    let gate = json!({ "seq": 1, "at": 2, "event": { "gate": gate(1) } }).to_string();
    let mut old = TraceReader::default();
    let EventBody::SessionStarted(started) = old.event(start(1).as_bytes()).unwrap().event else { panic!() };
    assert_eq!(started.schema, 2);
    assert!(matches!(old.event(gate.as_bytes()).unwrap().event, EventBody::GateAsked(_)));
    let mut new = TraceReader::default();
    new.event(start(2).as_bytes()).unwrap();
    assert!(new.event(gate.as_bytes()).is_err(), "schema 2 has no such event");
    let error = old.event(br#"{"seq":2,"at":3,"event":{"todo":{"items":[{"text":7}]}}}"#).unwrap_err();
    assert!(error.column() > 40, "{error}");
}

#[test]
fn a_status_of_before_is_a_sentence() {
    let status = |json: serde_json::Value| serde_json::from_value::<super::claim::WorkStatus>(json).expect("a status");
    let old = status(serde_json::json!({"tests": "3 passed", "errors_left": 0}));
    assert_eq!((old.tests.text.as_str(), old.tests.verdict), ("3 passed", super::claim::RunVerdict::Unknown));
    let new = serde_json::to_value(super::claim::WorkStatus {
        tests: super::claim::RunStatus { verdict: super::claim::RunVerdict::Failed, text: "x".into(), evidence: None },
        ..Default::default()
    });
    assert_eq!(status(new.expect("JSON")).tests.verdict, super::claim::RunVerdict::Failed);
}
