//! Edits of the view that meet one another: each leaves what the others rely on.

use crate::story::*;
use lookback_engine::{
    Miss, ModelChoice, NewPart, Session, SessionError,
    card::Alternation,
    session::FoldRefused,
    trace::{
        Layout, ResultData, Stop, ToolResult, TurnNo,
        decision::TurnRange,
        result::{LineForm, ReadData},
    },
};
use lookback_wire::{Provider, Seal};

const WISH: &str = r#"{"facts":[{"kind":"quoted","evidence":["user#1"]}]}"#;
const TASK: &str = r#"{"task":"user#1"}"#;

fn range(first: u32, last: u32) -> TurnRange {
    TurnRange { first: TurnNo(first), last: TurnNo(last) }
}

fn big() -> ToolResult {
    other(&"many words of output\n".repeat(400))
}

fn fold(session: &mut Session, turns: TurnRange) -> u32 {
    let draft = session.draft_range(turns, None, "test").expect("whole steps");
    session.fold_by_rules(&draft, &NOW).expect("it is shorter").block
}

/// A step in which the model writes a delta.
fn board_step(session: &mut Session, delta: &str) -> TurnNo {
    let step = calls(session, &[delta]);
    session.delta_from_text(delta, &NOW).expect("a delta");
    session.tool_result(&step.calls[0], big(), &NOW).expect("the call waits");
    TurnNo(step.turn.0 + 1)
}

fn thinking_step(session: &mut Session, id: &str, seal: Seal) {
    session.start_call(&NOW).expect("a call");
    let thinking = NewPart::Thinking { text: "THOUGHT".into(), seal };
    let call = NewPart::Call { id: id.into(), name: "Tool".into(), arguments: "{}".into() };
    session.assistant_turn(vec![thinking, call], Stop::End, &NOW).expect("a turn");
    session.tool_result(id, big(), &NOW).expect("the call waits");
}

fn boards(session: &Session) -> usize {
    body(session, Provider::Chat).matches("STATE_BOARD v").count()
}

#[test]
fn thinking_that_was_dropped_does_not_come_back_with_an_unfold() {
    let mut session = session();
    user(&mut session, "go");
    for id in ["a", "b", "c"] {
        thinking_step(&mut session, id, Seal::Signature("c2ln".into()));
    }
    answer(&mut session, "done");
    user(&mut session, "more");
    session.drop_thinking(&NOW).expect("idle");
    let (before, tokens) = (body(&session, Provider::Anthropic), session.view().tokens());
    assert!(!before.contains("THOUGHT"));
    let block = fold(&mut session, range(1, 2));
    session.unfold(block, &NOW).expect("it fits");
    assert_eq!(body(&session, Provider::Anthropic), before);
    assert_eq!(session.view().tokens(), tokens, "nothing was taken away twice");
}

#[test]
fn thinking_that_was_never_sent_costs_nothing_when_it_is_dropped() {
    let mut session = session();
    user(&mut session, "go");
    thinking_step(&mut session, "a", Seal::None);
    step(&mut session, "b", other("x"));
    session.drop_thinking(&NOW).expect("idle");
    session.start_call(&NOW).expect("a call");
    assert_eq!(*session.ledger().last().expect("a line").reasons, [Miss::NewTurns]);
}

#[test]
fn a_model_that_begins_to_insist_on_taking_turns_is_sent_separators() {
    let mut session = session();
    user(&mut session, "one");
    user(&mut session, "two");
    answer(&mut session, "done");
    user(&mut session, "three");
    let strict =
        ModelChoice { alternation: Alternation::Strict, ..ModelChoice::new("test", Provider::Anthropic, 200_000) };
    session.model_changed(strict, &NOW).expect("idle");
    session.start_call(&NOW).expect("a call");
    assert!(sent(&session).contains("Noted."), "the kept bytes follow");
    session.interrupt(lookback_engine::trace::event::Interruption::Cancelled, &NOW).expect("it ends");
    session.roll_back(TurnNo(2), &NOW).expect("a whole turn");
    assert!(body(&session, Provider::Anthropic).contains("Noted."), "a rollback keeps the model and what it needs");
}

#[test]
fn an_open_span_can_be_recalled_from_inside_of_a_step() {
    let mut session = session();
    session.start_span("diagnose", "find it", &NOW).expect("a span");
    user(&mut session, "LOOK");
    calls(&mut session, &["recall"]);
    assert!(recall(&session, "span#diagnose#1").expect("all that there is").contains("LOOK"));
}

#[test]
fn an_archive_ends_with_a_round_though_a_block_goes_beyond() {
    let mut session = session();
    for question in ["one", "two", "three", "four"] {
        user(&mut session, question);
        step(&mut session, question, big());
        answer(&mut session, "done");
    }
    // Turns 4–7 are round two, 8–11 round three: the block begins in one and ends in the other.
    fold(&mut session, range(7, 10));
    let mut configuration = session.configuration().clone();
    configuration.archive.keep_rounds = 2;
    session.configure(configuration);
    assert_eq!(session.draft_archive().expect("round one").range, range(0, 3));
}

#[test]
fn an_archive_writes_no_second_board() {
    let mut session = session();
    user(&mut session, "one");
    step(&mut session, "a", big());
    answer(&mut session, "done");
    user(&mut session, "two");
    board_step(&mut session, WISH);
    session.change_layout(Layout::Execute, &NOW).expect("it fits");
    user(&mut session, "three");
    let mut configuration = session.configuration().clone();
    configuration.archive.keep_rounds = 1;
    session.configure(configuration);
    let draft = session.draft_archive().expect("two rounds");
    session.archive_by_rules(&draft, &NOW).expect("it is shorter");
    assert_eq!(boards(&session), 1);
}

#[test]
fn a_fold_before_the_seam_keeps_what_the_model_wrote_on_the_board() {
    let mut session = session();
    user(&mut session, "one");
    let written = board_step(&mut session, WISH);
    step(&mut session, "a", big());
    step(&mut session, "b", other("x"));
    fold(&mut session, range(3, 4));
    fold(&mut session, range(written.0 - 1, written.0));
    assert_eq!(boards(&session), 1);
    assert!(body(&session, Provider::Chat).contains("STATE_"));
}

#[test]
fn a_fold_alone_that_writes_the_board_takes_the_one_it_covers() {
    let mut session = session();
    user(&mut session, "one");
    board_step(&mut session, WISH);
    step(&mut session, "a", big());
    fold(&mut session, range(1, 2));
    board_step(&mut session, TASK);
    step(&mut session, "b", big());
    step(&mut session, "c", other("x"));
    session.unfold(1, &NOW).expect("it fits");
    fold(&mut session, range(1, 8));
    assert_eq!(boards(&session), 1);
}

#[test]
fn lines_that_were_seen_otherwise_are_no_anchor_any_more() {
    let read = |text: &str| {
        let data = ReadData {
            path: "a.py".into(),
            first_line: 1,
            line_count: 2,
            total_lines: None,
            form: LineForm::Numbered { separator: "→".into() },
            mtime: None,
            truncated: false,
        };
        ToolResult::success(text, ResultData::Read(data))
    };
    let mut session = session();
    user(&mut session, "one");
    step(&mut session, "a", read("     1→one = 1\n     2→two = 2\n"));
    session.delta_from_text(r#"{"anchors":[{"path":"a.py","start_line":1,"end_line":2}]}"#, &NOW).expect("a delta");
    step(&mut session, "b", read("     2→two = 2\n"));
    assert_eq!(session.state().board().anchors().len(), 1, "the same line again");
    step(&mut session, "c", read("     2→two = 3\n"));
    assert!(session.state().board().anchors().is_empty());
    assert_eq!(session.state().board().stale().len(), 1, "the next entry says so");
}

#[test]
fn a_draft_whose_turns_were_folded_meanwhile_is_out_of_date() {
    let mut session = session();
    user(&mut session, "one");
    for id in ["a", "b", "c", "d"] {
        step(&mut session, id, big());
    }
    step(&mut session, "e", other("x"));
    let draft = session.draft_range(range(1, 8), None, "test").expect("whole steps");
    fold(&mut session, range(3, 4));
    assert_eq!(session.fold_by_rules(&draft, &NOW), Err(FoldRefused::OutOfDate.into()));
    assert_eq!(fold(&mut session, range(5, 6)), 2, "no number was lost");
}

#[test]
fn a_board_alone_is_nothing_to_answer() {
    let mut session = session();
    user(&mut session, "one");
    answer(&mut session, "done");
    session.delta_from_text(TASK, &NOW).expect("a delta");
    assert_eq!(session.start_call(&NOW), Err(SessionError::NothingToAnswer));
}

#[test]
fn a_whole_board_takes_the_place_of_an_older_one_behind_it() {
    let mut session = session();
    user(&mut session, "one");
    step(&mut session, "a", big());
    answer(&mut session, "done");
    user(&mut session, "two");
    board_step(&mut session, WISH);
    step(&mut session, "b", big());
    session.change_layout(Layout::Execute, &NOW).expect("it fits");
    assert_eq!(boards(&session), 1, "behind the turns of the running round");
    board_step(&mut session, TASK);
    step(&mut session, "c", other("x"));
    // From before the board to behind it.
    let turns = session.turns();
    fold(&mut session, range(4, turns - 3));
    assert_eq!(boards(&session), 1);
    assert!(body(&session, Provider::Chat).contains("STATE_BOARD v"));
}
