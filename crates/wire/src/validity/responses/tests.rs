//! Each rule with an input that breaks it and the nearest one that does not.

use crate::{Provider, Rule, Violation, check_body};

const SYSTEM: &str = r#"{"type":"message","role":"system","content":[{"type":"input_text","text":"be brief"}]}"#;
const USER: &str = r#"{"role":"user","content":"hi"}"#;
const ANSWER: &str = r#"{"type":"message","role":"assistant","content":[]}"#;
const REASONING: &str = r#"{"type":"reasoning","summary":[],"encrypted_content":"x"}"#;
const CALL: &str = r#"{"type":"function_call","call_id":"a","name":"Read","arguments":"{}"}"#;
const OTHER_CALL: &str = r#"{"type":"function_call","call_id":"b","name":"Read","arguments":"{}"}"#;
const OUTPUT: &str = r#"{"type":"function_call_output","call_id":"a","output":"ok"}"#;
const OTHER_OUTPUT: &str = r#"{"type":"function_call_output","call_id":"b","output":"ok"}"#;

fn check(items: &[&str]) -> Result<(), Vec<Violation>> {
    check_body(Provider::Responses, format!(r#"{{"store":false,"input":[{}]}}"#, items.join(",")).as_bytes())
}

#[track_caller]
fn refuses(refused: &[&str], at: usize, rule: Rule, accepted: &[&str]) {
    assert_eq!(check(refused), Err(vec![Violation { at, rule }]));
    assert_eq!(check(accepted), Ok(()));
}

#[test]
fn bodies_that_cannot_be_read() {
    let violations = check_body(Provider::Responses, b"hello").expect_err("not JSON");
    assert!(matches!(violations[0].rule, Rule::NotJson { .. }));
    refuses(&[], 0, Rule::NoMessages, &[USER]);
}

#[test]
fn who_speaks_when() {
    refuses(&[USER, ANSWER], 1, Rule::LastNotUser, &[USER, ANSWER, USER]);
    let robot = USER.replace("user", "robot");
    refuses(&[&robot], 0, Rule::UnknownRole { role: "robot".into() }, &[USER]);
    refuses(&[SYSTEM], 0, Rule::NoMessages, &[SYSTEM, USER]);
    refuses(&[USER, SYSTEM, USER], 1, Rule::SystemInConversation, &[SYSTEM, USER, USER]);
}

#[test]
fn calls_have_one_output_before_the_user_speaks() {
    let unanswered = Rule::CallWithoutResult { id: "b".into() };
    let parallel = [USER, CALL, OTHER_CALL, OUTPUT, OTHER_OUTPUT];
    refuses(&[USER, CALL, OTHER_CALL, OUTPUT, USER], 2, unanswered, &parallel);
    let duplicate = Rule::DuplicateResult { id: "a".into() };
    refuses(&[USER, CALL, OUTPUT, OUTPUT], 3, duplicate, &[USER, CALL, OUTPUT]);
    refuses(&[USER, OUTPUT], 1, Rule::ResultWithoutCall { id: "a".into() }, &[USER, CALL, OUTPUT]);
}

#[test]
fn ids_and_names() {
    let again = [USER, CALL, OUTPUT, CALL, OUTPUT];
    refuses(&again, 3, Rule::DuplicateCall { id: "a".into() }, &[USER, CALL, OUTPUT, OTHER_CALL, OTHER_OUTPUT]);
    let dotted = [CALL, OUTPUT].map(|item| item.replace("\"a\"", "\"a.b\""));
    refuses(&[USER, &dotted[0], &dotted[1]], 1, Rule::BadCallId { id: "a.b".into() }, &[USER, CALL, OUTPUT]);
    let named = CALL.replace("Read", "f Read");
    refuses(&[USER, &named, OUTPUT], 1, Rule::BadToolName { name: "f Read".into() }, &[USER, CALL, OUTPUT]);
}

#[test]
fn reasoning_goes_with_what_follows() {
    refuses(&[USER, REASONING, USER], 1, Rule::ReasoningAlone, &[USER, REASONING, ANSWER, USER]);
    refuses(&[USER, CALL, REASONING, OUTPUT], 2, Rule::ReasoningAlone, &[USER, REASONING, REASONING, CALL, OUTPUT]);
}

#[test]
fn reasoning_is_sealed_unless_it_is_stored() {
    let bare = r#"{"type":"reasoning","id":"rs_1","summary":[]}"#;
    refuses(&[USER, bare, ANSWER, USER], 1, Rule::UnsignedThinking, &[USER, REASONING, ANSWER, USER]);
    let stored = format!(r#"{{"input":[{USER},{bare},{ANSWER},{USER}]}}"#);
    assert_eq!(check_body(Provider::Responses, stored.as_bytes()), Ok(()));
}
