//! A trace whose every text tries to command the terminal.

use lookback_engine::{
    Session,
    trace::{Event, EventBody, EventNo, NoBlobs, SessionId},
};
use serde_json::Value;

use crate::person::{Person, sample};

const HOSTILE: &str = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m\u{202e}\u{200b}";

/// Fields whose texts are names that the engine reads: they have no room for anything else.
const FIXED: [&str; 23] = [
    "recorded_by",
    "plain_thinking",
    "board_ids",
    "by",
    "purpose",
    "ride",
    "author",
    "reach",
    "standing",
    "thinking",
    "session",
    "provider",
    "layout",
    "origin",
    "stop",
    "status",
    "kind",
    "state",
    "hash",
    "separator",
    "effect",
    "change",
    "base64",
];

#[test]
fn no_screen_lets_a_trace_command_the_terminal() {
    let person = Person::new();
    let events = hostile_events();
    Session::replay(events.clone(), &NoBlobs).expect("it is a whole trace");
    drop(person.store().create(&events).expect("a new session"));
    for arguments in [
        &["sessions"][..],
        &["show", "sample"],
        &["show", "sample", "--provider", "react"],
        &["show", "sample", "--provider", "chat"],
        &["show", "sample", "--trace"],
        &["show", "sample", "--ledger"],
        &["show", "sample", "--board"],
        &["recall", "owned"],
        &["recall", "capacitor"],
    ] {
        let shown = person.run(arguments).shown();
        assert!(
            shown.contains("owned") || shown.contains("␛") || shown.contains("capacitor"),
            "{arguments:?}: {shown}"
        );
        assert_harmless(&shown);
    }
    for arguments in [
        &["show", "\u{1b}[31mnothing"][..],
        &["recall", "\u{1b}[31mnothing"],
        &["recall", "turn#\u{1b}[31m"],
        &["recall", "file:\u{1b}[31m"],
        &["recall", "test#1 failed:\u{1b}[31m"],
        &["import", "\u{1b}[31m.jsonl"],
        &["fold", "\u{1b}[31m"],
        &["fold", "sample"],
        &["fold", "sample", "--span", "\u{1b}[31m"],
        &["unfold", "sample", "9"],
        &["show", "sample", "--layout", "execute"],
    ] {
        assert_harmless(&person.run(arguments).complaint());
    }
    assert_harmless(&person.run(&["recall", "turn#2"]).err);
}

fn assert_harmless(shown: &str) {
    let harmful = |character: char| {
        character.is_control() && character != '\n' && character != '\t' || "\u{202e}\u{200b}".contains(character)
    };
    assert!(!shown.contains(harmful), "{shown:?}");
}

/// The sample, with hostile characters in all texts, and some kinds of events that it lacks.
fn hostile_events() -> Vec<Event> {
    let mut events: Vec<Event> = sample().trace().to_vec();
    for (body, seq) in more().into_iter().zip(events.len() as u64..) {
        events.push(Event { seq: EventNo(seq), at: events[0].at, event: body });
    }
    let poisoned = events.iter().map(|event| {
        let mut event = serde_json::to_value(event).expect("JSON");
        poison("", &mut event);
        serde_json::from_value(event).expect("an event")
    });
    poisoned.collect()
}

fn more() -> Vec<EventBody> {
    [
        r#"{"state_delta":{"version":1,"author":"model","delta":{
            "current_goal":{"text":"x","evidence":{"pointer":"user#1","event":1}},
            "confirmed_facts":[{"add":{"text":"x","standing":"confirmed","evidence":[{"pointer":"x","event":1}]}}],
            "open_questions":[{"add":{"text":"x"}}],
            "exec_assertions":[{"command":"x","result":"x","evidence":{"pointer":"x","event":1}}],
            "next_actions":["x"]
        },"entry":{"text":"x","tokens":1}}}"#,
        r#"{"fold":{"block":1,"range":{"first":0,"last":2},"reach":"from_seam","author":"rules",
            "claims":{"what_we_learned":[],"anchors":[],"exec_assertions":[],"open_questions":[],"next_actions":[]},
            "content":{"text":"x","tokens":9},"trigger":"x","refused":[{"claim":"x","reason":"x"}]}}"#,
        r#"{"layout_changed":{"layout":"chat","thinking":"dropped"}}"#,
        r#"{"head_changed":{"system":{"text":"x","tokens":1},"tools":[],"tools_tokens":0}}"#,
        r#"{"error":{"kind":"x","message":"the capacitor broke"}}"#,
        r#"{"span_started":{"span":{"name":"x","number":1},"goal":"x","turn":8}}"#,
        r#"{"span_ended":{"span":{"name":"x","number":1},"outcome":"x","turn":8}}"#,
        r#"{"gate_asked":{"number":1,"question":"x","options":["x"],"recommendation":"x"}}"#,
        r#"{"gate_decided":{"number":1,"answers":[{"from":"x","answer":"x"}],"decision":"x","by":"lead"}}"#,
        r#"{"child_started":{"number":1,"session":"x","turn":2,"index":0}}"#,
        r#"{"text_refused":{"purpose":"block","text":{"text":"x"},"reason":"x"}}"#,
        r#"{"call_started":{"call":0,"input_tokens":1,"details":{
            "kind":{"compactor":{"purpose":"block","model":"x","ride":"alone"}},"over":{"problem":"x"}}}}"#,
        r#"{"permission_asked":{"number":1,"turn":2,"index":0,"what":"x","reason":"x"}}"#,
        r#"{"snapshot_taken":{"number":1,"turn":2,"id":"x","left_out":["x"]}}"#,
        r#"{"snapshot_undone":{"number":1,"files":[{"path":"x"}],"kept":["x"]}}"#,
        r#"{"job_started":{"number":1,"turn":2,"index":0,"command":"x"}}"#,
        r#"{"job_ended":{"number":1,"output":{"text":"x"}}}"#,
        r#"{"pinned":{"pointer":"x","tokens":1}}"#,
        r#"{"unpinned":{"pointer":"x"}}"#,
        r#"{"file_changed":{"path":"x","change":{"outside":{"mtime":null}}}}"#,
        r#"{"configuration_changed":{"configuration":{"a":"x"}}}"#,
        r#"{"model_changed":{"model":"x","provider":"anthropic","window":8000,"output_reserve":100}}"#,
    ]
    .map(|text| serde_json::from_str(text).expect("an event"))
    .to_vec()
}

fn poison(name: &str, value: &mut Value) {
    match value {
        Value::String(text) if !FIXED.contains(&name) => {
            text.push_str(HOSTILE);
        }
        Value::Array(values) => values.iter_mut().for_each(|value| poison(name, value)),
        Value::Object(fields) => fields.iter_mut().for_each(|(name, value)| poison(name, value)),
        _ => {}
    }
}

#[test]
fn an_id_that_could_command_is_refused_and_said_harmlessly() {
    let mut events = sample().trace().to_vec();
    if let EventBody::SessionStarted(start) = &mut events[0].event {
        start.session = SessionId(HOSTILE.into());
    }
    let lines: String = events.iter().map(|event| serde_json::to_string(event).expect("JSON") + "\n").collect();
    let complaint = Person::new().import(lines).complaint();
    assert!(complaint.contains("cannot be a session id"), "{complaint}");
    assert_harmless(&complaint);
}
