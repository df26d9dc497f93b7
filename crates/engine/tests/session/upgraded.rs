//! Traces of schema 1: read today, they show what they showed.

use lookback_engine::{
    Session,
    trace::{EventBody, NoBlobs, decision::BoardShown, upgrade::TraceReader},
};
use lookback_wire::Provider;
use serde_json::{Value, json};

use crate::{
    story::{body, recall},
    workday::{Day, line_fact, proposal, true_fact},
};

/// A session with all that schema 1 wrote otherwise.
fn day() -> Day {
    let mut day = Day::work(12);
    for number in 0..2 {
        let draft = day.session.draft_fold(None, &day.now()).expect("there is enough");
        let delta = json!({ "facts": [line_fact(20 + number)] });
        let text = proposal(draft.range.first.0, draft.range.last.0, true_fact(), delta);
        let attempt = lookback_engine::session::ModelAttempt::First;
        day.session.fold_by_model(&draft, "no JSON", attempt, &day.now()).expect_err("no JSON");
        day.session.fold_by_model(&draft, &text, attempt, &day.now()).expect("it is admitted");
        day.go_on_working("go on", 12);
    }
    day
}

/// The same trace as schema 1 wrote it, with a gate and a compactor's call at its end.
fn as_schema_1(session: &Session) -> Vec<String> {
    let mut lines: Vec<Value> = session.trace().iter().map(|event| json!(event)).collect();
    for line in &mut lines {
        let body = &mut line["event"];
        if let Some(start) = body.get_mut("session_started") {
            start["schema"] = json!(1);
            start.as_object_mut().expect("an object").remove("recorded_by");
        }
        if let Some(board) = body.get_mut("fold").and_then(|fold| fold.get_mut("board")) {
            board.as_object_mut().expect("an object").remove("shows");
        }
        if let Some(refused) = body.get("text_refused") {
            *body = json!({ "error": { "kind": "text_refused", "message": refused["reason"] } });
        }
    }
    let gate = json!({ "number": 1, "question": "Now?", "options": ["yes"], "answers": [], "decision": "yes" });
    let call = json!({ "purpose": "block", "model": "m", "ride": "live", "problem": "no answer" });
    for body in [json!({ "gate": gate }), json!({ "compactor_called": call })] {
        lines.push(json!({ "seq": lines.len(), "at": 1_763_200_000_000_i64, "event": body }));
    }
    lines.iter().map(Value::to_string).collect()
}

#[test]
fn an_old_trace_gives_the_view_that_it_gave() {
    let day = day();
    let mut reader = TraceReader::default();
    let read = |line: &String| reader.event(line.as_bytes()).unwrap_or_else(|error| panic!("{error}: {line}"));
    let events: Vec<_> = as_schema_1(&day.session).iter().map(read).collect();
    let whole = |event: &&lookback_engine::trace::Event| matches!(&event.event, EventBody::Fold(fold) if fold.board.as_ref().is_some_and(|board| board.shows == BoardShown::Whole));
    assert_eq!(events.iter().filter(whole).count(), 1, "the second fold covers the board of the first");
    let replayed = Session::replay(events, &NoBlobs).expect("whole");
    for provider in Provider::ALL {
        assert_eq!(body(&replayed, provider), body(&day.session, provider));
    }
    assert_eq!(replayed.state().board(), day.session.state().board());
    assert_eq!(replayed.breaker(), day.session.breaker());
    assert_eq!(replayed.last_call(), day.session.last_call(), "calls keep their numbers");
    assert_eq!(recall(&replayed, "gate#1").expect("decided"), "Now?\n- yes\ndecided: yes\n");
}
