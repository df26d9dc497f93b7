//! Each rule with a conversation that breaks it and the nearest one that does not.

use crate::{Provider, Rule, Violation, check_body};

const CALL: &str = r#"{"type":"tool_use","id":"a","name":"Read","input":{}}"#;
const RESULT: &str = r#"{"type":"tool_result","tool_use_id":"a","content":"ok"}"#;
const TEXT: &str = r#"{"type":"text","text":"hi"}"#;

fn user(content: &str) -> String {
    format!(r#"{{"role":"user","content":[{content}]}}"#)
}

fn assistant(content: &str) -> String {
    format!(r#"{{"role":"assistant","content":[{content}]}}"#)
}

fn check(messages: &[String]) -> Result<(), Vec<Violation>> {
    check_body(Provider::Anthropic, format!(r#"{{"messages":[{}]}}"#, messages.join(",")).as_bytes())
}

#[track_caller]
fn refuses<const R: usize, const A: usize>(refused: [String; R], at: usize, rule: Rule, accepted: [String; A]) {
    assert_eq!(check(&refused), Err(vec![Violation { at, rule }]));
    assert_eq!(check(&accepted), Ok(()));
}

/// A step whose call is `call`, with its result.
fn step(call: &str) -> [String; 3] {
    [user(TEXT), assistant(call), user(RESULT)]
}

#[test]
fn bodies_that_cannot_be_read() {
    let violations = check_body(Provider::Anthropic, b"{\"messages\":").expect_err("cut off");
    insta::assert_snapshot!(violations[0], @"message 0: the body cannot be read: EOF while parsing a value at line 1 column 12");
    refuses([], 0, Rule::NoMessages, [user(TEXT)]);
}

#[test]
fn who_begins_and_who_ends() {
    refuses([assistant(TEXT), user(TEXT)], 0, Rule::FirstNotUser, [user(TEXT)]);
    refuses([user(TEXT), assistant(TEXT)], 1, Rule::LastNotUser, [user(TEXT), assistant(TEXT), user(TEXT)]);
}

#[test]
fn roles() {
    let said = |role: &str| [user(TEXT), format!(r#"{{"role":"{role}","content":"hi"}}"#), user(TEXT)];
    refuses(said("system"), 1, Rule::SystemInConversation, said("assistant"));
    refuses(said("tool"), 1, Rule::UnknownRole { role: "tool".into() }, said("user"));
}

#[test]
fn blank_content() {
    let blank = r#"{"type":"text","text":" \n"}"#;
    refuses([user(blank)], 0, Rule::EmptyText, [user(TEXT)]);
    refuses([user(TEXT), assistant(blank), user(TEXT)], 1, Rule::EmptyText, [user(TEXT), assistant(TEXT), user(TEXT)]);
    refuses([user("")], 0, Rule::EmptyContent, [user(TEXT)]);
}

#[test]
fn an_error_says_something() {
    let result = |text| {
        let block = format!(r#"{{"type":"tool_result","tool_use_id":"a","content":"{text}","is_error":true}}"#);
        [user(TEXT), assistant(CALL), user(&block)]
    };
    refuses(result(""), 2, Rule::EmptyContent, result("no such file"));
}

#[test]
fn calls_are_answered_at_once() {
    let unanswered = Rule::CallWithoutResult { id: "a".into() };
    refuses([user(TEXT), assistant(CALL), user(TEXT)], 1, unanswered, step(CALL));
    let late = [user(TEXT), assistant(CALL), user(TEXT), assistant(TEXT), user(RESULT)];
    assert_eq!(check(&late).map_err(|violations| violations.len()), Err(2), "the call and the result are both alone");
}

#[test]
fn results_answer_the_message_just_before() {
    let stray = Rule::ResultWithoutCall { id: "a".into() };
    refuses([user(TEXT), assistant(TEXT), user(RESULT)], 2, stray, step(CALL));
    let twice = format!("{RESULT},{RESULT}");
    let duplicate = Rule::DuplicateResult { id: "a".into() };
    refuses([user(TEXT), assistant(CALL), user(&twice)], 2, duplicate, step(CALL));
}

#[test]
fn results_come_first() {
    let [ask, call, _] = step(CALL);
    let behind = user(&format!("{TEXT},{RESULT}"));
    let before = user(&format!("{RESULT},{TEXT}"));
    refuses([ask.clone(), call.clone(), behind], 2, Rule::ResultNotFirst, [ask.clone(), call.clone(), before]);
    // Two user messages are one turn to the API.
    let merged_behind = [ask.clone(), call.clone(), user(TEXT), user(RESULT)];
    refuses(merged_behind, 3, Rule::ResultNotFirst, [ask, call, user(RESULT), user(TEXT)]);
}

#[test]
fn ids_are_unique_in_the_conversation() {
    let other = CALL.replace("\"a\"", "\"b\"");
    let answer = RESULT.replace("\"a\"", "\"b\"");
    let again = [user(TEXT), assistant(CALL), user(RESULT), assistant(CALL), user(RESULT)];
    let different = [user(TEXT), assistant(CALL), user(RESULT), assistant(&other), user(&answer)];
    refuses(again, 3, Rule::DuplicateCall { id: "a".into() }, different);
}

#[test]
fn ids_names_and_inputs() {
    let dotted = step(CALL).map(|message| message.replace("\"a\"", "\"a.b\""));
    let dashed = step(CALL).map(|message| message.replace("\"a\"", "\"a-b\""));
    refuses(dotted, 1, Rule::BadCallId { id: "a.b".into() }, dashed);
    let named = |name| step(&CALL.replace("Read", name));
    refuses(named("f.Read"), 1, Rule::BadToolName { name: "f.Read".into() }, named("f_Read"));
    let given = |input| step(&CALL.replace("{}", input));
    refuses(given("[1]"), 1, Rule::InputNotObject { id: "a".into() }, given(r#"{"a":[1]}"#));
}

#[test]
fn thinking_is_sealed() {
    let thinking = |seal: &str| {
        let block = format!(r#"{{"type":"thinking","thinking":"hm","signature":"{seal}"}},{TEXT}"#);
        [user(TEXT), assistant(&block), user(TEXT)]
    };
    refuses(thinking(""), 1, Rule::UnsignedThinking, thinking("Eq=="));
}

#[test]
fn blocks_of_the_other_role() {
    let thought = r#"{"type":"redacted_thinking","data":"x"}"#;
    refuses([user(thought)], 0, Rule::Misplaced { kind: "redacted_thinking".into() }, [user(TEXT)]);
    let answered_itself = step(&format!("{CALL},{RESULT}"));
    refuses(answered_itself, 1, Rule::Misplaced { kind: "tool_result".into() }, step(CALL));
}

#[test]
fn four_cache_marks() {
    let marked = r#"{"type":"text","text":"hi","cache_control":{"type":"ephemeral"}}"#;
    let marks = |count| [user(&vec![marked; count].join(","))];
    refuses(marks(5), 0, Rule::TooManyCacheMarks { count: 5 }, marks(4));
}
