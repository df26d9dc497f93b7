//! What a provider bills for its cache, beside what the card says it should.

use lookback_engine::{
    CacheVerdict, Difference, Mismatch, ModelChoice, Replay, Session, SessionSetup,
    cache::Split,
    card::{Cards, Lifetime},
    trace::{CallNo, NoBlobs, SessionId, event::Usage},
};

use lookback_wire::TokenUsage;

use crate::workday::Day;

const MODEL: &str = "claude-sonnet-4-5";

fn cards() -> Cards {
    let mut cards = Cards::parse(include_str!("../../../../prices/anthropic.toml")).expect("cards");
    cards.add(Cards::parse(include_str!("../../../../prices/deepseek.toml")).expect("cards"));
    cards
}

fn begin() -> Day {
    let setup = SessionSetup { model: MODEL.into(), ..SessionSetup::new(SessionId("verdicts0000".into())) };
    let mut day = Day::with(setup);
    day.session.use_card(cards().find(MODEL).expect("a card").clone(), Lifetime::Usual);
    day.user("look at everything");
    day
}

/// A step whose bill is what `bill` makes of the expected one. A fifth is billed on top of what is counted.
fn step(day: &mut Day, bill: impl FnOnce(Split) -> Split) -> CallNo {
    let call = CallNo(day.session.last_call().0 + 1);
    day.run(&format!("grep -rn word{call} src"), 0, &format!("src/a.py:{call}: word{call}\n").repeat(400));
    let split = bill(day.session.expected_bill(call).expect("a card is in use"));
    let [uncached, cached, written] =
        [split.uncached, split.read, split.written].map(|tokens| u32::try_from(tokens * 6 / 5).expect("small"));
    let billed = TokenUsage { uncached, cached, written, output: 9, ..TokenUsage::default() };
    day.session.usage(Usage { call, billed }, &day.now()).expect("it was made");
    call
}

fn nothing_cached(split: Split) -> Split {
    Split { read: 0, written: split.read + split.written, uncached: split.uncached, ..Split::default() }
}

#[test]
fn bills_that_follow_the_card_are_as_expected_and_others_are_named() {
    let mut day = begin();
    for _ in 0..6 {
        let call = step(&mut day, |split| split);
        assert_eq!(day.session.cache_verdict(call), Some(CacheVerdict::AsExpected), "call {call}");
    }
    let lost = step(&mut day, nothing_cached);
    let verdict = day.session.cache_verdict(lost).expect("both are there");
    let expected = day.session.expected_bill(lost).expect("a card is in use").read * 6 / 5;
    let CacheVerdict::Mismatch(Mismatch { difference: Difference::Lost, expected: named, reported: 0 }) = verdict
    else {
        panic!("{verdict:?}");
    };
    assert!(named.abs_diff(expected) <= expected / 50, "{named} for {expected}");
    let call = step(&mut day, |split| split);
    assert_eq!(day.session.cache_verdict(call), Some(CacheVerdict::AsExpected), "the entry is there again");
}

#[test]
fn a_fold_is_expected() {
    let mut day = begin();
    for _ in 0..8 {
        step(&mut day, |split| split);
    }
    let draft = day.session.draft_fold(None, &day.now()).expect("enough to fold");
    day.session.fold_by_rules(&draft, &day.now()).expect("a fold");
    for _ in 0..2 {
        let call = step(&mut day, |split| split);
        assert_eq!(day.session.cache_verdict(call), Some(CacheVerdict::AsExpected), "call {call}");
    }
}

#[test]
fn a_replay_with_the_card_says_the_same() {
    let mut day = begin();
    step(&mut day, |split| split);
    let lost = step(&mut day, nothing_cached);
    let mut replay = Replay::new(None, &NoBlobs);
    replay.use_card(cards().find(MODEL).expect("a card").clone(), Lifetime::Usual);
    day.session.trace().iter().for_each(|event| replay.push(event.clone()).expect("it was recorded"));
    let replayed = replay.finish().expect("a session");
    assert_eq!(replayed.cache_verdict(lost), day.session.cache_verdict(lost));
    let without = Session::replay(day.session.trace().to_vec(), &NoBlobs).expect("it replays");
    assert_eq!(without.cache_verdict(lost), None, "no card, no expectation");
    assert_eq!((replayed.expected_input(), without.expected_input()), {
        let expected = day.session.expected_input();
        (expected, expected)
    });
}

#[test]
fn another_model_begins_anew_and_leaves_what_was_said_of_the_last() {
    let mut day = begin();
    let first = step(&mut day, |split| split);
    let lost = step(&mut day, nothing_cached);
    let before = day.session.cache_verdict(lost);
    let card = cards().find("deepseek-chat").expect("a card").clone();
    let choice = ModelChoice { model: "deepseek-chat".into(), ..choice(&day.session) };
    day.session.model_changed(choice, &day.now()).expect("idle");
    day.session.use_card(card, Lifetime::Usual);
    assert_eq!(day.session.factor(), 1.0);
    assert_eq!(day.session.expected_input(), day.session.view().tokens());
    // A server that has reported nothing so far may be one that never does.
    let silent = |split: Split| Split { uncached: split.tokens(), ..Split::default() };
    step(&mut day, silent);
    let call = step(&mut day, silent);
    assert_eq!(day.session.cache_verdict(call), Some(CacheVerdict::NotReported));
    assert_eq!(day.session.cache_verdict(lost), before);
    assert_eq!(day.session.cache_verdict(first), Some(CacheVerdict::AsExpected));
}

fn choice(session: &Session) -> ModelChoice {
    let model = session.state().model();
    ModelChoice {
        model: model.name.clone(),
        provider: model.provider,
        window: model.window,
        max_output: None,
        alternation: model.alternation,
        plain_thinking: model.plain_thinking,
        pictures: model.pictures,
    }
}
