//! The delta: what of all this belongs on the board, within its 250 tokens.
//!
//! Where tests and build stand, what changed among the tests, the goal where there was none, what is next, and the lines
//! that the next edit most likely needs. The board is asked whether it would take each; what does not fit is left out.

use std::collections::BTreeSet;

use super::{
    candidate::{FactKind, Item},
    commands::{Verdict, counts},
    fit::Fitted,
    goal::ProposedGoal,
};
use crate::{
    admission::Examiner,
    board::{Board, BoardLimits},
    proposal::StatusProposal,
    shell::Purpose,
    trace::claim::{Anchor, Assertion, Change, Delta, Fact, Goal, WorkStatus},
};

/// One or two anchors are what fits beside the rest.
const ANCHORS: usize = 2;
/// Longer ones would be all that the delta says.
const ANCHOR_LINES: u32 = 12;
const CONCLUSIONS: usize = 1;

/// One change. What is worth most stands first in the list.
enum Piece {
    /// With the reason where it is another one than before.
    Goal(Goal, Option<String>),
    Status(WorkStatus),
    Actions(Vec<String>),
    Assertion(Assertion),
    Fact(Fact),
    Anchor(Anchor),
}

pub(super) fn propose(
    board: &Board,
    fitted: &Fitted,
    now_wanted: Option<&ProposedGoal>,
    verdicts: &[Verdict<'_>],
    examiner: &mut Examiner<'_>,
    limits: &BoardLimits,
    count: &dyn Fn(&[u8]) -> u32,
) -> Delta {
    let mut taken: Vec<Piece> = Vec::new();
    for piece in pieces(board, fitted, now_wanted.or(fitted.frame.goal.as_ref()), verdicts, examiner) {
        taken.push(piece);
        let delta = admitted(&taken);
        if board.check(&delta, limits, count).is_err() {
            taken.pop();
        }
    }
    admitted(&taken)
}

fn pieces(
    board: &Board,
    fitted: &Fitted,
    goal: Option<&ProposedGoal>,
    verdicts: &[Verdict<'_>],
    examiner: &mut Examiner<'_>,
) -> Vec<Piece> {
    let mut pieces = Vec::new();
    if let Some(goal) = goal
        && (board.goal().is_none() || goal.shift.is_some())
    {
        pieces.push(Piece::Goal(goal.goal.clone(), goal.shift.clone()));
    }
    let status = status(board, verdicts);
    if let Some(admitted) = examiner.status(status)
        && board.status_with(&admitted) != *board.status()
    {
        pieces.push(Piece::Status(admitted));
    }
    let actions = &fitted.frame.actions;
    if !actions.is_empty() && actions != board.next_actions() {
        pieces.push(Piece::Actions(actions.clone()));
    }
    let last_test = verdicts.iter().rev().find(|verdict| verdict.test.is_some()).map(|verdict| verdict.number);
    let mut anchors = anchors(board, fitted).into_iter();
    let mut conclusions = 0;
    let mut facts = Vec::new();
    for candidate in &fitted.chosen {
        match &candidate.item {
            Item::Assertion(assertion) => {
                let is_last = last_test.is_some_and(|number| names_command(&assertion.evidence.pointer, number));
                if is_last && !board.assertions().iter().any(|held| held.assertion == *assertion) {
                    pieces.push(Piece::Assertion(assertion.clone()));
                }
            }
            Item::Fact { kind: FactKind::Outcome | FactKind::Verdict, fact } => {
                facts.push((i32::MAX, candidate.turn, fact));
            }
            Item::Fact { kind: FactKind::Conclusion, fact } => {
                facts.push((candidate.value, candidate.turn, fact));
            }
            _ => {}
        }
    }
    pieces.extend(anchors.next());
    facts.sort_by_key(|(value, turn, ..)| std::cmp::Reverse((*value, *turn)));
    let mut said = BTreeSet::new();
    for (value, _, fact) in facts {
        // What several spans end with is said once, of the newest.
        if !said.insert(&fact.text) {
            continue;
        }
        let concludes = value < i32::MAX;
        conclusions += usize::from(concludes);
        let known = board.facts().iter().any(|held| held.value.fact.text == fact.text);
        if !known && (!concludes || conclusions <= CONCLUSIONS) {
            pieces.push(Piece::Fact(fact.clone()));
        }
    }
    pieces.extend(anchors);
    pieces
}

/// The most valuable short ones that the board does not hold yet.
fn anchors(board: &Board, fitted: &Fitted) -> Vec<Piece> {
    let mut anchors: Vec<(i32, &Anchor)> = fitted
        .chosen
        .iter()
        .filter_map(|candidate| match &candidate.item {
            Item::Anchor(anchor) => Some((candidate.value, anchor)),
            _ => None,
        })
        .filter(|(_, anchor)| anchor.last_line - anchor.first_line < ANCHOR_LINES)
        .filter(|(_, anchor)| {
            !board.anchors().iter().any(|held| {
                let held = &held.value;
                held.path == anchor.path && held.first_line <= anchor.last_line && anchor.first_line <= held.last_line
            })
        })
        .collect();
    anchors.sort_by_key(|(value, _)| std::cmp::Reverse(*value));
    anchors.into_iter().take(ANCHORS).map(|(_, anchor)| Piece::Anchor(anchor.clone())).collect()
}

/// By the newest runs of the range. Whether they are the newest of all is admission's question. That no errors are left is
/// said where the board names some: what a delta leaves out stays.
fn status(board: &Board, verdicts: &[Verdict<'_>]) -> StatusProposal {
    let tests = verdicts.iter().rev().find(|verdict| verdict.test.is_some());
    let report = tests.and_then(|verdict| verdict.run.tests.as_deref());
    let build =
        verdicts.iter().rev().find(|verdict| verdict.test.is_none() && verdict.reading.purpose == Purpose::Builds);
    let named = board.status().errors_left.is_some();
    StatusProposal {
        tests: report.map(|report| counts(report.passed, report.failed, report.skipped)).unwrap_or_default(),
        build: build.and_then(|verdict| verdict.run.exit_code).map(|code| format!("exit {code}")).unwrap_or_default(),
        errors_left: report.map(|report| report.failed).filter(|failed| *failed > 0 || named),
    }
}

fn admitted(pieces: &[Piece]) -> Delta {
    let mut delta = Delta::default();
    for piece in pieces {
        match piece {
            Piece::Goal(goal, shift) => {
                delta.current_goal = Some(goal.clone());
                delta.goal_shift_reason = shift.clone();
            }
            Piece::Status(status) => delta.status = Some(status.clone()),
            Piece::Actions(actions) => delta.next_actions = Some(actions.clone()),
            Piece::Assertion(assertion) => delta.exec_assertions.push(assertion.clone()),
            Piece::Fact(fact) => delta.confirmed_facts.push(Change::Add(fact.clone())),
            Piece::Anchor(anchor) => delta.anchors.push(Change::Add(anchor.clone())),
        }
    }
    delta
}

fn names_command(pointer: &str, number: u32) -> bool {
    let rest = pointer.strip_prefix("cmd#").and_then(|rest| rest.strip_prefix(&number.to_string()));
    rest.is_some_and(|rest| !rest.starts_with(|next: char| next.is_ascii_digit()))
}
