//! Folds and unfolds: what they replace, what they leave, and what is refused.

use lookback_engine::{
    Session, SessionError, Source,
    session::{FoldRefused, ModelAttempt, UnfoldRefused},
    trace::{
        EventBody, NoBlobs, TurnNo,
        decision::{Reach, TurnRange},
    },
};
use lookback_wire::Provider;
use serde_json::json;

use crate::{
    story::{body, recall},
    workday::{Day, line, proposal, read, true_fact},
};

fn sources(session: &Session) -> Vec<Source> {
    session.view().entries().iter().map(|entry| entry.source).collect()
}

/// Every provider's bytes of everything before the hot zone.
fn prefix(session: &Session) -> Vec<String> {
    let bodies = Provider::ALL.map(|provider| body(session, provider));
    bodies.to_vec()
}

#[test]
fn seed_4_1_a_fold_runs_from_the_seam_to_the_newest_steps_that_stay() {
    let mut day = Day::work(12);
    let draft = day.session.draft_fold(None, &day.now()).expect("there is enough");
    assert_eq!(draft.range, TurnRange { first: TurnNo(0), last: TurnNo(14) }, "the newest five steps stay");
    assert_eq!(draft.reach, Reach::FromSeam);
    let report = day.session.fold_by_rules(&draft, &day.now()).expect("it is admitted");
    assert_eq!((report.block, report.kept_steps), (1, 5));
    assert!(report.written() < report.replaced / 2);
    assert_eq!(sources(&day.session)[0], Source::Block(1));
    assert_eq!(day.session.view().seam(), 1, "right behind the block, before the board entry");
    let text = body(&day.session, Provider::Anthropic);
    assert!(text.contains("fix the failing ledger test, don't touch the test"), "the user's turn stays word for word");
    assert!(text.contains("not the user's words"), "the voice");
    assert!(recall(&day.session, "file:src/ledger.py:L7").expect("folded, not lost").contains(line(7).trim()));
}

#[test]
fn seed_8_the_next_fold_leaves_the_first_block_as_it_was() {
    let mut day = Day::work(12);
    let draft = day.session.draft_fold(None, &day.now()).expect("there is enough");
    day.session.fold_by_rules(&draft, &day.now()).expect("it is admitted");
    let blocks = |day: &Day| {
        let entry = day.session.view().entries()[0];
        let message = day.session.message(&entry, &NoBlobs).expect("no blobs");
        lookback_wire::render_message(Provider::Anthropic, &message)
    };
    let first = blocks(&day);
    day.go_on_working("now the other one", 12);
    let draft = day.session.draft_fold(None, &day.now()).expect("there is enough again");
    let report = day.session.fold_by_rules(&draft, &day.now()).expect("it is admitted");
    assert_eq!(report.block, 2);
    assert_eq!(blocks(&day), first);
    assert_eq!(&sources(&day.session)[..2], [Source::Block(1), Source::Block(2)]);
    let boards = sources(&day.session).iter().filter(|source| **source == Source::Board).count();
    assert!(boards <= 1, "the fold covered the entry before it");
}

#[test]
fn seed_11_1_a_span_may_be_folded_alone() {
    let mut day = Day::work(3);
    let span = day.session.start_span("diagnose", "find the cause", &day.now()).expect("it opens");
    day.go_on_working("look further", 8);
    let open = day.session.draft_span_fold("diagnose", None);
    assert_eq!(open, Err(FoldRefused::SpanOpen("diagnose".into()).into()));
    day.session.end_span(&span, "found", &day.now()).expect("it closes");
    day.go_on_working("and now", 2);
    let before = body(&day.session, Provider::Chat);
    let draft = day.session.draft_span_fold("diagnose#1", None).expect("it is closed");
    assert_eq!(draft.range.first, TurnNo(7));
    day.session.fold_by_rules(&draft, &day.now()).expect("it is admitted");
    let after = body(&day.session, Provider::Chat);
    let same = before.bytes().zip(after.bytes()).take_while(|(one, other)| one == other).count();
    assert!(before[..same].contains("1 failed, 2 passed"), "what lies before the span stays raw");
    let none = day.session.draft_span_fold("repair", None);
    assert!(matches!(none, Err(SessionError::Fold(FoldRefused::NoSuchSpan { .. }))));
}

#[test]
fn a_range_that_splits_a_step_is_refused() {
    let mut day = Day::work(12);
    let before = prefix(&day.session);
    for (first, last, turn, whole) in [(0, 3, 3, 4), (2, 6, 2, 1)] {
        let range = TurnRange { first: TurnNo(first), last: TurnNo(last) };
        let refused = day.session.draft_range(range, None, "test");
        assert_eq!(refused, Err(FoldRefused::SplitsStep { turn: TurnNo(turn), whole: TurnNo(whole) }.into()));
    }
    let unseen = TurnRange { first: TurnNo(1), last: TurnNo(24) };
    let refused = day.session.draft_range(unseen, None, "test");
    assert_eq!(refused, Err(FoldRefused::NotSeenYet { turn: TurnNo(24) }.into()));
    assert_eq!(prefix(&day.session), before);
    day.session.start_call(&day.now()).expect("nothing is open");
}

#[test]
fn nothing_to_fold_is_said() {
    let mut day = Day::work(3);
    let refused = day.session.draft_fold(None, &day.now());
    assert_eq!(refused, Err(FoldRefused::NothingToFold { kept: 5 }.into()));
    day.session.start_call(&day.now()).expect("a call");
    assert_eq!(day.session.draft_fold(None, &day.now()), Err(SessionError::CallOpen));
}

#[test]
fn steps_that_end_meanwhile_stay_behind_the_block() {
    let mut day = Day::work(12);
    let draft = day.session.draft_fold(None, &day.now()).expect("there is enough");
    day.run("make", 0, "MEANWHILE\n");
    let text = proposal(0, 14, true_fact(), json!({}));
    let report =
        day.session.fold_by_model(&draft, &text, ModelAttempt::First, &day.now()).expect("the range still stands");
    assert_eq!((report.kept_steps, report.facts), (6, 1));
    assert!(body(&day.session, Provider::Chat).contains("MEANWHILE"));
    let again = day.session.fold_by_model(&draft, &text, ModelAttempt::First, &day.now());
    assert_eq!(again, Err(FoldRefused::OutOfDate.into()));
}

#[test]
fn a_refused_text_leaves_the_view_and_three_open_the_breaker() {
    let mut day = Day::work(12);
    let draft = day.session.draft_fold(None, &day.now()).expect("there is enough");
    let before = prefix(&day.session);
    let good = proposal(0, 14, true_fact(), json!({}));
    let bad =
        [good[..good.len() / 2].to_owned(), "I'd rather call a tool".into(), proposal(0, 12, true_fact(), json!({}))];
    for text in &bad {
        let refused = day.session.fold_by_model(&draft, text, ModelAttempt::First, &day.now());
        assert!(matches!(refused, Err(SessionError::Fold(_))), "{refused:?}");
    }
    assert_eq!(prefix(&day.session), before);
    let replayed = Session::replay(day.session.trace().to_vec(), &NoBlobs).expect("it replays");
    assert_eq!(replayed.breaker(), lookback_engine::fold::BreakerState::Open, "known again after a restart");
    assert_eq!(day.session.breaker(), lookback_engine::fold::BreakerState::Open);
}

#[test]
fn missing_fields_are_asked_for_once() {
    let mut day = Day::work(12);
    let draft = day.session.draft_fold(None, &day.now()).expect("there is enough");
    let text = json!({ "compressed_turns": {
        "replaces": { "start_turn": 0, "end_turn": 14 },
        "facts": [{ "kind": "verdict", "evidence": ["cmd#1 exit=1"] }],
    }})
    .to_string();
    let first = day.session.fold_by_model(&draft, &text, ModelAttempt::First, &day.now());
    assert!(matches!(first, Err(SessionError::Fold(FoldRefused::MissingFields(_)))), "{first:?}");
    day.session.fold_by_model(&draft, &text, ModelAttempt::Repair, &day.now()).expect("the repair is taken as it is");
}

#[test]
fn an_unfold_puts_the_turns_back_and_moves_no_seam() {
    let mut day = Day::work(12);
    let before = body(&day.session, Provider::Anthropic);
    let draft = day.session.draft_fold(None, &day.now()).expect("there is enough");
    day.session.fold_by_rules(&draft, &day.now()).expect("it is admitted");
    let behind = day.session.view().entries().len() - day.session.view().seam();
    let report = day.session.unfold(1, &day.now()).expect("it fits");
    assert!(report.turns_tokens > report.block_tokens);
    assert_eq!(day.session.view().entries().len() - day.session.view().seam(), behind);
    let after = body(&day.session, Provider::Anthropic);
    let turns = &before[..before.find("grep -rn word7").expect("the first kept step")];
    assert!(after.starts_with(&turns[..turns.len() - 200]), "the turns stand where they stood");
    let refused = |day: &mut Day, number| day.session.unfold(number, &day.now());
    assert_eq!(refused(&mut day, 1), Err(UnfoldRefused::AlreadyUnfolded { number: 1 }.into()));
    assert_eq!(refused(&mut day, 2), Err(UnfoldRefused::NoSuchBlock { number: 2, blocks: 1 }.into()));
    let again = day.session.draft_fold(None, &day.now()).expect("they stay raw until /fold");
    assert_eq!(again.range, draft.range);
    assert_eq!(day.session.fold_by_rules(&again, &day.now()).expect("it is admitted").block, 2);
}

#[test]
fn rollback_and_fork_go_through_folds() {
    let mut day = Day::work(12);
    let before = body(&day.session, Provider::Responses);
    let draft = day.session.draft_fold(None, &day.now()).expect("there is enough");
    day.session.fold_by_rules(&draft, &day.now()).expect("it is admitted");
    let folded = body(&day.session, Provider::Responses);
    let board = day.session.state().board().clone();
    day.go_on_working("and more", 3);
    let last = TurnNo(day.session.turns() - 1);
    let fork =
        day.session.fork(lookback_engine::trace::SessionId("fork00000000".into()), last, &day.now()).expect("it forks");
    assert_eq!(body(&fork, Provider::Responses), body(&day.session, Provider::Responses));
    day.session.roll_back(TurnNo(24), &day.now()).expect("turn 24 is whole");
    assert_eq!(body(&day.session, Provider::Responses), before, "the fold came after turn 24");
    assert_eq!(day.session.unfold(1, &day.now()), Err(UnfoldRefused::RolledBack { number: 1 }.into()));
    let draft = day.session.draft_fold(None, &day.now()).expect("there is enough");
    let again = day.session.fold_by_rules(&draft, &day.now()).expect("it is admitted");
    assert_eq!(again.block, 2, "numbers are never used again");
    assert!(body(&day.session, Provider::Responses).len().abs_diff(folded.len()) < 40);
    assert_eq!(day.session.state().board().version(), board.version());
    let replayed = Session::replay(day.session.trace().to_vec(), &NoBlobs).expect("it replays");
    assert_eq!(body(&replayed, Provider::Responses), body(&day.session, Provider::Responses));
    assert_eq!(replayed.state().board(), day.session.state().board());
}

#[test]
fn a_fold_is_one_event_with_its_decision() {
    let mut day = Day::work(12);
    let events = day.session.trace().len();
    let draft = day.session.draft_fold(Some("load_entry"), &day.now()).expect("there is enough");
    day.session.fold_by_rules(&draft, &day.now()).expect("it is admitted");
    let [event] = &day.session.trace()[events..] else { panic!("one event") };
    let EventBody::Fold(fold) = &event.event else { panic!("a fold") };
    assert_eq!(fold.trigger, "/fold");
    assert_eq!(fold.decision["verdict"], json!({ "go": "order" }));
    let json = serde_json::to_string(event).expect("events are JSON");
    assert_eq!(*event, serde_json::from_str(&json).expect("they come back"));
}

#[test]
fn after_a_fold_a_file_is_shown_once_and_then_named() {
    let mut day = Day::work(12);
    let again = |day: &Day| day.session.reread(read(10, 20), &NoBlobs);
    assert_eq!(again(&day), read(10, 20), "nothing was folded yet");
    let draft = day.session.draft_fold(None, &day.now()).expect("there is enough");
    day.session.fold_by_rules(&draft, &day.now()).expect("it is admitted");
    assert_eq!(again(&day), read(10, 20), "once in full");
    let turn = day.read(60);
    let text = again(&day).text.bytes(&NoBlobs).expect("in memory");
    let named = format!("src/ledger.py:L10-L20 unchanged since turn#{turn} · ");
    assert!(text.starts_with(named.as_bytes()), "{text:?}");
    day.edit(15, "    entry_15 = None");
    assert_eq!(again(&day), read(10, 20), "the file has changed");
}
