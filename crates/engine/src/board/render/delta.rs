//! `STATE_DELTA vN`: what one delta changed, with the ids that the board gave.
//!
//! What else stands on the board is not shown.

use super::json::{Body, Item, Quoted, ShownStatus, action, pointers, render_json, stale_notes};
use crate::{
    board::{Applied, AppliedFact, BoardLimits, Outcome},
    trace::claim::{Change, Delta, Fact, Goal, Quote},
};

/// The entry of a delta, as it stands in the stream for good. `applied` is what the board said to it.
pub(crate) fn render_delta(delta: &Delta, applied: &Applied, limits: &BoardLimits) -> String {
    let facts = delta.confirmed_facts.iter().zip(&applied.facts);
    let questions = delta.open_questions.iter().zip(&applied.questions);
    let anchors = delta.anchors.iter().zip(&applied.anchors);
    let said = delta.said.iter().zip(&applied.said);
    let goal = delta.current_goal.clone().map(|Goal { text, evidence }| Quote { text, evidence });
    let task = delta.task.clone().or(goal);
    let body = Body {
        task: task.as_ref().map(|task| Quoted::new(task, usize::MAX)),
        now: delta.now.as_ref().map(|now| Quoted::new(now, usize::MAX)),
        goal_shift_reason: delta.goal_shift_reason.as_deref().map(Into::into),
        open_questions: questions
            .map(|(change, id)| item(change, id, |id, text| Item::question(id, text, usize::MAX)))
            .collect(),
        next_actions: match delta.next_actions.as_deref() {
            Some([]) => vec!["(none)".into()],
            actions => {
                let said =
                    |text: &'_ String| action(text, task.as_ref(), delta.now.as_ref(), usize::MAX).into_owned().into();
                actions.into_iter().flatten().map(said).collect()
            }
        },
        status: delta.status.as_ref().map(ShownStatus::of),
        confirmed_facts: facts
            .filter(|(_, applied)| applied.outcome != Outcome::Overtaken)
            .map(|(change, applied)| fact(change, applied, limits))
            .collect(),
        anchors: stale_notes(&applied.stale)
            .chain(anchors.map(|(change, id)| item(change, id, Item::anchor)))
            .collect(),
        exec_assertions: delta.exec_assertions.iter().map(Item::assertion).collect(),
        the_assistant_said: said.map(|(change, id)| item(change, id, Item::quote)).collect(),
        pinned: &applied.pinned,
    };
    render_json(&format!("STATE_DELTA v{}", applied.version), &body)
}

fn item<'a, T>(change: &'a Change<T>, id: &'a str, stated: impl Fn(&'a str, &'a T) -> Item<'a>) -> Item<'a> {
    match change {
        Change::Add(to) | Change::Revise { to, .. } => stated(id, to),
        Change::Retract { evidence, .. } => Item::Retracted { id, retracted: pointers(evidence) },
    }
}

fn fact<'a>(change: &'a Change<Fact>, applied: &'a AppliedFact, limits: &BoardLimits) -> Item<'a> {
    match (change, &applied.outcome) {
        (Change::Retract { evidence, .. }, Outcome::Retracted { was }) => {
            Item::retracted_fact(&applied.id, was, evidence, limits)
        }
        (Change::Add(to) | Change::Revise { to, .. }, Outcome::Revised { was }) => {
            Item::fact(&applied.id, to, &was.evidence)
        }
        (change, _) => item(change, &applied.id, |id, fact| Item::fact(id, fact, &[])),
    }
}
