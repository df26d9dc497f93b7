//! What a new delta does to what stands there.

use super::*;

#[test]
fn seed_10_2_versions_rise_and_the_latest_wins() {
    let mut board = Board::default();
    assert_eq!(board.apply(&first_delta()).version, 1);
    assert_eq!(board.apply(&second_delta()).version, 2);
    assert_eq!(board.status().tests.text, "3 pass");
    assert_eq!(board.next_actions(), ["run the whole suite"]);
    let [held] = board.assertions() else { panic!("one assertion per command") };
    assert_eq!(held.assertion.result, "3 passed");
    assert_eq!(board.task().unwrap().text, "make balance() exact, without touching the test");
}

#[test]
fn ids_are_never_used_again() {
    let mut board = Board::default();
    let delta = |name: &str| Delta {
        confirmed_facts: vec![Change::Add(fact(name, &["turn#1"]))],
        open_questions: vec![Change::Add(question(name))],
        anchors: vec![Change::Add(anchor(name, 1, "x"))],
        ..Delta::default()
    };
    board.apply(&delta("one"));
    board.apply(&Delta {
        confirmed_facts: vec![retract("f1", &["turn#2"])],
        open_questions: vec![retract("q1", &[])],
        anchors: vec![retract("a1", &[])],
        ..Delta::default()
    });
    assert!(board.questions().is_empty() && board.anchors().is_empty());
    let applied = board.apply(&delta("two"));
    assert_eq!(
        (applied.facts[0].id.as_str(), &applied.questions[..], &applied.anchors[..]),
        ("f2", &["q2".into()][..], &["a2".into()][..])
    );
}

#[test]
fn seed_10_2_a_conflict_keeps_the_latest_and_both_pointers() {
    for change in [
        Change::Add(fact("0 tests fail", &["cmd#5 exit=0"])),
        Change::Revise { id: "f1".into(), to: fact("0 tests fail", &["cmd#5 exit=0"]) },
    ] {
        let mut board = Board::default();
        let old = fact("3 tests fail", &["cmd#3 exit=1"]);
        board.apply(&facts(vec![Change::Add(old.clone())]));
        let applied = board.apply(&facts(vec![change]));
        assert_eq!(applied.facts, [AppliedFact { id: "f1".into(), outcome: Outcome::Revised { was: old.clone() } }]);
        let [entry] = board.facts() else { panic!("one fact") };
        assert_eq!(entry.value.fact, fact("0 tests fail", &["cmd#5 exit=0"]));
        assert_eq!(entry.value.mark, Mark::Revised { was: old.evidence });
    }
}

#[test]
fn seed_10_2_a_retraction_keeps_both_pointers() {
    let mut board = Board::default();
    board.apply(&facts(vec![Change::Add(fact("3 tests fail", &["cmd#3 exit=1"]))]));
    let delta = facts(vec![retract("f1", &["cmd#5 exit=0"])]);
    let applied = board.apply(&delta);
    let line =
        r#"{"id":"f1","text":"no longer held: 3 tests fail","evidence":["cmd#5 exit=0"],"revised":"was cmd#3 exit=1"}"#;
    assert!(render_delta(&delta, &applied, &limits()).contains(line));
    assert!(render_board(&board, &[], &limits(), &count).contains(line));
    assert_eq!(board.check(&delta, &limits(), &count), Err(DeltaRefused::NoSuchId { id: "f1".into() }));
    // What was retracted can be found again, under a new name.
    let again = board.apply(&facts(vec![Change::Add(fact("3 tests fail", &["cmd#9 exit=1"]))]));
    assert_eq!(again.facts, [AppliedFact { id: "f2".into(), outcome: Outcome::Added }]);
}

#[test]
fn what_was_only_concluded_replaces_no_confirmed_fact() {
    let mut board = Board::default();
    let confirmed = fact("3 tests fail", &["cmd#3 exit=1"]);
    board.apply(&facts(vec![Change::Add(confirmed.clone())]));
    let same = board.apply(&facts(vec![Change::Add(concluded("3 tests fail", "turn#8"))]));
    assert_eq!(same.facts[0].outcome, Outcome::Restated);
    let other = board.apply(&facts(vec![Change::Add(concluded("2 tests fail", "turn#9"))]));
    assert_eq!(other.facts[0], AppliedFact { id: "f2".into(), outcome: Outcome::Added });
    assert_eq!(board.facts()[0].value.fact, confirmed);
    assert!(render_board(&board, &[], &limits(), &count).contains("\"the assistant concluded: 2 tests fail\""));
}

#[test]
fn the_next_delta_names_the_anchors_that_went_stale_and_only_that_one() {
    let mut board = example();
    let applied = board.apply(&second_delta());
    assert!(render_delta(&second_delta(), &applied, &limits()).contains("\"a1 stale since turn#29\""));
    let applied = board.apply(&goal("x"));
    assert_eq!(applied.stale, []);
}

#[test]
fn a_rewritten_file_does_not_eat_the_budget_of_one_delta() {
    let mut board = Board::default();
    let anchors = (1..=20).map(|line| Change::Add(anchor("a", line, "x"))).collect();
    board.apply(&Delta { anchors, ..Delta::default() });
    let followed = board.follow_unseen("a");
    board.apply_followed("a", &followed, TurnNo(9));
    let named: Vec<usize> = (0..4).map(|_| board.apply(&goal("x")).stale.len()).collect();
    assert_eq!(named, [8, 8, 4, 0]);
}

#[test]
fn a_status_keeps_what_a_delta_leaves_out() {
    let mut board = Board::default();
    let status = |status: WorkStatus| Delta { status: Some(status), ..Delta::default() };
    board.apply(&status(WorkStatus { build: told("exit 0"), errors_left: Some(2), ..WorkStatus::default() }));
    let tests = status(WorkStatus { tests: told("1 failed"), ..WorkStatus::default() });
    let applied = board.apply(&tests);
    let whole = WorkStatus { tests: told("1 failed"), build: told("exit 0"), errors_left: Some(2) };
    assert_eq!(*board.status(), whole);
    assert!(render_delta(&tests, &applied, &limits()).ends_with(r#"{"status":{"tests":"1 failed"}}"#));
    assert_eq!(board.check(&tests, &limits(), &count), Err(DeltaRefused::Empty), "it says so already");
}

#[test]
fn what_was_seen_earlier_does_not_replace_what_was_seen_since() {
    let seen_at = |text: &str, pointer: &str, event| {
        let evidence = vec![Evidence { pointer: pointer.into(), event: EventNo(event) }];
        Fact { evidence, ..fact(text, &[]) }
    };
    let mut board = Board::default();
    board.apply(&facts(vec![Change::Add(seen_at("1 tests failed", "cmd#9", 90))]));
    let older = seen_at("3 tests failed", "cmd#1", 10);
    let delta = facts(vec![Change::Add(older.clone())]);
    assert_eq!(board.check(&delta, &limits(), &count), Err(DeltaRefused::Empty));
    let applied = board.apply(&delta);
    assert_eq!(applied.facts, [AppliedFact { id: "f1".into(), outcome: Outcome::Overtaken }]);
    assert!(!render_delta(&delta, &applied, &limits()).contains("3 tests"), "the board does not say so");
    board.apply(&facts(vec![Change::Add(seen_at("1 tests failed", "cmd#2", 20))]));
    assert_eq!(board.facts()[0].value.fact.evidence[0].pointer, "cmd#9");
    board.apply(&facts(vec![Change::Revise { id: "f1".into(), to: older.clone() }]));
    assert_eq!(board.facts()[0].value.fact, older, "by id it is meant");
}
