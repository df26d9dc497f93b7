//! Rules of docs/seeds.md and docs/design that several files of the board keep together, and what their tests are made
//! of.

mod any_deltas;
mod conflicts;
mod refusals;
mod rendering;

use super::*;
use crate::{
    trace::claim::{Change, ClaimKind, Delta, Goal, RunStatus, RunVerdict, Standing},
    trace::{EventNo, result::Hunk},
};

fn limits() -> BoardLimits {
    BoardLimits::default()
}

fn count(bytes: &[u8]) -> u32 {
    lookback_tokens::count_o200k(bytes)
}

fn evidence(pointer: &str) -> Evidence {
    Evidence { pointer: pointer.to_owned(), event: EventNo(1) }
}

fn fact(text: &str, pointers: &[&str]) -> Fact {
    let evidence = pointers.iter().map(|pointer| evidence(pointer)).collect();
    Fact { kind: ClaimKind::Worded, text: text.to_owned(), standing: Standing::Confirmed, evidence }
}

fn concluded(text: &str, pointer: &str) -> Fact {
    Fact { standing: Standing::Concluded, ..fact(text, &[pointer]) }
}

fn facts(changes: Vec<Change<Fact>>) -> Delta {
    Delta { confirmed_facts: changes, ..Delta::default() }
}

fn goal(text: &str) -> Delta {
    let goal = Goal { text: text.to_owned(), evidence: evidence("user#1") };
    Delta { current_goal: Some(goal), ..Delta::default() }
}

fn told(text: &str) -> RunStatus {
    RunStatus { text: text.to_owned(), ..RunStatus::default() }
}

fn question(text: &str) -> Question {
    Question { text: text.to_owned(), ..Question::default() }
}

fn anchor(path: &str, first_line: u32, snippet: &str) -> Anchor {
    let last_line = first_line + snippet.split('\n').count() as u32 - 1;
    Anchor { path: path.into(), first_line, last_line, snippet: snippet.into(), as_of: TurnNo(4), moved: false }
}

fn assertion(command: &str, result: &str, pointer: &str) -> Assertion {
    Assertion { command: command.to_owned(), result: result.to_owned(), evidence: evidence(pointer) }
}

fn retract<T>(id: &str, pointers: &[&str]) -> Change<T> {
    Change::Retract { id: id.to_owned(), evidence: pointers.iter().map(|pointer| evidence(pointer)).collect() }
}

/// A small session, for screens.
fn first_delta() -> Delta {
    Delta {
        confirmed_facts: vec![
            Change::Add(fact(
                "\"cash-reserve\" is counted as \"cash\"",
                &["cmd#3 exit=1", "file:src/ledger.py:L22-L23"],
            )),
            Change::Add(fact("1 ledger test fails", &["test#1 failed:test_balance"])),
        ],
        open_questions: vec![Change::Add(Question {
            text: "does report() rely on prefixes".into(),
            unknown: true,
            evidence: None,
        })],
        anchors: vec![Change::Add(anchor(
            "src/ledger.py",
            22,
            "    return sum(e.amount for e in self.entries\n               if e.account.startswith(account))",
        ))],
        exec_assertions: vec![assertion("pytest -q tests/test_ledger.py", "1 failed, 2 passed", "cmd#3 exit=1")],
        status: Some(WorkStatus { tests: told("1 of 3 fails"), errors_left: Some(1), ..WorkStatus::default() }),
        next_actions: Some(vec!["compare account names exactly".into()]),
        ..goal("make balance() exact, without touching the test")
    }
}

fn second_delta() -> Delta {
    Delta {
        confirmed_facts: vec![
            Change::Add(fact("0 ledger tests fail", &["cmd#5 exit=0"])),
            Change::Add(concluded("report() never used prefixes", "turn#31")),
        ],
        exec_assertions: vec![assertion("pytest -q tests/test_ledger.py", "3 passed", "cmd#5 exit=0")],
        open_questions: vec![retract("q1", &["turn#31"])],
        status: Some(WorkStatus { tests: told("3 pass"), errors_left: Some(0), ..WorkStatus::default() }),
        next_actions: Some(vec!["run the whole suite".into()]),
        ..Delta::default()
    }
}

fn example() -> Board {
    let mut board = Board::default();
    board.apply(&first_delta());
    let removed = vec!["               if e.account.startswith(account))".to_owned()];
    let added = vec!["               if e.account == account)".to_owned()];
    let followed = board.follow_edit("src/ledger.py", &[Hunk { first_line: 23, removed, added }], TurnNo(29));
    board.apply_followed("src/ledger.py", &followed, TurnNo(29));
    board
}
