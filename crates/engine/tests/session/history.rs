//! Going back, branching off, resuming, and what the ledger says of it.

use crate::story::*;
use lookback_engine::{
    Miss, ModelChoice, Session, SessionError,
    trace::{
        EventBody, NoBlobs, SessionId, Status, ToolKind, ToolResult, TurnNo,
        decision::{Settle, SettledResult, ThinkingBehind, Unfold},
        event::NoteKind,
        start::Counted,
    },
};
use lookback_wire::{Provider, check_body};
use serde_json::Value;

#[test]
fn a_rollback_takes_the_view_back_and_no_number() {
    let mut session = session();
    user(&mut session, "first");
    answer(&mut session, "one");
    let before = body(&session, Provider::Chat);
    user(&mut session, "second");
    step(&mut session, "a", run("ls", 0, "SECRET"));
    answer(&mut session, "two");
    assert_eq!(session.roll_back(TurnNo(3), &NOW), Err(SessionError::SplitsStep { turn: TurnNo(3), whole: TurnNo(4) }));
    session.roll_back(TurnNo(1), &NOW).expect("a whole turn");
    assert_eq!(body(&session, Provider::Chat), before);
    assert_eq!(session.roll_back(TurnNo(5), &NOW), Err(SessionError::TurnRolledBack(TurnNo(5))));
    let turn = user(&mut session, "third");
    assert_eq!(turn, TurnNo(6), "numbers are never used again");
    step(&mut session, "b", run("pwd", 0, "x"));
    assert!(recall(&session, "cmd#2").expect("numbers go on").contains("pwd"));
    assert!(recall(&session, "cmd#1").expect("rolled back, not lost").contains("SECRET"));
    session.start_call(&NOW).expect("valid");
    let line = session.ledger().last().expect("a line");
    assert_eq!(*line.reasons, [Miss::NewTurns], "the rollback was paid for by the call before");
}

#[test]
fn a_fork_goes_on_from_its_turn() {
    let mut parent = session();
    user(&mut parent, "first");
    answer(&mut parent, "one");
    user(&mut parent, "second");
    let mut fork = parent.fork(SessionId("child0000000".into()), TurnNo(1), &NOW).expect("a whole turn");
    assert_eq!(fork.id().0, "child0000000");
    assert!(!body(&fork, Provider::Chat).contains("second"));
    assert_eq!(user(&mut fork, "another"), TurnNo(2), "numbers go on");
    assert!(!body(&parent, Provider::Chat).contains("another"));

    let forged = |parent: &str, session: &str, turn: u32| {
        let mut events = fork.trace().to_vec();
        let (parent, session) = (SessionId(parent.into()), SessionId(session.into()));
        push(&mut events, EventBody::Forked { session: session.into(), parent: parent.into(), turn: TurnNo(turn) });
        Session::replay(events, &NoBlobs).map(|session| session.id().clone())
    };
    assert!(forged("child0000000", "grandchild", 2).is_ok(), "a fork of a fork");
    assert!(forged("nobody", "grandchild", 2).is_err());
    assert!(forged("child0000000", "child0000000", 2).is_err());
    assert!(forged("child0000000", "grandchild", 99).is_err());
    assert!(forged("child0000000", "grandchild", 0).is_err(), "not behind that turn");
}

#[test]
fn damaged_traces_are_refused_with_their_place() {
    let mut session = session();
    user(&mut session, "go");
    let events = session.trace().to_vec();
    let replay = |events: Vec<_>| Session::replay(events, &NoBlobs).expect_err("damaged").to_string();
    assert!(replay(Vec::new()).contains("empty"));
    assert!(replay(events[1..].to_vec()).contains("not session_started"));
    let mut gap = events.clone();
    push(&mut gap, EventBody::Todo { items: Vec::new() });
    gap.remove(1);
    assert!(replay(gap).contains("event 2 stands where event 1 belongs"));
    let mut newer = events.clone();
    if let EventBody::SessionStarted(start) = &mut newer[0].event {
        start.schema = 99;
    }
    assert!(replay(newer).contains("upgrade lookback"));
    let mut orphan = events.clone();
    let result = Box::new(ToolResult::interrupted());
    push(&mut orphan, EventBody::ToolResult { turn: TurnNo(7), index: 0, result });
    assert!(replay(orphan).contains("event 2 does not fit"));
    let mut unfold = events;
    push(&mut unfold, EventBody::Unfold(Unfold { block: 3, thinking: ThinkingBehind::Kept }));
    assert!(replay(unfold).contains("block 3 is not in the view"));
}

#[test]
fn a_resumed_session_shows_what_was_interrupted() {
    let mut session = session();
    user(&mut session, "go");
    calls(&mut session, &["a"]);
    let mut again = Session::replay(session.trace().to_vec(), &NoBlobs).expect("it replays");
    assert_eq!(again.waiting_calls(), ["a"]);
    again.resume(&NOW).expect("it resumes");
    assert!(again.waiting_calls().is_empty());
    again.start_call(&NOW).expect("valid");
    check_body(Provider::Anthropic, sent(&again).as_bytes()).expect("valid");
    let status = again.trace().iter().find_map(|event| match &event.event {
        EventBody::ToolResult { result, .. } => Some(result.status),
        _ => None,
    });
    assert_eq!(status, Some(Status::Interrupted));
}

#[test]
fn the_ledger_says_what_is_reused_and_why_not_all() {
    let mut session = session();
    user(&mut session, "go");
    step(&mut session, "a", other("x"));
    let first = sent(&session);
    step(&mut session, "b", other("y"));
    let second = sent(&session);
    let lines = session.ledger();
    assert_eq!(*lines[0].reasons, [Miss::FirstCall]);
    assert_eq!(lines[0].reused.tokens, 0);
    assert_eq!(*lines[1].reasons, [Miss::NewTurns]);
    assert_eq!(lines[1].reused, lines[0].written, "all of the first prompt is the beginning of the second");
    assert!(second.starts_with(first.trim_end_matches("]}")), "byte for byte");
    session.model_changed(ModelChoice::new("other", Provider::Responses, 200_000), &NOW).expect("idle");
    session.start_call(&NOW).expect("a call");
    let line = session.ledger().last().expect("a line");
    assert_eq!((line.reused.tokens, &*line.reasons), (0, &[Miss::ModelChanged, Miss::NewTurns][..]));
}

#[test]
fn the_model_in_use_survives_a_rollback() {
    let mut session = session();
    user(&mut session, "one");
    answer(&mut session, "1");
    session.model_changed(ModelChoice::new("gpt", Provider::Chat, 100_000), &NOW).expect("idle");
    user(&mut session, "two");
    answer(&mut session, "2");
    session.roll_back(TurnNo(1), &NOW).expect("a whole turn");
    user(&mut session, "three");
    session.start_call(&NOW).expect("a call");
    assert_eq!(session.sent().provider(), Provider::Chat);
    assert_eq!(session.state().model().name, "gpt");
    let line = session.ledger().last().expect("a line");
    assert_eq!(*line.reasons, [Miss::RolledBack, Miss::NewTurns]);
}

#[test]
fn words_that_are_sent_again_are_reused() {
    let mut session = session();
    user(&mut session, "hello");
    answer(&mut session, "hi");
    let turn = user(&mut session, "fix it");
    answer(&mut session, "fixed");
    session.roll_back(TurnNo(turn.0 - 1), &NOW).expect("a whole turn");
    user(&mut session, "fix it");
    session.start_call(&NOW).expect("a call");
    let line = session.ledger().last().expect("a line");
    assert_eq!(line.written.tokens, 0, "the same bytes as in the last prompt: {line:?}");
}

#[test]
fn rules_that_came_after_the_turn_wait_again_in_a_fork_and_after_a_rollback() {
    let mut session = session();
    user(&mut session, "one");
    answer(&mut session, "1");
    session.rules_changed("NEW RULES".into(), &NOW).expect("recorded");
    let turn = user(&mut session, "two");
    let mut fork = session.fork(SessionId("fork".into()), turn, &NOW).expect("a whole turn");
    fork.start_call(&NOW).expect("a call");
    assert!(sent(&fork).contains("rules changed on disk"));
    session.resume(&NOW).expect("it resumes");
    session.roll_back(TurnNo(1), &NOW).expect("a whole turn");
    user(&mut session, "three");
    session.start_call(&NOW).expect("a call");
    assert!(sent(&session).contains("rules changed on disk"), "the file on disk is still the new one");
}

#[test]
fn a_span_that_was_rolled_back_ends_there() {
    let mut session = session();
    user(&mut session, "one");
    answer(&mut session, "1");
    let span = session.start_span("try", "a goal", &NOW).expect("a span");
    user(&mut session, "DEAD");
    session.roll_back(TurnNo(1), &NOW).expect("a whole turn");
    user(&mut session, "ALIVE");
    let text = recall(&session, &format!("span#try#{}", span.number)).expect("a span");
    assert!(text.contains("DEAD") && !text.contains("ALIVE"), "{text}");
}

#[test]
fn traces_from_outside_cannot_break_the_view() {
    let mut session = session();
    user(&mut session, "go");
    let turn = step(&mut session, "a", other("text"));
    let events = session.trace().to_vec();
    let refused = |event: EventBody| {
        let mut events = events.clone();
        push(&mut events, event);
        Session::replay(events, &NoBlobs).expect_err("damaged").to_string()
    };
    let content = Counted { text: String::new(), tokens: 1 };
    let settled = SettledResult { turn, index: 0, content: content.clone(), replaced_tokens: 9_999 };
    assert!(
        refused(EventBody::Settle(Box::new(Settle {
            results: vec![settled],
            thinking: ThinkingBehind::Kept,
            decision: Value::Null
        })))
        .contains("fewer tokens")
    );
    let mut open = events.clone();
    open.truncate(open.len() - 3);
    push(&mut open, EventBody::NoteShown { kind: NoteKind::Probe, key: "".into(), content: content.into() });
    assert!(
        Session::replay(open, &NoBlobs).expect_err("damaged").to_string().contains("stands"),
        "in the middle of a step"
    );
    let call = EventBody::ToolCall { turn, index: 0, kind: ToolKind::Run, cmd: Some(77) };
    assert!(refused(call).contains("command number"));
    let mut cut = events.clone();
    for event in &mut cut {
        if let EventBody::StepEnded { shown, .. } = &mut event.event {
            shown[0].cut = Some(lookback_engine::trace::event::Cut { head: 9_999, tail: 9_999 });
            shown[0].tokens = u32::MAX;
        }
    }
    let session = Session::replay(cut, &NoBlobs).expect("odd, but whole");
    assert!(body(&session, Provider::Chat).contains("text"));
    assert!(session.check_window().is_err(), "no count is small enough to slip through");
}
