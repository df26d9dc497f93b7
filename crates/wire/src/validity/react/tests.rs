//! Each rule with a prompt that breaks it and the nearest one that does not.

use crate::{Provider, Rule, Violation, check_body};

fn check(prompt: &str) -> Result<(), Vec<Violation>> {
    check_body(Provider::React, format!("Be brief.\nAction: Tool[{{}}]\n\n{prompt}").as_bytes())
}

#[track_caller]
fn refuses(refused: &str, at: usize, rule: Rule, accepted: &str) {
    assert_eq!(check(refused), Err(vec![Violation { at, rule }]));
    assert_eq!(check(accepted), Ok(()));
}

#[test]
fn prompts_that_cannot_be_read() {
    assert_eq!(check_body(Provider::React, b"\xff"), Err(vec![Violation { at: 0, rule: Rule::NotText }]));
    refuses("", 0, Rule::NoMessages, "[user] hi\n\n");
}

#[test]
fn the_last_entry_waits_for_an_answer() {
    let answered = "[user] hi\n\n[assistant] Action: Finish[hello]\n\n";
    refuses(answered, 1, Rule::LastNotUser, &format!("{answered}[user] and?\n\n"));
}

#[test]
fn every_action_has_its_result() {
    let two = "[user] hi\n\n[assistant] Thought: look\nAction: Read[{}]\nAction: Grep[{}]\n\n[tool] a\n\n";
    refuses(two, 1, Rule::CallWithoutResult { id: "Grep".into() }, &format!("{two}[tool] b\n\n"));
    let interrupted = format!("{two}[user] stop\n\n[tool] b\n\n");
    assert_eq!(check(&interrupted).map_err(|violations| violations.len()), Err(2));
}

#[test]
fn every_result_has_its_action() {
    let stray = Rule::ResultWithoutCall { id: "[tool]".into() };
    refuses("[user] hi\n\n[tool] a\n\n", 1, stray, "[user] hi\n\\[tool] a\n\n");
}

#[test]
fn actions_stand_on_one_line() {
    let act = |action: &str| format!("[user] hi\n\n[assistant] {action}\n\n[user] go on\n\n");
    refuses(&act("Action: Read"), 1, Rule::BadAction, &act("\\Action: Read"));
    refuses(&act("Action: Read[{\n}]"), 1, Rule::BadAction, &act("Action: Finish[one\ntwo]"));
}
