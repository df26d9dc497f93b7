//! What the triggers say does not depend on whether the session was restarted.

use lookback_engine::{
    Configuration, Session, SessionSetup,
    planner::DeltaCause,
    session::Tidied,
    trace::{
        Event, EventBody, NoBlobs, SessionId, TurnNo,
        decision::TurnRange,
        event::SpanId,
        result::{TodoItem, TodoState},
    },
};
use lookback_wire::ToolSpec;

use crate::workday::Day;

fn with_board() -> Day {
    let tools = vec![ToolSpec { name: "Board".into(), description: "State.".into(), parameters: "{}".into() }];
    Day::with(SessionSetup { tools, ..SessionSetup::new(SessionId("restarts0000".into())) })
}

fn restarted(session: &Session) -> Session {
    let json = serde_json::to_string(session.trace()).expect("events are data");
    let events: Vec<Event> = serde_json::from_str(&json).expect("events are data");
    Session::replay(events, &NoBlobs).expect("it replays")
}

fn search(day: &mut Day, step: u32) {
    day.run(&format!("grep -rn word{step} src"), 0, &format!("src/a.py:{step}: word{step}\n").repeat(60));
}

fn tidy(day: &mut Day) -> Tidied {
    day.session.tidy(&day.now()).expect("between steps")
}

fn todo(done: usize) -> Vec<TodoItem> {
    let state = |number| if number < done { TodoState::Done } else { TodoState::Pending };
    (0..20).map(|number| TodoItem { text: format!("item {number}"), state: state(number) }).collect()
}

/// Steps with errors, edits, verdicts that change, repeats, spans and todos: some end before a tidy, some behind it.
struct Varied {
    span: Option<SpanId>,
    done: usize,
}

impl Varied {
    fn step(&mut self, day: &mut Day, step: u32) {
        match step % 11 {
            2 => day.run("make", 2, &format!("error: boom {step}\n")),
            4 => day.run(
                "pytest -q",
                (step % 2) as i32,
                ["3 passed in 0.1s\n", "1 failed, 2 passed in 0.1s\n"][(step % 2) as usize],
            ),
            5 => day.read(60),
            6 => day.edit(7, "    entry = None"),
            8 => day.run("cat src/other.py", 0, &"import os\n".repeat(80)),
            10 => {
                day.answer("so far");
                day.user(&format!("go on with {step}"))
            }
            _ => day.run(&format!("grep -rn word{step} src"), 0, &format!("src/a.py:{step}: word{step}\n").repeat(60)),
        };
        if step % 7 == 3 {
            self.between(day, step);
        }
    }

    fn between(&mut self, day: &mut Day, step: u32) {
        let now = day.now();
        if step.is_multiple_of(2) {
            self.done += 1;
            day.session.todo(todo(self.done), &now).expect("a list");
        } else if let Some(span) = self.span.take() {
            day.session.end_span(&span, "found", &now).expect("it is open");
        } else {
            self.span = Some(day.session.start_span("look", "find it", &now).expect("a span"));
        }
    }
}

/// The fold that a tidy made, and what proposed it.
fn fold(session: &Session, before: usize) -> Option<(String, TurnRange)> {
    session.trace()[before..].iter().find_map(|event| match &event.event {
        EventBody::Fold(fold) => Some((fold.trigger.clone(), fold.range)),
        _ => None,
    })
}

#[test]
fn a_restart_before_a_tidy_changes_no_decision() {
    let mut day = with_board();
    day.user("fix the failing ledger test");
    let mut varied = Varied { span: None, done: 0 };
    let (mut asked, mut folded) = (0, 0);
    for step in 0..60 {
        varied.step(&mut day, step);
        let before = day.session.trace().len();
        let mut again = restarted(&day.session);
        let tidied = tidy(&mut day);
        let then = again.tidy(&day.now()).expect("between steps");
        assert_eq!(tidied.asked_for_delta, then.asked_for_delta, "step {step}");
        // That a block was refused is not recorded: after a restart it may be tried earlier.
        if let Some(fold) = self::fold(&day.session, before) {
            assert_eq!(self::fold(&again, before), Some(fold), "step {step}");
        }
        asked += u32::from(tidied.asked_for_delta.is_some());
        folded += u32::from(tidied.folded.is_some());
        if step % 5 == 1 {
            varied.between(&mut day, step);
        }
    }
    assert!((3..=8).contains(&asked) && folded > 1, "asked {asked} times, folded {folded} times");
}

#[test]
fn without_a_board_tool_a_session_of_restarts_records_the_same() {
    let record = |restarts: bool| {
        let mut day = Day::new();
        day.user("fix the failing ledger test");
        let mut varied = Varied { span: None, done: 0 };
        for step in 0..60 {
            varied.step(&mut day, step);
            if restarts {
                day.session = restarted(&day.session);
            }
            tidy(&mut day);
        }
        day.session.trace().iter().map(|event| format!("{:?}", event.event)).collect::<Vec<_>>()
    };
    let (straight, restarts) = (record(false), record(true));
    let differs = straight.iter().zip(&restarts).position(|(one, other)| one != other);
    assert_eq!(differs, None, "{:?}", differs.map(|at| (&straight[at], &restarts[at])));
    assert_eq!(straight.len(), restarts.len());
    // Who cannot write deltas gets the board with each fold.
    let has = |name: &str| straight.iter().any(|event| event.starts_with(name));
    assert!(has("Fold") && !has("StateDelta"));
}

#[test]
fn nothing_is_asked_for_twice() {
    let mut day = with_board();
    day.user("look");
    day.run("make", 2, "error: boom\n");
    assert!(tidy(&mut day).asked_for_delta.is_some());
    for step in 0..3 {
        search(&mut day, step);
        assert_eq!(tidy(&mut day).asked_for_delta, None);
    }
    day.session.configure(Configuration::default());
    assert_eq!(tidy(&mut day).asked_for_delta, None, "new settings");
    let mut fork = day.session.fork(SessionId("child0000000".into()), TurnNo(6), &day.now()).expect("a fork");
    assert_eq!(fork.tidy(&day.now()).expect("between steps").asked_for_delta, None, "a fork");
    day.session.roll_back(TurnNo(6), &day.now()).expect("a turn");
    assert_eq!(tidy(&mut day).asked_for_delta, None, "a rollback");
}

#[test]
fn a_span_that_ends_behind_a_tidy_is_noticed() {
    let mut day = with_board();
    day.user("look");
    let span = day.session.start_span("diagnose", "find it", &day.now()).expect("a span");
    search(&mut day, 1);
    tidy(&mut day);
    day.session.end_span(&span, "found", &day.now()).expect("it is open");
    let asked = |session: &mut Session, day: &Day| session.tidy(&day.now()).expect("between steps").asked_for_delta;
    let cause = Some(DeltaCause::SpanClosed);
    assert_eq!(asked(&mut restarted(&day.session), &day), cause, "at once");
    search(&mut day, 2);
    assert_eq!(asked(&mut restarted(&day.session), &day), cause, "with the next step");
    assert_eq!(tidy(&mut day).asked_for_delta, cause);
}

#[test]
fn an_archive_begins_the_counting_anew() {
    let mut configuration = Configuration::default();
    configuration.archive.keep_rounds = 1;
    (configuration.triggers.raw_share, configuration.triggers.repeats) = (1.0, 100);
    let setup = SessionSetup { configuration, ..SessionSetup::new(SessionId("archives0000".into())) };
    let mut day = Day::with(setup);
    day.user("first");
    for step in 0..11 {
        day.run(&format!("echo {step}"), 0, &format!("out {step}\n").repeat(10));
        tidy(&mut day);
    }
    day.user("second");
    let draft = day.session.draft_archive().expect("an old round");
    day.session.archive_by_rules(&draft, &day.now()).expect("it archives");
    let folded = (1..30).find(|step| {
        search(&mut day, 100 + step);
        tidy(&mut day).folded.is_some()
    });
    assert_eq!(folded, Some(17), "twelve and five kept ones");
}
