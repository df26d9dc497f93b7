//! Rounds, steps, interruptions and the window.

use crate::story::*;
use lookback_engine::{
    Configuration, ModelChoice, NewPart, Session, SessionError,
    configuration::WindowLimits,
    session::RoundState,
    trace::{
        EventBody, NoBlobs, Origin, ResultData, SessionId, Stop, ToolKind, ToolResult, TurnNo,
        event::{DecidedBy, FileChange, GateAnswer, GateOutcome, Interruption},
        result::{EditData, Hunk, LineForm, ReadData},
    },
};
use lookback_wire::{Provider, Seal, check_body};

#[test]
fn seed_a4_a_round_runs_from_the_user_to_the_answer() {
    let mut session = session();
    user(&mut session, "first");
    step(&mut session, "a", other("x"));
    session.user_turn("and this, too", Origin::Queued, &NOW).expect("between steps");
    session.user_turn("reminder", Origin::Machine, &NOW).expect("between steps");
    assert_eq!(session.state().rounds().len(), 1);
    assert_eq!(session.state().rounds()[0].state, RoundState::Running);
    answer(&mut session, "done");
    assert_eq!(session.state().rounds()[0].state, RoundState::Ended);
    session.user_turn("typed too late for the round", Origin::Queued, &NOW).expect("idle");
    assert_eq!(session.state().rounds().len(), 2);
}

#[test]
fn seed_a6_the_window_is_200k_unless_something_else_is_said() {
    let limits = WindowLimits::default();
    assert_eq!(limits.window(None), 200_000);
    assert_eq!(limits.window(Some(128_000)), 128_000, "the card's");
    assert_eq!(WindowLimits { tokens: Some(64_000), ..limits }.window(Some(128_000)), 64_000, "the configuration's");
    assert_eq!(session().state().model().window, 200_000);
    assert_eq!(limits.output_reserve(None, 200_000), 32_000);
    assert_eq!(limits.output_reserve(Some(8_000), 200_000), 8_000);
    assert_eq!(limits.output_reserve(None, 8_000), 2_000);
}

/// docs/design/model.md, "Decided once".
#[test]
fn settings_decide_what_comes_and_never_what_was() {
    let mut session = session();
    user(&mut session, "go");
    let log = "a line of the log\n".repeat(400);
    step(&mut session, "a", other(&log));
    let mut configuration = Configuration::default();
    (configuration.results.single_share, configuration.results.edge_tokens) = (0.001, 20);
    configuration.window.max_output_reserve = 1_000;
    session.configure(configuration.clone());
    let end = step(&mut session, "b", other(&log));
    session.model_changed(ModelChoice::new("other", Provider::Anthropic, 200_000), &NOW).expect("idle");
    assert_eq!(session.state().model().reserve, 1_000);
    let shown = body(&session, Provider::Anthropic);
    let lines = shown.matches("a line of the log").count();
    assert!((401..450).contains(&lines), "the first is whole, the second is cut: {lines} lines");

    let replayed = Session::replay(session.trace().to_vec(), &NoBlobs).expect("its own trace");
    assert_eq!(replayed.configuration(), &Configuration::default());
    assert_eq!(body(&replayed, Provider::Anthropic), shown);
    let fork = session.fork(SessionId("fork00000000".into()), end, &NOW).expect("a whole turn");
    assert_eq!(fork.configuration(), &configuration);
}

#[test]
fn parallel_results_stand_in_the_order_of_their_calls() {
    let mut session = session();
    user(&mut session, "go");
    calls(&mut session, &["a", "b"]);
    session.tool_call("b", ToolKind::Run, &NOW).expect("it waits");
    session.tool_call("a", ToolKind::Run, &NOW).expect("it waits");
    session.tool_result("b", run("second", 0, "SECOND"), &NOW).expect("it waits");
    assert_eq!(session.waiting_calls(), ["a"]);
    assert_eq!(session.start_call(&NOW), Err(SessionError::StepOpen(TurnNo(2))));
    session.tool_result("a", run("first", 0, "FIRST"), &NOW).expect("it waits");
    session.start_call(&NOW).expect("the step is whole");
    let body = sent(&session);
    assert!(body.find("FIRST") < body.find("SECOND"), "{body}");
    assert!(recall(&session, "cmd#1").expect("it ran").contains("SECOND"), "numbered when it began");
}

#[test]
fn an_interrupted_step_is_answered_and_a_late_result_is_kept() {
    let mut session = session();
    user(&mut session, "go");
    calls(&mut session, &["a", "b"]);
    session.tool_result("a", other("done"), &NOW).expect("it waits");
    session.interrupt(Interruption::Cancelled, &NOW).expect("open");
    session.tool_result("b", other("TOO LATE"), &NOW).expect("known");
    user(&mut session, "what happened?");
    session.start_call(&NOW).expect("the view is valid");
    let body = sent(&session);
    assert!(body.contains("interrupted:") && !body.contains("TOO LATE"), "{body}");
    check_body(Provider::Anthropic, body.as_bytes()).expect("pairs are whole");
    assert!(recall(&session, "turn#2").expect("there").contains("TOO LATE"));
    assert_eq!(
        session.tool_result("c", other("?"), &NOW),
        Err(SessionError::NoSuchCall("c".into())),
        "a call that nobody made"
    );
}

#[test]
fn a_cut_reply_keeps_its_text_and_drops_what_is_unfinished() {
    let mut session = session();
    user(&mut session, "go");
    session.start_call(&NOW).expect("a call");
    let parts = vec![
        NewPart::Thinking { text: "UNSIGNED".into(), seal: Seal::None },
        NewPart::Text("I will ".into()),
        NewPart::Call { id: "a".into(), name: "Read".into(), arguments: "{}".into() },
        NewPart::UnfinishedCall { id: "b".into(), name: "Read".into(), arguments: "{\"pa".into() },
    ];
    session.assistant_turn(parts, Stop::Cut, &NOW).expect("a turn");
    session.start_call(&NOW).expect("it can go on");
    let body = sent(&session);
    assert!(body.contains("I will ") && body.contains("interrupted:"), "{body}");
    assert!(!body.contains("UNSIGNED") && !body.contains("{\\\"pa"), "{body}");
    check_body(Provider::Anthropic, body.as_bytes()).expect("valid");
    assert!(recall(&session, "turn#1").expect("there").contains("{\"pa"), "nothing is lost");
}

#[test]
fn a_reply_stopped_by_the_limit_is_told_so() {
    let mut session = session();
    user(&mut session, "write a lot");
    session.start_call(&NOW).expect("a call");
    session.assistant_turn(vec![NewPart::Text("part one".into())], Stop::Limit, &NOW).expect("a turn");
    session.start_call(&NOW).expect("it goes on");
    assert!(sent(&session).contains("output limit"));
    session.assistant_turn(vec![NewPart::Text("part two".into())], Stop::End, &NOW).expect("a turn");
    assert_eq!(session.start_call(&NOW), Err(SessionError::NothingToAnswer));
}

#[test]
fn call_ids_that_repeat_are_told_apart() {
    let mut session = session();
    user(&mut session, "go");
    step(&mut session, "call_0", other("one"));
    step(&mut session, "call_0", other("two"));
    session.start_call(&NOW).expect("valid");
    check_body(Provider::Anthropic, sent(&session).as_bytes()).expect("ids are unique");
}

#[test]
fn what_does_not_fit_is_refused_before_it_is_sent_and_recorded() {
    let mut session = session();
    user(&mut session, &"word ".repeat(200_000));
    let Err(SessionError::WindowExceeded(exceeded)) = session.start_call(&NOW) else { panic!("it cannot fit") };
    assert_eq!(exceeded.limit, 168_000);
    assert!(exceeded.to_string().contains("Set a larger window"), "{exceeded}");
    assert!(
        matches!(&session.trace().last().expect("an event").event, EventBody::Error { kind, .. } if **kind == *"window_exceeded")
    );
}

#[test]
fn a_late_result_never_answers_another_call() {
    let mut session = session();
    user(&mut session, "go");
    let first = calls(&mut session, &["call_0"]);
    session.interrupt(Interruption::Cancelled, &NOW).expect("open");
    user(&mut session, "again");
    let again = calls(&mut session, &["call_0"]);
    assert_eq!((first.calls, again.calls.as_slice()), (vec!["call_0".into()], &["call_0_t4".to_owned()][..]));
    session.tool_result("call_0", other("LATE"), &NOW).expect("known");
    assert_eq!(session.waiting_calls(), ["call_0_t4"], "the new call still waits");
    session.tool_result("call_0_t4", other("NEW"), &NOW).expect("it waits");
    session.start_call(&NOW).expect("valid");
    assert!(sent(&session).contains("NEW") && !sent(&session).contains("LATE"));
}

#[test]
fn an_answer_may_name_its_calls_as_it_likes() {
    let mut session = session();
    user(&mut session, "go");
    let named = calls(&mut session, &["", "", "same", "same"]);
    assert_eq!(named.calls, ["", "_t1", "same", "same_t1"]);
    for id in &named.calls {
        session.tool_result(id, other("ok"), &NOW).expect("it waits");
    }
    session.start_call(&NOW).expect("valid");
    for provider in Provider::ALL {
        check_body(provider, body(&session, provider).as_bytes()).expect("ids are told apart");
    }
}

#[test]
fn a_cancel_while_tools_run_ends_the_round_and_is_recorded() {
    let mut session = session();
    user(&mut session, "go");
    calls(&mut session, &["a", "b"]);
    session.tool_call("a", ToolKind::Run, &NOW).expect("it waits");
    session.interrupt(Interruption::Cancelled, &NOW).expect("open");
    assert_eq!(session.state().rounds()[0].state, RoundState::Ended);
    assert!(session.trace().iter().any(|event| event.event.name() == "step_interrupted"));
    user(&mut session, "what now?");
    session.start_call(&NOW).expect("valid");
    let body = sent(&session);
    assert!(body.contains("did not run to its end") && body.contains("was not run"), "{body}");
}

#[test]
fn many_results_at_once_shrink_to_their_pointers() {
    let mut session = session();
    session.model_changed(ModelChoice::new("small", Provider::Chat, 8_000), &NOW).expect("idle");
    user(&mut session, "go");
    let ids: Vec<String> = (0..200).map(|number| format!("c{number}")).collect();
    calls(&mut session, &ids.iter().map(String::as_str).collect::<Vec<_>>());
    for id in &ids {
        session.tool_result(id, other(&"x".repeat(4_000)), &NOW).expect("it waits");
    }
    session.start_call(&NOW).expect("it fits");
}

#[test]
fn a_run_is_numbered_once_whatever_it_was_announced_as() {
    let mut session = session();
    user(&mut session, "go");
    calls(&mut session, &["a"]);
    session.tool_call("a", ToolKind::Other, &NOW).expect("it waits");
    assert_eq!(session.tool_call("a", ToolKind::Run, &NOW), Err(SessionError::AlreadyStarted("a".into())));
    session
        .tool_result(
            "a",
            run(
                "make test",
                0,
                "running 0 tests\n\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n",
            ),
            &NOW,
        )
        .expect("it waits");
    assert!(recall(&session, "test#1").expect("a test run").contains("make test"));
    assert!(recall(&session, "cmd#1").is_ok() && recall(&session, "cmd#2").is_err());
}

/// Nobody sees its result, but the file is another one.
#[test]
fn a_late_edit_still_changes_its_file() {
    let mut session = session();
    user(&mut session, "go");
    let read = ReadData {
        path: "a.py".into(),
        first_line: 1,
        line_count: 2,
        total_lines: Some(2),
        form: LineForm::Plain { start: 0, end: 8 },
        mtime: None,
        truncated: false,
    };
    step(&mut session, "read", ToolResult::success("one\ntwo\n", ResultData::Read(read)));
    calls(&mut session, &["edit"]);
    session.tool_call("edit", ToolKind::Edit, &NOW).expect("it waits");
    session.interrupt(Interruption::Cancelled, &NOW).expect("open");
    // Its tool does not say where.
    let hunk = Hunk { first_line: 0, removed: vec!["two".into()], added: vec!["three".into()] };
    let edit = ResultData::Edit(EditData { path: "a.py".into(), hunks: vec![hunk] });
    session.tool_result("edit", ToolResult::success("edited", edit), &NOW).expect("known");
    let EventBody::FileChanged(changed) = &session.trace().last().expect("an event").event else { panic!() };
    assert!(matches!(changed.change, FileChange::Edited { .. }), "{changed:?}");
    assert_eq!(recall(&session, "file:a.py:L2").expect("known"), "three");
}

/// A gate is open for as long as nobody has decided it.
#[test]
fn a_gate_is_asked_and_decided_later() {
    let mut session = session();
    user(&mut session, "go");
    let options = vec!["now".to_owned(), "never".to_owned()];
    let gate = session.ask_gate("When?".into(), options, Some("now".into()), &NOW).expect("a gate");
    assert_eq!(recall(&session, "gate#1").expect("asked"), "When?\n- now\n- never\nrecommended: now\n");
    answer(&mut session, "meanwhile");
    let answers = vec![GateAnswer { from: "lead".into(), answer: "ask the user".into() }];
    let outcome = GateOutcome { answers, decision: Some("never".into()), by: DecidedBy::Person };
    session.decide_gate(gate, outcome.clone(), &NOW).expect("it is open");
    assert!(recall(&session, "gate#1").expect("decided").ends_with("lead: ask the user\ndecided: never\n"));
    assert_eq!(session.decide_gate(2, outcome, &NOW), Err(SessionError::NoSuchGate(2)));
}
