//! What must still hold after the view was edited: notes, results that nobody saw, seams, models.

use lookback_engine::{
    Miss, ModelChoice, Session, SessionError, SessionSetup, Source,
    card::{Card, Cards, Lifetime, ThinkingHabit},
    session::LayoutRefused,
    trace::{
        EventBody, Layout, NoBlobs, SessionId,
        result::{TodoItem, TodoState},
    },
};
use lookback_wire::{Provider, Seal};

use crate::{
    story::{body, run},
    workday::Day,
};

fn card(model: &str) -> Card {
    let cards = Cards::parse(include_str!("../../../../prices/anthropic.toml")).expect("cards");
    cards.find(model).expect("a card").clone()
}

#[test]
fn notes_that_a_fold_took_away_are_shown_again() {
    let mut day = Day::new();
    let todo = vec![TodoItem { text: "REMEMBER".into(), state: TodoState::Pending }];
    day.session.todo(todo, &day.now()).expect("a list");
    day.session.remind("branch", "ON BRANCH MAIN");
    day.go_on_working("fix the failing ledger test", 12);
    day.session.rules_changed("NEW".into(), &day.now()).expect("noted");
    let draft = day.session.draft_fold(None, &day.now()).expect("there is enough");
    day.session.fold_by_rules(&draft, &day.now()).expect("it is admitted");
    day.session.start_call(&day.now()).expect("a call");
    let text = body(&day.session, Provider::Chat);
    for words in ["Todo: 0 of 1", "ON BRANCH MAIN", "rules changed on disk"] {
        assert_eq!(text.matches(words).count(), 1, "{words}");
    }
}

#[test]
fn results_that_the_model_has_not_seen_stay() {
    let mut day = Day::with(SessionSetup { window: 8_000, ..SessionSetup::new(SessionId("unseen000000".into())) });
    day.user("look");
    let unseen = day.run("cat log", 0, &"UNSEEN line\n".repeat(500));
    for round in 0..4 {
        day.user(&format!("and {round}: {}", "more words ".repeat(300)));
    }
    day.session.settle(&day.now()).expect("idle");
    let _ = day.session.start_call(&day.now());
    assert!(day.session.view().entries().iter().any(|entry| entry.source == Source::Turn(unseen)));
    assert!(body(&day.session, Provider::Chat).contains("UNSEEN line"));
}

#[test]
fn the_hot_zone_is_known_again_after_execute() {
    let mut day = Day::work(12);
    day.answer("done");
    day.user("more");
    let (seam, body_before) = (day.session.view().seam(), body(&day.session, Provider::Chat));
    day.session.change_layout(Layout::Execute, &day.now()).expect("it fits");
    day.session.change_layout(Layout::Chat, &day.now()).expect("it fits");
    assert_eq!(day.session.view().seam(), seam);
    assert_eq!(body(&day.session, Provider::Chat), body_before);
    day.session.draft_fold(None, &day.now()).expect("there is as much to fold as before");
}

#[test]
fn execute_needs_something_before_the_running_round() {
    let mut day = Day::work(3);
    let refused = day.session.change_layout(Layout::Execute, &day.now());
    assert_eq!(refused, Err(LayoutRefused::NothingBefore.into()));
}

#[test]
fn a_changed_model_takes_thinking_by_its_card_and_lets_rules_take_effect() {
    let mut day = Day::new();
    day.session.use_card(card("claude-sonnet-4-5"), Lifetime::Usual);
    day.user("think");
    day.session.start_call(&day.now()).expect("a call");
    let thinking = lookback_engine::NewPart::Thinking { text: "THOUGHT".into(), seal: Seal::Signature("c2ln".into()) };
    let call = lookback_engine::NewPart::Call { id: "c".into(), name: "Bash".into(), arguments: "{}".into() };
    day.session.assistant_turn(vec![thinking, call], lookback_engine::trace::Stop::End, &day.now()).expect("a turn");
    day.session.tool_result("c", run("ls", 0, "x"), &day.now()).expect("it waits");
    day.session.rules_changed("NEW RULES".into(), &day.now()).expect("noted");
    day.session.use_card(Card { thinking: ThinkingHabit::Drop, ..card("claude-sonnet-4-5") }, Lifetime::Usual);
    let choice = ModelChoice::new("another", Provider::Anthropic, 200_000);
    day.session.model_changed(choice, &day.now()).expect("idle");
    day.session.tidy(&day.now()).expect("idle");
    let text = body(&day.session, Provider::Anthropic);
    assert!(!text.contains("THOUGHT") && text.contains("NEW RULES"), "{text}");
    day.session.start_call(&day.now()).expect("a call");
    let line = day.session.ledger().last().expect("a line");
    assert_eq!(line.reasons[0], Miss::ModelChanged);
}

#[test]
fn seed_5_blocks_are_numbered_without_gaps() {
    let mut day = Day::work(12);
    let draft = day.session.draft_fold(None, &day.now()).expect("there is enough");
    day.session.fold_by_rules(&draft, &day.now()).expect("it is admitted");
    for number in [0, 2, u32::MAX] {
        let mut events = day.session.trace().to_vec();
        let Some(EventBody::Fold(fold)) = events.last_mut().map(|event| &mut event.event) else { panic!("a fold") };
        fold.block = number;
        let refused = Session::replay(events, &NoBlobs);
        assert!(matches!(refused, Err(SessionError::Trace(_))), "{number}");
    }
}

#[test]
fn a_span_fold_leaves_the_board_about_now() {
    let mut day = Day::new();
    day.go_on_working("fix the failing ledger test", 1);
    let span = day.session.start_span("old", "look", &day.now()).expect("it opens");
    day.go_on_working("make the report faster", 8);
    day.session.end_span(&span, "looked", &day.now()).expect("it closes");
    day.answer("done");
    day.go_on_working("write the release notes", 3);
    let before = day.session.state().board().clone();
    let draft = day.session.draft_span_fold("old", None).expect("it is closed");
    day.session.fold_by_rules(&draft, &day.now()).expect("it is admitted");
    assert_eq!(day.session.state().board().task(), before.task());
    let draft = day.session.draft_fold(None, &day.now());
    if let Ok(draft) = draft {
        day.session.fold_by_rules(&draft, &day.now()).expect("it is admitted");
        assert_eq!(day.session.state().board().task().expect("a task").text, "write the release notes");
    }
}
