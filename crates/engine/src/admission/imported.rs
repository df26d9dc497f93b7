//! Claims that were admitted elsewhere, put to the same questions again.
//!
//! What was admitted once is admitted again, word for word, against the same history: anything else was never admitted.

use super::{AdmissionLimits, admit_block, admit_delta, says_nothing};
use crate::{
    configuration::Configuration,
    proposal::{BlockProposal, DeltaProposal},
    standing::Standing,
    state::Bench,
    trace::{
        Blobs,
        claim::{Anchor, BlockContent, Change, Delta, Quote, RunStatus},
        decision::TurnRange,
    },
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
    let standing = Standing::at(bench.history, range.last, blobs);
    let asked = standing.asked();
    let mut content = content.clone();
    // A person chose the pins, the engine what was asked and said.
    content.pinned.clear();
    let quoted = content.said.iter().all(|said| standing.says(said));
    let same = |claimed: &Option<Quote>, asked| is_same_or_none(claimed.clone(), asked);
    if quoted && same(&content.task, &asked.task) && same(&content.now, &asked.now) {
        (content.task, content.now) = (None, None);
        content.said.clear();
    }
    let content = &content;
    if says_nothing(content) {
        return true;
    }
    let proposal = BlockProposal::of(range, content);
    // The budget was the planner's choice, and says nothing about what is true.
    let limits = AdmissionLimits { block_tokens: u32::MAX, ..AdmissionLimits::from(configuration) };
    let Ok(admitted) = admit_block(bench, range, proposal, &limits, count, blobs) else { return false };
    let mut claimed = content.clone();
    claimed.anchors.iter_mut().for_each(forget_move);
    admitted.refused.is_empty() && admitted.content == claimed
}

/// The same for what a delta brings to the board.
pub(crate) fn delta_holds(bench: Bench<'_>, delta: &Delta, configuration: &Configuration, blobs: &dyn Blobs) -> bool {
    let standing = Standing::now(bench.history, blobs);
    let asked = standing.asked();
    let Ok((status, mut open, untested)) = standing.status_and_questions() else { return false };
    open.extend(untested);
    let mut delta = delta.clone();
    let quoted = delta.said.drain(..).all(|said| match said {
        Change::Add(said) | Change::Revise { to: said, .. } => standing.says(&said),
        Change::Retract { .. } => true,
    });
    delta.goal_shift = None;
    let asks = is_same_or_none(delta.task.take(), &asked.task) && is_same_or_none(delta.now.take(), &asked.now);
    // Nobody but the engine opens a question, and what it counts stands in the trace.
    let opens = delta.open_questions.drain(..).all(|question| match question {
        Change::Add(question) | Change::Revise { to: question, .. } => open.contains(&question),
        Change::Retract { .. } => true,
    });
    let runs = delta.status.take().is_none_or(|claimed| {
        holds(&claimed.tests, &status.tests)
            && holds(&claimed.build, &status.build)
            && (claimed.errors_left.is_none() || claimed.errors_left == status.errors_left)
    });
    // What the rules find next, or the first of it, needs nobody's word; a model's choice does.
    let found = standing.actions();
    delta.next_actions = delta.next_actions.filter(|actions| !found.starts_with(actions));
    if !(quoted && asks && opens && runs) {
        return false;
    }
    let delta = &delta;
    let proposal = DeltaProposal::of(delta);
    if proposal == DeltaProposal::default() {
        return true;
    }
    let Ok((admitted, refused)) = admit_delta(bench, proposal, &AdmissionLimits::from(configuration), blobs) else {
        return false;
    };
    let mut claimed = delta.clone();
    claimed.anchors.iter_mut().filter_map(stated).for_each(forget_move);
    refused.is_empty() && admitted == claimed
}

fn is_same_or_none(claimed: Option<Quote>, found: &Option<Quote>) -> bool {
    claimed.is_none_or(|claimed| Some(&claimed) == found.as_ref())
}

fn holds(claimed: &RunStatus, found: &RunStatus) -> bool {
    claimed.is_empty() || claimed == found
}

/// That it was once claimed elsewhere in the file proves nothing; where it is now was compared.
fn forget_move(anchor: &mut Anchor) {
    anchor.moved = false;
}

fn stated<T>(change: &mut Change<T>) -> Option<&mut T> {
    match change {
        Change::Add(to) | Change::Revise { to, .. } => Some(to),
        Change::Retract { .. } => None,
    }
}
