//! May a delta be recorded? Its form, its budget, its ids and its goal; each refusal has its own kind.
//!
//! Whether its claims are true, and what can be kept of a refused delta, is admission's business.

use std::collections::BTreeSet;

use super::{Applied, Board, BoardLimits, goal::is_refinement, render::render_delta};
use crate::{
    configuration::ActionRange,
    trace::claim::{Anchor, Change, Delta, Fact},
};

/// Why a delta was refused, in words that tell its author what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the text of each says what it is")]
pub enum DeltaRefused {
    #[error("the delta says nothing that the board does not say already")]
    Empty,
    #[error("the delta has {tokens} tokens; at most {limit} are allowed")]
    OverBudget { tokens: u32, limit: u32 },
    #[error("\"{to}\" is another goal than \"{from}\": say why in goal_shift_reason")]
    GoalShiftWithoutReason { from: String, to: String },
    #[error("{id} is not on the board")]
    NoSuchId { id: String },
    #[error("{id} is changed twice in one delta")]
    ChangedTwice { id: String },
    #[error("{count} next actions; at most {limit} are allowed")]
    TooManyActions { count: usize, limit: usize },
    #[error("{count} next actions: name at least {limit}, or leave them out")]
    TooFewActions { count: usize, limit: usize },
    #[error("the fact \"{text}\" has no evidence")]
    FactWithoutEvidence { text: String },
    #[error("{id} is retracted without evidence")]
    RetractionWithoutEvidence { id: String },
    #[error("an empty text in {field}")]
    Blank { field: &'static str },
    #[error("the anchor {path}:{first_line}-{last_line} has a snippet of {lines} lines")]
    AnchorLines { path: String, first_line: u32, last_line: u32, lines: usize },
}

impl Board {
    /// The first reason not to record this delta. The budget is that of the very text that `render_delta` gives for
    /// it on this board, without the stale anchors that it is made to name: those are the engine's words, and have
    /// their own bound.
    pub fn check(&self, delta: &Delta, limits: &BoardLimits, count: &dyn Fn(&[u8]) -> u32) -> Result<(), DeltaRefused> {
        self.check_goal(delta)?;
        check_ids(&delta.confirmed_facts, |id| self.standing_fact(id).is_some())?;
        check_ids(&delta.open_questions, |id| self.questions.iter().any(|entry| entry.id == id))?;
        check_ids(&delta.anchors, |id| self.anchors.iter().any(|entry| entry.id == id))?;
        check_ids(&delta.said, |id| self.said.iter().any(|entry| entry.id == id))?;
        delta.task.iter().try_for_each(|task| not_blank(&task.text, "task"))?;
        delta.now.iter().try_for_each(|now| not_blank(&now.text, "now"))?;
        stated(&delta.said).try_for_each(|said| not_blank(&said.text, "said"))?;
        delta.confirmed_facts.iter().try_for_each(check_fact)?;
        stated(&delta.open_questions).try_for_each(|question| not_blank(&question.text, "open_questions"))?;
        stated(&delta.anchors).try_for_each(check_anchor)?;
        for assertion in &delta.exec_assertions {
            not_blank(&assertion.command, "exec_assertions")?;
            not_blank(&assertion.result, "exec_assertions")?;
        }
        delta.next_actions.as_deref().map_or(Ok(()), |actions| check_actions(actions, limits.next_actions))?;

        let mut after = self.clone();
        let applied = Applied { stale: Vec::new(), ..after.apply(delta) };
        let tokens = count(render_delta(delta, &applied, limits).as_bytes());
        if tokens > limits.delta_tokens {
            return Err(DeltaRefused::OverBudget { tokens, limit: limits.delta_tokens });
        }
        // A new version number and stale anchors alone are not worth a delta.
        after.version = self.version;
        after.stale.clone_from(&self.stale);
        if after == *self { Err(DeltaRefused::Empty) } else { Ok(()) }
    }

    /// docs/seeds.md 7.1: refining keeps the original intent, a clear change records its reason.
    fn check_goal(&self, delta: &Delta) -> Result<(), DeltaRefused> {
        if let Some(reason) = &delta.goal_shift_reason {
            not_blank(reason, "goal_shift_reason")?;
        }
        let Some(new) = &delta.current_goal else { return Ok(()) };
        not_blank(&new.text, "current_goal")?;
        match &self.task {
            Some(old) if delta.goal_shift_reason.is_none() && !is_refinement(&old.text, &new.text) => {
                Err(DeltaRefused::GoalShiftWithoutReason { from: old.text.clone(), to: new.text.clone() })
            }
            _ => Ok(()),
        }
    }
}

/// What a list of changes adds or revises.
fn stated<T>(changes: &[Change<T>]) -> impl Iterator<Item = &T> {
    changes.iter().filter_map(|change| match change {
        Change::Add(to) | Change::Revise { to, .. } => Some(to),
        Change::Retract { .. } => None,
    })
}

fn check_ids<T>(changes: &[Change<T>], is_there: impl Fn(&str) -> bool) -> Result<(), DeltaRefused> {
    let mut seen = BTreeSet::new();
    for change in changes {
        let (Change::Revise { id, .. } | Change::Retract { id, .. }) = change else { continue };
        if !is_there(id) {
            return Err(DeltaRefused::NoSuchId { id: id.clone() });
        }
        if !seen.insert(id) {
            return Err(DeltaRefused::ChangedTwice { id: id.clone() });
        }
    }
    Ok(())
}

/// docs/seeds.md 5.2: a confirmed fact has at least one pointer, and so does its retraction.
fn check_fact(change: &Change<Fact>) -> Result<(), DeltaRefused> {
    match change {
        Change::Add(fact) | Change::Revise { to: fact, .. } => {
            not_blank(&fact.text, "confirmed_facts")?;
            if fact.evidence.is_empty() {
                return Err(DeltaRefused::FactWithoutEvidence { text: fact.text.clone() });
            }
        }
        Change::Retract { id, evidence } if evidence.is_empty() => {
            return Err(DeltaRefused::RetractionWithoutEvidence { id: id.clone() });
        }
        Change::Retract { .. } => {}
    }
    Ok(())
}

/// A snippet is its lines with line feeds between them: as many as the range says.
fn check_anchor(anchor: &Anchor) -> Result<(), DeltaRefused> {
    let lines = anchor.snippet.split('\n').count();
    let stated = anchor.last_line.checked_sub(anchor.first_line).map(|more| more as usize + 1);
    if anchor.first_line == 0 || stated != Some(lines) {
        let (first_line, last_line) = (anchor.first_line, anchor.last_line);
        return Err(DeltaRefused::AnchorLines { path: anchor.path.clone(), first_line, last_line, lines });
    }
    Ok(())
}

fn check_actions(actions: &[String], allowed: ActionRange) -> Result<(), DeltaRefused> {
    if actions.len() > allowed.most {
        return Err(DeltaRefused::TooManyActions { count: actions.len(), limit: allowed.most });
    }
    // None at all takes away those that are there.
    if !actions.is_empty() && actions.len() < allowed.least {
        return Err(DeltaRefused::TooFewActions { count: actions.len(), limit: allowed.least });
    }
    actions.iter().try_for_each(|action| not_blank(action, "next_actions"))
}

fn not_blank(text: &str, field: &'static str) -> Result<(), DeltaRefused> {
    if text.trim().is_empty() { Err(DeltaRefused::Blank { field }) } else { Ok(()) }
}
