//! Each rule with a conversation that breaks it and the nearest one that does not.

use crate::{Provider, Rule, Violation, check_body};

const SYSTEM: &str = r#"{"role":"system","content":"be brief"}"#;
const USER: &str = r#"{"role":"user","content":"hi"}"#;
const ANSWER: &str = r#"{"role":"assistant","content":"hello"}"#;
const RESULT: &str = r#"{"role":"tool","tool_call_id":"a","content":"ok"}"#;

fn calls(ids: &[&str]) -> String {
    let calls = ids.iter().map(|id| format!(r#"{{"id":"{id}","function":{{"name":"Read","arguments":"{{}}"}}}}"#));
    format!(r#"{{"role":"assistant","content":null,"tool_calls":[{}]}}"#, Vec::from_iter(calls).join(","))
}

fn check(messages: &[&str]) -> Result<(), Vec<Violation>> {
    check_body(Provider::Chat, format!(r#"{{"messages":[{}]}}"#, messages.join(",")).as_bytes())
}

#[track_caller]
fn refuses(refused: &[&str], at: usize, rule: Rule, accepted: &[&str]) {
    assert_eq!(check(refused), Err(vec![Violation { at, rule }]));
    assert_eq!(check(accepted), Ok(()));
}

#[test]
fn bodies_that_cannot_be_read() {
    let violations = check_body(Provider::Chat, b"hello").expect_err("not JSON");
    assert!(matches!(violations[0].rule, Rule::NotJson { .. }));
    refuses(&[SYSTEM], 0, Rule::NoMessages, &[SYSTEM, USER]);
}

#[test]
fn who_speaks_when() {
    refuses(&[USER, ANSWER], 1, Rule::LastNotUser, &[USER, ANSWER, USER]);
    refuses(&[USER, SYSTEM, USER], 1, Rule::SystemInConversation, &[SYSTEM, USER, USER]);
    let robot = USER.replace("user", "robot");
    refuses(&[&robot, USER], 0, Rule::UnknownRole { role: "robot".into() }, &[USER, USER]);
}

#[test]
fn null_content_needs_calls() {
    let null = r#"{"role":"assistant","content":null}"#;
    refuses(&[USER, null, USER], 1, Rule::EmptyContent, &[USER, ANSWER, USER]);
}

#[test]
fn calls_are_answered_at_once() {
    let call = calls(&["a"]);
    let unanswered = Rule::CallWithoutResult { id: "a".into() };
    refuses(&[USER, &call, USER], 1, unanswered, &[USER, &call, RESULT, USER]);
    let both = calls(&["a", "b"]);
    let other = RESULT.replace("\"a\"", "\"b\"");
    let unanswered = Rule::CallWithoutResult { id: "b".into() };
    refuses(&[USER, &both, RESULT], 1, unanswered, &[USER, &both, &other, RESULT]);
}

#[test]
fn results_answer_open_calls() {
    let call = calls(&["a"]);
    refuses(&[USER, RESULT], 1, Rule::ResultWithoutCall { id: "a".into() }, &[USER, &call, RESULT]);
    let duplicate = Rule::DuplicateResult { id: "a".into() };
    refuses(&[USER, &call, RESULT, RESULT], 3, duplicate, &[USER, &call, RESULT, &call, RESULT]);
}

#[test]
fn ids_are_unique_within_the_step() {
    let (twice, once) = (calls(&["a", "a"]), calls(&["a"]));
    refuses(&[USER, &twice, RESULT], 1, Rule::DuplicateCall { id: "a".into() }, &[USER, &once, RESULT, &once, RESULT]);
}

#[test]
fn ids_and_names() {
    let call = calls(&["a"]);
    let (long, longest) = ("x".repeat(65), "x".repeat(64));
    let with = |text: &str, id: &str| text.replace("\"a\"", &format!("\"{id}\""));
    refuses(
        &[USER, &with(&call, &long), &with(RESULT, &long)],
        1,
        Rule::BadCallId { id: long.clone() },
        &[USER, &with(&call, &longest), &with(RESULT, &longest)],
    );
    let unnamed = call.replace("Read", "");
    refuses(&[USER, &unnamed, RESULT], 1, Rule::BadToolName { name: String::new() }, &[USER, &call, RESULT]);
}
