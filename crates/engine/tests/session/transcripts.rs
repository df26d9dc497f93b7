//! Sessions that happened elsewhere: written down without a view, and yet the same events.

use lookback_engine::{
    NewPart, Recorder, Session, SessionSetup, WholeStep,
    trace::{
        Event, EventBody, Origin, ResultData, SessionId, Status, Stop, ToolResult, TurnNo,
        event::Usage,
        result::{LineForm, ReadData, RunData, TodoItem, TodoState, WriteData},
    },
};

use lookback_wire::TokenUsage;

use crate::story::NOW;

fn setup() -> SessionSetup {
    SessionSetup {
        system: "You are careful.".into(),
        rules: "Never touch a test.".into(),
        tokenizer: "bytes/4".into(),
        // Room for everything: nothing is folded, cut or refused.
        window: u32::MAX,
        ..SessionSetup::new(SessionId("elsewhere000".into()))
    }
}

fn call(id: &str, name: &str) -> NewPart {
    NewPart::Call { id: id.into(), name: name.into(), arguments: "{}".into() }
}

fn run(command: &str, exit: i32, text: &str) -> ToolResult {
    let data = RunData { command: command.into(), exit_code: Some(exit), ..RunData::default() };
    ToolResult::success(text, ResultData::Run(data))
}

fn read(path: &str, text: &str) -> ToolResult {
    let data = ReadData {
        path: path.into(),
        first_line: 1,
        line_count: 2,
        total_lines: None,
        form: LineForm::Numbered { separator: "→".into() },
        mtime: None,
        truncated: false,
    };
    ToolResult::success(text, ResultData::Read(data))
}

fn write(path: &str, text: &str) -> ToolResult {
    let data = WriteData { path: path.into(), created: true, content: text.into() };
    ToolResult::success("written", ResultData::Write(data))
}

/// What happened, step by step: reads, commands that change files, tests, ids that come twice.
fn steps() -> Vec<WholeStep> {
    let step =
        |parts: Vec<NewPart>, results: Vec<ToolResult>| WholeStep { parts, stop: Stop::End, results, bill: None };
    vec![
        step(
            vec![NewPart::Text("I look.".into()), call("a", "Read"), call("a", "Bash")],
            vec![read("src/a.py", "     1→one\n     2→two\n"), run("pytest -q", 1, "F.\n1 failed, 1 passed in 0.1s\n")],
        ),
        step(vec![call("a", "Write")], vec![write("src/b.py", "three\n")]),
        step(vec![call("", "Bash")], vec![run("sed -i s/one/four/ src/a.py", 0, "")]),
        step(vec![call("b", "Bash")], vec![run("cat src/a.py", 0, "four\ntwo\n")]),
        step(vec![call("c", "Bash")], vec![run("pytest -q", 0, "..\n2 passed in 0.1s\n")]),
        WholeStep {
            parts: vec![NewPart::Text("Done.".into())],
            stop: Stop::End,
            results: Vec::new(),
            bill: Some(TokenUsage { uncached: 3, cached: 100, written: 20, output: 5, ..TokenUsage::default() }),
        },
    ]
}

fn transcribed() -> (Recorder, Vec<Event>) {
    let mut transcript = Recorder::start(setup(), &NOW).expect("it starts");
    let mut events = transcript.take_events();
    transcript.user_turn("why?".into(), Origin::Person, &NOW).expect("a turn");
    for step in steps() {
        transcript.step(step, &NOW).expect("a step");
        events.extend(transcript.take_events());
    }
    (transcript, events)
}

#[test]
fn a_transcript_has_the_events_of_a_session_with_room_for_everything() {
    let mut session = Session::start(setup(), &NOW).expect("it starts");
    session.user_turn("why?", Origin::Person, &NOW).expect("idle");
    for WholeStep { parts, stop, results, bill } in steps() {
        let call = session.start_call(&NOW).expect("idle");
        let turn = session.assistant_turn(parts, stop, &NOW).expect("an answer");
        if let Some(billed) = bill {
            session.usage(Usage { call, billed }, &NOW).expect("a bill");
        }
        for (id, result) in turn.calls.iter().zip(results) {
            session.tool_result(id, result, &NOW).expect("a result");
        }
    }
    let (_, events) = transcribed();
    assert_eq!(events, session.trace());
    assert!(events.iter().any(|event| matches!(event.event, EventBody::FileChanged(_))), "sed changed a known file");
}

#[test]
fn events_are_given_out_once_and_nothing_is_kept() {
    let (mut transcript, events) = transcribed();
    assert!(transcript.take_events().is_empty());
    assert_eq!(transcript.turns(), 12);
    assert!(events.iter().zip(0..).all(|(event, number)| event.seq.0 == number));
}

#[test]
fn what_has_no_result_never_ran() {
    let mut transcript = Recorder::start(setup(), &NOW).expect("it starts");
    let parts = vec![call("a", "Bash"), call("b", "Bash")];
    let step = WholeStep { parts, stop: Stop::Cancelled, results: vec![run("ls", 0, "x")], bill: None };
    transcript.step(step, &NOW).expect("a step");
    let statuses: Vec<Status> = transcript
        .take_events()
        .iter()
        .filter_map(|event| match &event.event {
            EventBody::ToolResult { result, .. } => Some(result.status),
            _ => None,
        })
        .collect();
    assert_eq!(statuses, [Status::Success, Status::Interrupted]);
}

#[test]
fn a_person_can_go_back_and_the_session_replays_so() {
    let (mut transcript, mut events) = transcribed();
    transcript.return_to(TurnNo(2), &NOW).expect("turn 2 ended");
    transcript.user_turn("otherwise".into(), Origin::Person, &NOW).expect("a turn");
    let step = WholeStep { parts: vec![NewPart::Text("So.".into())], stop: Stop::End, results: vec![], bill: None };
    transcript.step(step, &NOW).expect("a step");
    events.extend(transcript.take_events());
    let session = Session::replay(events.clone(), &lookback_engine::trace::NoBlobs).expect("a whole trace");
    assert_eq!(session.view().entries().len(), 5, "one question, one step of two turns, a question, an answer");
    let counted = events.iter().rev().find_map(|event| match event.event {
        EventBody::CallStarted { input_tokens, .. } => Some(u64::from(input_tokens)),
        _ => None,
    });
    let answer = session.view().entries()[4].tokens;
    assert_eq!(counted, Some(session.view().tokens() - u64::from(answer)), "counted as the view is");
    assert!(transcript.return_to(TurnNo(6), &NOW).is_ok(), "a branch that was left can be taken up again");
    assert!(transcript.return_to(TurnNo(500), &NOW).is_err(), "there is no such turn");
}

#[test]
fn a_todo_list_is_recorded_when_it_changes() {
    let mut transcript = Recorder::start(setup(), &NOW).expect("it starts");
    let items = vec![TodoItem { text: "look".into(), state: TodoState::Pending }];
    for number in 0..3 {
        let result = ToolResult::success("ok", ResultData::Todo { items: items.clone() });
        let parts = vec![call(&format!("t{number}"), "TodoWrite")];
        transcript.step(WholeStep { parts, stop: Stop::End, results: vec![result], bill: None }, &NOW).expect("a step");
    }
    let events = transcript.take_events();
    assert_eq!(events.iter().filter(|event| matches!(event.event, EventBody::Todo { .. })).count(), 1);
}
