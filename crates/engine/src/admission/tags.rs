//! Claims that hold our tag: whoever writes one tries to speak outside of the record, or repeats somebody who does.
//!
//! They go before anything else is checked. Lines of files are no claims: an anchor shows them as they are, and where a
//! block is written the tag in them is made harmless.

use super::{Refusal, RefusalKind};
use crate::{
    block::escape_tag,
    proposal::{AssertionProposal, BlockProposal, DeltaProposal, Edit, GoalProposal},
};

pub(super) fn take_from_block(proposal: &mut BlockProposal, refused: &mut Vec<Refusal>) {
    take_goal(&mut proposal.goal, refused);
    take(&mut proposal.what_we_learned, refused, |fact| &fact.text);
    take(&mut proposal.open_questions, refused, |question| question);
    take_assertions(&mut proposal.exec_assertions, refused);
    take(&mut proposal.next_actions, refused, |action| action);
}

pub(super) fn take_from_delta(proposal: &mut DeltaProposal, refused: &mut Vec<Refusal>) {
    take_goal(&mut proposal.current_goal, refused);
    if proposal.goal_shift_reason.as_deref().is_some_and(holds_tag) {
        refused.extend(proposal.goal_shift_reason.take().map(refusal));
    }
    take(&mut proposal.confirmed_facts, refused, |edit| stated(edit).map_or("", |fact| &fact.text));
    take(&mut proposal.open_questions, refused, |edit| stated(edit).map_or("", |question| question));
    take_assertions(&mut proposal.exec_assertions, refused);
    if let Some(actions) = &mut proposal.next_actions {
        take(actions, refused, |action| action);
    }
}

fn take<T>(items: &mut Vec<T>, refused: &mut Vec<Refusal>, text: impl Fn(&T) -> &str) {
    items.retain(|item| {
        let holds_tag = holds_tag(text(item));
        if holds_tag {
            refused.push(refusal(text(item).to_owned()));
        }
        !holds_tag
    });
}

fn take_goal(goal: &mut Option<GoalProposal>, refused: &mut Vec<Refusal>) {
    if goal.as_ref().is_some_and(|goal| holds_tag(&goal.text)) {
        refused.extend(goal.take().map(|goal| refusal(goal.text)));
    }
}

/// A command may hold it, because it ran so; what is said of it may not.
fn take_assertions(assertions: &mut Vec<AssertionProposal>, refused: &mut Vec<Refusal>) {
    take(assertions, refused, |assertion| &assertion.result);
}

fn stated<T>(edit: &Edit<T>) -> Option<&T> {
    match edit {
        Edit::Add(to) | Edit::Revise { to, .. } => Some(to),
        Edit::Retract { .. } => None,
    }
}

pub(super) fn holds_tag(text: &str) -> bool {
    escape_tag(text) != text
}

fn refusal(claim: String) -> Refusal {
    Refusal::dropped(claim, RefusalKind::ClosesTag)
}
