//! The three layouts: one view, three renderings.

use lookback_engine::{
    Miss, Session, SessionSetup, Source,
    card::{Cards, Lifetime},
    trace::{Layout, NoBlobs, SessionId},
};
use lookback_wire::{Provider, check_body};

use crate::{story::body, workday::Day};

fn two_rounds() -> Day {
    let mut day = Day::new();
    day.go_on_working("fix the failing ledger test, don't touch the test", 12);
    day.answer("The test is fixed.");
    day.go_on_working("now speed up load_entry", 4);
    day
}

#[test]
fn seed_execute_shows_the_dialogue_the_running_round_and_the_board() {
    let mut day = two_rounds();
    let draft = day.session.draft_fold(None, &day.now()).expect("there is enough");
    day.session.fold_by_rules(&draft, &day.now()).expect("it is admitted");
    let chat = body(&day.session, Provider::Anthropic);
    assert!(day.session.state().board().task().is_some());
    day.session.change_layout(Layout::Execute, &day.now()).expect("it fits");
    let text = body(&day.session, Provider::Anthropic);
    assert!(text.contains("STATE_BOARD") && !text.contains(r#"\"task\""#), "nobody named it, so none is shown");
    assert_eq!(day.session.view().entries()[0].source, Source::Dialogue);
    for words in ["fix the failing ledger test, don't touch the test", "The test is fixed.", "now speed up load_entry"]
    {
        assert!(text.contains(words), "{words}");
    }
    assert!(text.contains("word3"), "the running round stands in full");
    assert!(!text.contains("COMPRESSED_TURNS"), "blocks are named by pointer");
    for provider in Provider::ALL {
        assert_eq!(check_body(provider, body(&day.session, provider).as_bytes()), Ok(()));
    }
    day.run("make", 0, "NATIVE\n");
    let longer = body(&day.session, Provider::Anthropic);
    assert!(longer.starts_with(&text[..text.len() - 2]), "new turns follow natively");
    let line = day.session.ledger().last().expect("a line");
    assert!(line.reasons.contains(&Miss::LayoutChanged), "{:?}", line.reasons);
    let replayed = Session::replay(day.session.trace().to_vec(), &NoBlobs).expect("it replays");
    assert_eq!(body(&replayed, Provider::Anthropic), longer);
    day.session.change_layout(Layout::Chat, &day.now()).expect("it fits");
    let back = body(&day.session, Provider::Anthropic);
    let same = chat.bytes().zip(back.bytes()).take_while(|(one, other)| one == other).count();
    assert!(chat[..same].contains("COMPRESSED_TURNS v1"), "the blocks are back where they stood");
}

#[test]
fn a_session_returns_to_chat_at_its_next_archive() {
    let mut day = Day::new();
    for round in 0..14 {
        day.user(&format!("question {round}"));
        day.run("grep -rn x src", 0, &format!("src/a.py:{round}: round{round}\n").repeat(80));
        day.answer(&format!("answer {round}"));
    }
    day.session.change_layout(Layout::Execute, &day.now()).expect("it fits");
    day.user("go on");
    let draft = day.session.draft_archive().expect("more than ten rounds");
    day.session.archive_by_rules(&draft, &day.now()).expect("it is shorter");
    assert_eq!(day.session.state().layout(), Layout::Chat);
    let sources: Vec<Source> = day.session.view().entries().iter().map(|entry| entry.source).collect();
    assert_eq!(sources[0], Source::Archived(1));
    assert!(!sources.contains(&Source::Dialogue));
    assert!(body(&day.session, Provider::Chat).contains("round13"), "the kept rounds are back");
}

#[test]
fn a_resume_with_a_cold_cache_shows_what_was_really_asked() {
    let mut day = Day::with(SessionSetup {
        model: "claude-sonnet-4-5".into(),
        ..SessionSetup::new(SessionId("resume000000".into()))
    });
    let cards = Cards::parse(include_str!("../../../../prices/anthropic.toml")).expect("cards");
    day.session.use_card(cards.find("claude-sonnet-4-5").expect("a card").clone(), Lifetime::Usual);
    day.go_on_working("fix the failing ledger test, don't touch the test", 12);
    day.answer("The test is fixed.");
    let before = body(&day.session, Provider::Anthropic);
    day.minute += 2;
    day.session.resume(&day.now()).expect("it resumes");
    assert_eq!(body(&day.session, Provider::Anthropic), before, "warm: byte for byte");
    day.minute += 10;
    day.session.resume(&day.now()).expect("it resumes");
    assert_eq!(day.session.state().layout(), Layout::Execute);
    day.user("continue");
    day.session.start_call(&day.now()).expect("a call");
    let text = body(&day.session, Provider::Anthropic);
    assert!(text.contains("fix the failing ledger test, don't touch the test") && text.contains("continue"));
    assert!(text.len() < before.len() / 2);
}

#[test]
fn seed_e1_react_is_one_text() {
    let mut day = two_rounds();
    day.session.change_layout(Layout::React, &day.now()).expect("it fits");
    day.session.start_call(&day.now()).expect("a call");
    assert_eq!(day.session.sent().provider(), Provider::React);
    let line = day.session.ledger().last().expect("a line");
    assert_eq!((line.reused.tokens, line.reasons[0]), (0, Miss::LayoutChanged));
}

#[test]
fn a_changed_head_is_drift() {
    let mut day = two_rounds();
    day.session.head_changed("ANOTHER SYSTEM".into(), Vec::new(), &day.now()).expect("noted");
    day.session.start_call(&day.now()).expect("a call");
    let line = day.session.ledger().last().expect("a line");
    assert!(line.reasons.contains(&Miss::Drift), "{:?}", line.reasons);
    assert!(body(&day.session, Provider::Chat).contains("ANOTHER SYSTEM"));
}
