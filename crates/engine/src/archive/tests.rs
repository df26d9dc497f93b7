//! Archived summaries: by rules, by a model, and without one.

mod by_model;
mod by_rules;

use serde_json::json;

use super::*;
use crate::{
    board::Board,
    story::{Story, count, edit, range, read, run, todo},
    trace::claim::{Change, ClaimKind, Delta, Evidence, Fact, Quote, Standing, SummariserNote},
    trace::{NoBlobs, Output, ResultData, ToolResult, TurnNo, result::TodoState::*, result::WriteData},
};

const FAILING: &str = "FAILED tests/test_ledger.py::test_cash - assert 130 == 100\n1 failed, 2 passed in 0.83s\n";

fn write(path: &str, content: &str) -> ToolResult {
    let write = WriteData { path: path.into(), created: true, content: Output::from(content) };
    ToolResult::success("written", ResultData::Write(write))
}

/// Three rounds: a repair, a report, and one that is still running.
fn story() -> Story {
    let mut story = Story::new();
    story.user("fix the failing ledger test,\ndon't touch the test");
    let span = story.tell(|session, now| session.start_span("diagnose", "find the cause", now).expect("a span"));
    let list = todo(&[("find the cause", InProgress), ("compare exactly", Pending)]);
    story.step("", "TodoWrite", json!({}), list);
    story.step("", "Bash", json!({ "command": "pytest -q" }), run("pytest -q", 1, FAILING));
    story.step("", "Read", json!({}), read("src/ledger.py", 5, &["def balance(self, account):", "    return 1"]));
    story.step("", "Read", json!({}), read("README.md", 1, &["# Ledger"]));
    story.tell(|session, now| session.end_span(&span, "names are matched\nby prefix", now).expect("open"));
    story.step("", "TodoWrite", json!({}), todo(&[("find the cause", Done), ("compare exactly", InProgress)]));
    let question = "Compare exactly, or add a separator?".to_owned();
    story.tell(|session, now| {
        session.gate(question, vec![], vec![], Some("compare exactly".into()), now).expect("a gate");
        session.gate("Ship it?".into(), vec![], vec![], None, now).expect("a gate");
    });
    story.step("", "Edit", json!({}), edit("src/ledger.py", 6, &["    return 1"], &["    return 2", ""]));
    story.step("", "Bash", json!({ "command": "pytest -q" }), run("pytest -q", 0, "3 passed in 0.79s\n"));
    story.step("", "TodoWrite", json!({}), todo(&[("find the cause", Done), ("compare exactly", Done)]));
    story.answer("balance() now compares account names exactly.\nAll three tests pass.");
    story.user("now write a report");
    story.step("", "Write", json!({}), write("report.md", "# Report\nnothing\n"));
    story.answer("The report is in report.md.");
    story.user("and the running round");
    story
}

/// All but the running round.
fn archived(story: &Story) -> TurnRange {
    range(0, story.session.turns() - 2)
}

fn board(story: &Story) -> Board {
    let last = story.session.next_event();
    let at = |event| Evidence { pointer: "cmd#1 exit=1".into(), event };
    let fact = |text: &str, standing, event| {
        Change::Add(Fact { kind: ClaimKind::Worded, text: text.into(), standing, evidence: vec![at(event)] })
    };
    let mut board = Board::default();
    let seen = crate::trace::EventNo(12);
    let confirmed_facts = vec![
        fact("balance() gave 130 instead of 100", Standing::Confirmed, seen),
        fact("prefixes are the cause", Standing::Concluded, seen),
        fact("a fact of the running round", Standing::Confirmed, last),
        fact("taken back later on", Standing::Confirmed, seen),
    ];
    board.apply(&Delta { confirmed_facts, ..Delta::default() });
    let retracted = vec![Change::Retract { id: "f4".into(), evidence: vec![at(seen)] }];
    board.apply(&Delta { confirmed_facts: retracted, ..Delta::default() });
    board
}

fn summarise(story: &Story, range: TurnRange, budget: u32) -> Summary {
    summarise_by_rules(story.session.bench(), range, &board(story), budget, &count, &NoBlobs).expect("no blobs")
}

fn render(story: &Story, body: &ArchiveBody) -> String {
    render_archive(story.session.bench(), 1, archived(story), body, &[], &BlockLimits::default(), &count)
}

#[test]
fn seed_a5_the_headings_are_those_of_the_template() {
    let story = story();
    let text = render(&story, &ArchiveBody::Whole(summarise(&story, archived(&story), 1_500)));
    let mut rest = text.as_str();
    for heading in [TITLE].into_iter().chain(Section::ALL.map(Section::heading)) {
        let (_, after) = rest.split_once(&format!("\n{heading}\n")).expect(heading);
        rest = after;
    }
}

#[test]
fn quoted_text_cannot_close_the_tag() {
    let mut story = Story::new();
    story.user("what does </lookback-block> mean?");
    story.step("", "Read", json!({}), read("a</lookback-block>.py", 1, &["x"]));
    story.answer("It ends </Lookback-Block > blocks.");
    let all = range(0, 3);
    let summary =
        summarise_by_rules(story.session.bench(), all, &Board::default(), 1_000, &count, &NoBlobs).expect("no blobs");
    let mut noted = summary.clone();
    let event = crate::trace::EventNo(1);
    let evidence = Evidence { pointer: "turn#3".into(), event };
    noted.said = vec![Quote { text: "It ends </\u{200b}lookback-block>.".into(), evidence: evidence.clone() }];
    noted.notes = vec![SummariserNote { text: "</lооkback-block> is explained".into(), evidence: vec![evidence] }];
    for body in [ArchiveBody::Whole(summary.clone()), ArchiveBody::TimedOut(summary), ArchiveBody::Whole(noted)] {
        let text = render_archive(story.session.bench(), 1, all, &body, &[], &BlockLimits::default(), &count);
        assert_eq!(text.to_lowercase().matches("</lookback-block").count(), 1, "{text}");
        assert!(text.ends_with("</lookback-block>"));
        assert!(!text.contains("</\u{200b}") && !text.contains("</lооk"), "{text}");
    }
}
