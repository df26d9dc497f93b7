//! What stands where in the view, and when it changes.

use crate::story::*;
use lookback_engine::{
    Miss, NewPart, Session,
    evidence::pointer::Place,
    fold::Delta,
    trace::{
        EventBody, NoBlobs, Stop, TurnNo,
        decision::{
            Archive, Author, Fold, Reach, Settle, SettledResult, StateDelta, ThinkingBehind, TurnRange, Unfold,
        },
        event::NoteKind,
        result::{TodoItem, TodoState},
        start::Counted,
    },
};
use lookback_wire::Provider;
use serde_json::Value;

#[test]
fn seed_a1_layers_stand_in_their_order() {
    let mut session = session();
    user(&mut session, "HISTORY");
    answer(&mut session, "done");
    session.todo(vec![TodoItem { text: "RECAP".into(), state: TodoState::Pending }], &NOW).expect("a list");
    user(&mut session, "INPUT");
    session.start_call(&NOW).expect("a call");
    for provider in Provider::ALL {
        let body = body(&session, provider);
        let place = |word: &str| body.find(word).unwrap_or_else(|| panic!("{provider}: {word} is in {body}"));
        assert!(place("SYSTEM") < place("RULES"), "{provider}");
        assert!(place("RULES") < place("HISTORY"), "{provider}");
        assert!(place("HISTORY") < place("INPUT"), "{provider}");
        assert!(place("INPUT") < place("RECAP"), "{provider}");
        assert!(place("TOOLS") < place("HISTORY"), "{provider}");
    }
}

#[test]
fn seed_a1_a_summary_belongs_to_history_and_not_to_the_head() {
    let mut events = {
        let mut session = session();
        user(&mut session, "old question");
        answer(&mut session, "old answer");
        user(&mut session, "new question");
        session.trace().to_vec()
    };
    let content = Counted { text: "SUMMARY".into(), tokens: 2 };
    let range = TurnRange { first: TurnNo(0), last: TurnNo(1) };
    let archive = Archive {
        archive: 1,
        range,
        author: Author::Rules,
        content,
        board: None,
        thinking: ThinkingBehind::Kept,
        trigger: "test".into(),
        decision: Value::Null,
        refused: Vec::new(),
        claims: None,
        pinned: Vec::new(),
    };
    push(&mut events, EventBody::Archive(Box::new(archive)));
    let session = Session::replay(events, &NoBlobs).expect("it replays");
    let body = body(&session, Provider::Anthropic);
    assert!(!body.contains("old question"));
    assert!(body.find("\"messages\"") < body.find("SUMMARY"));
    assert!(body.find("SUMMARY") < body.find("new question"));
    assert_eq!(recall(&session, "turn#0").expect("archived, not lost"), "old question");
}

#[test]
fn notes_are_appended_when_they_change_and_left_where_they_were() {
    let mut session = session();
    user(&mut session, "go");
    session.remind("branch", "on branch main");
    let item = |state| vec![TodoItem { text: "write it".into(), state }];
    session.todo(item(TodoState::Pending), &NOW).expect("a list");
    step(&mut session, "a", other("x"));
    session.remind("branch", "on branch main");
    session.todo(item(TodoState::Pending), &NOW).expect("a list");
    step(&mut session, "b", other("y"));
    session.todo(item(TodoState::InProgress), &NOW).expect("a list");
    session.start_call(&NOW).expect("a call");
    let body = sent(&session);
    assert_eq!(body.matches("on branch main").count(), 1);
    assert_eq!(body.matches("Todo:").count(), 2, "{body}");
    let reasons: Vec<_> = session.ledger().iter().map(|line| line.reasons.to_vec()).collect();
    assert_eq!(reasons, [vec![Miss::FirstCall], vec![Miss::NewTurns], vec![Miss::NewTurns]]);
}

#[test]
fn changed_rules_wait_for_a_resume() {
    let mut session = session();
    user(&mut session, "go");
    answer(&mut session, "ok");
    session.rules_changed("NEW RULES".into(), &NOW).expect("recorded");
    user(&mut session, "more");
    session.start_call(&NOW).expect("a call");
    assert!(sent(&session).contains("rules changed on disk") && !sent(&session).contains("NEW RULES"));
    session.resume(&NOW).expect("it resumes");
    session.start_call(&NOW).expect("a call");
    assert!(sent(&session).contains("NEW RULES"));
    let line = session.ledger().last().expect("a line");
    assert_eq!(*line.reasons, [Miss::RulesChanged]);
    assert!(line.reused.tokens > 0, "tools and system are still the same");
    session.assistant_turn(vec![NewPart::Text("ok".into())], Stop::End, &NOW).expect("an answer");
    session.rules_changed("NEWER RULES".into(), &NOW).expect("recorded");
    user(&mut session, "and now?");
    session.start_call(&NOW).expect("a call");
    assert_eq!(sent(&session).matches("rules changed on disk").count(), 2, "each change is announced");
}

#[test]
fn recorded_folds_settles_and_deltas_have_their_places() {
    let mut session = session();
    user(&mut session, "go");
    step(&mut session, "a", other("RAW A"));
    step(&mut session, "b", other("RAW B"));
    step(&mut session, "c", other("RAW C"));
    let mut events = session.trace().to_vec();
    let before = body(&session, Provider::Anthropic);
    let seam = before.find("{\"role\":\"assistant\"").expect("a step");
    let range = TurnRange { first: TurnNo(1), last: TurnNo(4) };
    let block = Counted { text: "BLOCK 1".into(), tokens: 2 };
    let fold = Fold { reach: Reach::Alone, ..Fold::bare(1, range, block) };
    push(&mut events, EventBody::Fold(Box::new(fold)));
    push(
        &mut events,
        EventBody::StateDelta(Box::new(StateDelta {
            version: 1,
            author: Author::Rules,
            delta: Delta::default(),
            entry: Some(Counted { text: "STATE_DELTA v1".into(), tokens: 4 }),
            refused: Vec::new(),
        })),
    );
    let content = Counted { text: "SHORT C".into(), tokens: 2 };
    let settled = SettledResult { turn: TurnNo(6), index: 0, content, replaced_tokens: 2 };
    let settle = Settle { results: vec![settled], thinking: ThinkingBehind::Kept, decision: Value::Null };
    push(&mut events, EventBody::Settle(Box::new(settle)));
    let folded = Session::replay(events.clone(), &NoBlobs).expect("it replays");
    let after = body(&folded, Provider::Anthropic);
    assert_eq!(after[..seam], before[..seam], "everything before the seam is unchanged");
    assert!(!after.contains("RAW") && after.contains("SHORT C"), "{after}");
    assert!(after.find("BLOCK 1") < after.find("STATE_DELTA"), "{after}");
    assert_eq!(folded.view().seam(), 2);
    assert!(recall(&folded, "turn#2").expect("folded, not lost").contains("RAW A"));
    push(&mut events, EventBody::Unfold(Unfold { block: 1, thinking: ThinkingBehind::Kept }));
    let unfolded = Session::replay(events, &NoBlobs).expect("it replays");
    assert!(body(&unfolded, Provider::Anthropic).contains("RAW A"));
}

#[test]
fn seed_appendix_a_a_detached_decision_leaves_one_line() {
    let mut session = session();
    user(&mut session, "go");
    session
        .gate("delete it?".into(), vec!["yes".into(), "no".into()], Vec::new(), Some("no".into()), &NOW)
        .expect("a gate");
    session.note(NoteKind::Decision, "gate#1", "gate#1: decided no".into(), &NOW).expect("idle");
    session.start_call(&NOW).expect("a call");
    assert!(sent(&session).contains("gate#1: decided no") && !sent(&session).contains("delete it?"));
    let place = Place::Gate(1);
    assert!(session.recall(&place, &NoBlobs).is_ok());
}
