//! Files that are not as they should be, and people who change their minds twice.

use serde_json::json;

use super::{answer, describe, line, session, skipped, text, typed};
use crate::recording::Billed;

#[test]
fn a_person_who_returns_to_a_branch_that_was_left_is_followed() {
    let recording = session(&[
        typed("u1", None, "first"),
        answer("a1", "u1", "m1", text("one")),
        typed("u2", Some("a1"), "this way"),
        answer("a2", "u2", "m2", text("left")),
        typed("u3", Some("a1"), "that way"),
        answer("a3", "u3", "m3", text("right")),
        // Nobody had gone on from here, and still it is not where the conversation stands.
        typed("u4", Some("a2"), "this way after all"),
        answer("a4", "u4", "m4", text("further left")),
        typed("u5", Some("a3"), "no, that way"),
        typed("u6", Some("u5"), "and on"),
    ]);
    let described = describe(&recording);
    let back: Vec<&String> = described.iter().filter(|item| item.starts_with("back")).collect();
    assert_eq!(back, ["back to Some(1)", "back to Some(3)", "back to Some(5)"], "{described:?}");
    assert_eq!(described[described.len() - 2..], ["person: no, that way", "person: and on"]);
}

#[test]
fn an_odd_usage_or_time_costs_itself_and_not_its_message() {
    for usage in [json!("n/a"), json!([1]), json!(7), json!(null)] {
        let message = json!({"id": "m1", "model": "claude-x", "content": [text("hello")], "usage": usage});
        let recording = session(&[line("assistant", "a1", None, json!({"message": message, "timestamp": 12}))]);
        assert_eq!(describe(&recording), ["call End: \"hello\" => "], "{usage}");
        assert_eq!((recording.calls().next().unwrap().billed, skipped(&recording)), (None, Vec::new()));
    }
    let usage = json!({"input_tokens": 3.0, "cache_read_input_tokens": -1, "output_tokens": "many",
        "cache_creation_input_tokens": 1e30, "cache_creation": "no"});
    let message = json!({"id": "m1", "model": "claude-x", "content": [text("hello")], "usage": usage});
    for time in [json!("soon"), json!({}), json!(-4), json!(1e300), json!(null)] {
        let recording = session(&[line("assistant", "a1", None, json!({"message": message, "timestamp": time}))]);
        let call = recording.calls().next().unwrap();
        assert_eq!((call.at, skipped(&recording)), (None, Vec::new()), "{time}");
        let expected = Billed { uncached: 3, read: 0, written: u32::MAX.into(), output: 0, written_1h: 0 };
        assert_eq!(call.billed, Some(expected));
    }
}
