//! Claims that were admitted elsewhere, put to the same questions again.
//!
//! What was admitted once is admitted again, word for word, against the same history: anything else was never admitted.

use super::{AdmissionLimits, admit_block, admit_delta};
use crate::{
    claim::{Anchor, Assertion, BlockContent, Change, Delta, Evidence, Fact, Goal, Question},
    configuration::Configuration,
    evidence::pointer::LineRange,
    proposal::{
        AnchorPlace, AnchorProposal, AssertionProposal, BlockProposal, DeltaProposal, Edit, FactProposal, GoalProposal,
        StatusProposal,
    },
    state::Bench,
    trace::{Blobs, decision::TurnRange},
};

/// Whether every claim of a block holds against what happened before it.
pub(crate) fn block_holds(
    bench: Bench<'_>,
    range: TurnRange,
    content: &BlockContent,
    configuration: &Configuration,
    count: &dyn Fn(&[u8]) -> u32,
    blobs: &dyn Blobs,
) -> bool {
    let proposal = BlockProposal {
        replaces: Some(range),
        goal: content.goal.as_ref().map(goal),
        what_we_learned: content.what_we_learned.iter().map(fact).collect(),
        anchors: content.anchors.iter().map(anchor).collect(),
        exec_assertions: content.exec_assertions.iter().map(assertion).collect(),
        open_questions: content.open_questions.iter().map(question).collect(),
        next_actions: content.next_actions.clone(),
    };
    // The budget was the planner's choice, and says nothing about what is true.
    let limits = AdmissionLimits { block_tokens: u32::MAX, ..AdmissionLimits::from(configuration) };
    let Ok(admitted) = admit_block(bench, range, proposal, &limits, count, blobs) else { return false };
    let mut claimed = content.clone();
    claimed.anchors.iter_mut().for_each(forget_move);
    claimed.open_questions.iter_mut().for_each(forget_refusal);
    admitted.refused.is_empty() && admitted.content == claimed
}

/// The same for what a delta brings to the board.
pub(crate) fn delta_holds(bench: Bench<'_>, delta: &Delta, configuration: &Configuration, blobs: &dyn Blobs) -> bool {
    let proposal = DeltaProposal {
        current_goal: delta.current_goal.as_ref().map(goal),
        goal_shift_reason: delta.goal_shift_reason.clone(),
        confirmed_facts: edits(&delta.confirmed_facts, fact),
        open_questions: edits(&delta.open_questions, question),
        anchors: edits(&delta.anchors, anchor),
        exec_assertions: delta.exec_assertions.iter().map(assertion).collect(),
        status: delta.status.as_ref().map(|status| StatusProposal {
            tests: status.tests.clone(),
            build: status.build.clone(),
            errors_left: status.errors_left,
        }),
        next_actions: delta.next_actions.clone(),
    };
    let Ok((admitted, refused)) = admit_delta(bench, proposal, &AdmissionLimits::from(configuration), blobs) else {
        return false;
    };
    let mut claimed = delta.clone();
    claimed.anchors.iter_mut().filter_map(stated).for_each(forget_move);
    claimed.open_questions.iter_mut().filter_map(stated).for_each(forget_refusal);
    refused.is_empty() && admitted == claimed
}

/// That it was once claimed elsewhere in the file proves nothing; where it is now was compared.
fn forget_move(anchor: &mut Anchor) {
    anchor.moved = false;
}

/// A question is open, whoever asked it.
fn forget_refusal(question: &mut Question) {
    question.unknown = false;
}

fn stated<T>(change: &mut Change<T>) -> Option<&mut T> {
    match change {
        Change::Add(to) | Change::Revise { to, .. } => Some(to),
        Change::Retract { .. } => None,
    }
}

fn edits<T, P>(changes: &[Change<T>], propose: impl Fn(&T) -> P) -> Vec<Edit<P>> {
    let edit = |change: &Change<T>| match change {
        Change::Add(item) => Edit::Add(propose(item)),
        Change::Revise { id, to } => Edit::Revise { id: id.clone(), to: propose(to) },
        Change::Retract { id, evidence } => Edit::Retract { id: id.clone(), evidence: pointers(evidence) },
    };
    changes.iter().map(edit).collect()
}

fn pointers(evidence: &[Evidence]) -> Vec<String> {
    evidence.iter().map(|evidence| evidence.pointer.clone()).collect()
}

fn goal(goal: &Goal) -> GoalProposal {
    GoalProposal { text: goal.text.clone(), evidence: vec![goal.evidence.pointer.clone()] }
}

fn fact(fact: &Fact) -> FactProposal {
    FactProposal { text: fact.text.clone(), evidence: pointers(&fact.evidence) }
}

fn anchor(anchor: &Anchor) -> AnchorProposal {
    let lines = LineRange { first: anchor.first_line, last: anchor.last_line };
    let place = AnchorPlace::Lines { path: anchor.path.clone(), lines };
    AnchorProposal { place, snippet: Some(anchor.snippet.clone()) }
}

fn assertion(assertion: &Assertion) -> AssertionProposal {
    AssertionProposal {
        command: assertion.command.clone(),
        result: assertion.result.clone(),
        evidence: Some(assertion.evidence.pointer.clone()),
    }
}

fn question(question: &Question) -> String {
    question.text.clone()
}
