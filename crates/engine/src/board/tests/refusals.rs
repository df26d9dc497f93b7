//! What is not recorded, and why.

use super::*;
use crate::configuration::ActionRange;

#[test]
fn seed_7_1_a_delta_over_250_tokens_is_refused() {
    let board = Board::default();
    let refused = board.check(&goal(&"word ".repeat(300)), &limits(), &count).unwrap_err();
    assert!(matches!(refused, DeltaRefused::OverBudget { tokens: 251.., limit: 250 }), "{refused}");
    // Exactly at the limit it is admitted: what is counted is what will stand in the stream.
    let mut after = board.clone();
    let applied = after.apply(&goal("x"));
    let rendered = render_delta(&goal("x"), &applied, &limits()).len() as u32;
    let spare = |more: u32| move |bytes: &[u8]| bytes.len() as u32 - rendered + more;
    assert_eq!(board.check(&goal("x"), &limits(), &spare(250)), Ok(()));
    assert_eq!(
        board.check(&goal("x"), &limits(), &spare(251)),
        Err(DeltaRefused::OverBudget { tokens: 251, limit: 250 })
    );
}

#[test]
fn seed_7_1_a_shifted_goal_needs_its_reason() {
    let mut board = Board::default();
    board.apply(&goal("fix the ledger test"));
    let shifted = goal("write the release notes");
    assert!(matches!(board.check(&shifted, &limits(), &count), Err(DeltaRefused::GoalShiftWithoutReason { .. })));
    let reasoned = Delta { goal_shift_reason: Some("the user asked for it".into()), ..shifted };
    assert_eq!(board.check(&reasoned, &limits(), &count), Ok(()));
    assert_eq!(board.check(&goal("fix the ledger test in src/ledger.py"), &limits(), &count), Ok(()));
    board.apply(&reasoned);
    assert_eq!(board.goal_shift_reason(), Some("the user asked for it"));
}

#[test]
fn every_bad_delta_is_refused_with_its_own_kind() {
    let mut board = Board::default();
    board.apply(&first_delta());
    let actions = |actions: &[&str]| Delta {
        next_actions: Some(actions.iter().map(ToString::to_string).collect()),
        ..Delta::default()
    };
    let twice = facts(vec![retract("f1", &["turn#1"]), retract("f1", &["turn#2"])]);
    let wrong_lines = Anchor { last_line: 9, ..anchor("a", 1, "x\ny") };
    for (delta, refused) in [
        (Delta::default(), DeltaRefused::Empty),
        (actions(&["compare account names exactly"]), DeltaRefused::Empty),
        (
            facts(vec![Change::Revise {
                id: "f2".into(),
                to: fact("1 ledger test fails", &["test#1 failed:test_balance"]),
            }]),
            DeltaRefused::Empty,
        ),
        (facts(vec![retract("f9", &["turn#1"])]), DeltaRefused::NoSuchId { id: "f9".into() }),
        (
            Delta { open_questions: vec![Change::Revise { id: "f1".into(), to: question("why") }], ..Delta::default() },
            DeltaRefused::NoSuchId { id: "f1".into() },
        ),
        (twice, DeltaRefused::ChangedTwice { id: "f1".into() }),
        (actions(&["a", "b", "c", "d"]), DeltaRefused::TooManyActions { count: 4, limit: 3 }),
        (actions(&[" "]), DeltaRefused::Blank { field: "next_actions" }),
        (facts(vec![Change::Add(fact("x is y", &[]))]), DeltaRefused::FactWithoutEvidence { text: "x is y".into() }),
        (facts(vec![retract("f1", &[])]), DeltaRefused::RetractionWithoutEvidence { id: "f1".into() }),
        (
            Delta { anchors: vec![Change::Add(wrong_lines)], ..Delta::default() },
            DeltaRefused::AnchorLines { path: "a".into(), first_line: 1, last_line: 9, lines: 2 },
        ),
    ] {
        assert_eq!(board.check(&delta, &limits(), &count), Err(refused));
    }
    assert_eq!(board.check(&actions(&[]), &limits(), &count), Ok(()), "an empty list takes away what was there");
    let several = BoardLimits { next_actions: ActionRange { least: 2, most: 3 }, ..limits() };
    let refused = DeltaRefused::TooFewActions { count: 1, limit: 2 };
    assert_eq!(board.check(&actions(&["a"]), &several, &count), Err(refused));
}

#[test]
fn stale_anchors_cost_the_author_nothing() {
    let mut board = example();
    let own = |bytes: &[u8]| bytes.len() as u32;
    let untouched = Board { stale: Vec::new(), ..board.clone() };
    let text = render_delta(&goal("x"), &untouched.clone().apply(&goal("x")), &limits());
    let limits = BoardLimits { delta_tokens: text.len() as u32, ..limits() };
    assert_eq!(board.stale().len(), 1);
    let refined = Delta { goal_shift_reason: None, ..goal("x") };
    board.task = None;
    assert_eq!(board.check(&refined, &limits, &own), Ok(()));
    assert!(render_delta(&refined, &board.apply(&refined), &limits).contains("a1 stale since turn#29"));
}
