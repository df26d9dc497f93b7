//! Deltas: the same checks for what goes on the board.
//!
//! Ids, versions, conflicts and the budget are the board's business.

use super::{
    AdmissionLimits, AdmissionRefused, Refusal, RefusalKind, actions, anchors, assertions, facts, goal,
    principals::Principals, resolve::Resolver, tags,
};
use crate::{
    proposal::{DeltaProposal, Edit, one_line},
    state::Bench,
    trace::claim::{Change, Delta, Evidence, Question},
    trace::{Blobs, decision::TurnRange},
    view::Source,
};

/// What of a proposed delta may stand on the board, and what was refused.
pub fn admit_delta(
    bench: Bench<'_>,
    mut proposal: DeltaProposal,
    limits: &AdmissionLimits,
    blobs: &dyn Blobs,
) -> Result<(Delta, Vec<Refusal>), AdmissionRefused> {
    let mut resolver = Resolver::new(bench.history, blobs);
    let principals = Principals::new(bench, hot_zone(bench), blobs);
    let mut refused = Vec::new();
    tags::take_from_delta(&mut proposal, &mut refused);

    let current_goal = proposal
        .current_goal
        .and_then(|goal| goal::admit(goal, &mut resolver, &principals).map_err(|refusal| refused.push(refusal)).ok());
    let goal_shift_reason = proposal.goal_shift_reason.map(|reason| one_line(&reason)).filter(|reason| {
        match actions::check_origin(reason, &principals) {
            Ok(()) => true,
            Err(kind) => {
                refused.push(Refusal::dropped(reason.clone(), kind));
                false
            }
        }
    });
    let mut demoted = Vec::new();
    let mut confirmed_facts = Vec::new();
    for edit in proposal.confirmed_facts {
        match admit_edit(edit, &mut resolver, Retraction::NeedsEvidence, facts::admit) {
            Ok(change) => confirmed_facts.push(change),
            Err(refusal) => {
                demoted.extend(refusal.as_question().map(Change::Add));
                refused.push(refusal);
            }
        }
    }
    let mut open_questions = Vec::new();
    for edit in proposal.open_questions {
        match admit_edit(edit, &mut resolver, Retraction::Free, |text: String, _| question(&text)) {
            Ok(change) => open_questions.push(change),
            Err(refusal) => refused.push(refusal),
        }
    }
    open_questions.extend(demoted);
    let mut admitted_anchors = Vec::new();
    for edit in proposal.anchors {
        match admit_edit(edit, &mut resolver, Retraction::Free, anchors::admit) {
            Ok(change) => admitted_anchors.push(change),
            Err(refusal) => refused.push(refusal),
        }
    }
    let mut exec_assertions = Vec::new();
    for assertion in proposal.exec_assertions {
        match assertions::admit(assertion, &mut resolver) {
            Ok(assertion) => exec_assertions.push(assertion),
            Err(refusal) => refused.push(refusal),
        }
    }
    let status = proposal.status.and_then(|status| assertions::admit_status(status, &mut resolver, &mut refused));
    let next_actions = proposal
        .next_actions
        .map(|proposed| (proposed.is_empty(), actions::admit(proposed, &principals, &limits.block, &mut refused)))
        // An emptied list is a change; a list of which nothing was admitted is not.
        .filter(|(was_empty, admitted)| *was_empty || !admitted.is_empty())
        .map(|(_, admitted)| admitted);

    let delta = Delta {
        current_goal,
        goal_shift_reason,
        confirmed_facts,
        open_questions,
        anchors: admitted_anchors,
        exec_assertions,
        status,
        next_actions,
        ..Delta::default()
    };
    if delta == Delta::default() { Err(AdmissionRefused::Empty { refused }) } else { Ok((delta, refused)) }
}

/// Whether something may leave the board without a reason that can be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Retraction {
    /// A retracted fact is shown with what speaks against it (docs/design/model.md, "Conflict").
    NeedsEvidence,
    Free,
}

fn admit_edit<P, T>(
    edit: Edit<P>,
    resolver: &mut Resolver<'_>,
    retraction: Retraction,
    admit: impl Fn(P, &mut Resolver<'_>) -> Result<T, Refusal>,
) -> Result<Change<T>, Refusal> {
    match edit {
        Edit::Add(item) => admit(item, resolver).map(Change::Add),
        Edit::Revise { id, to } => admit(to, resolver).map(|to| Change::Revise { id, to }),
        Edit::Retract { id, evidence } => match retraction_evidence(&evidence, resolver, retraction) {
            Ok(evidence) => Ok(Change::Retract { id, evidence }),
            Err(kind) => Err(Refusal::dropped(format!("retraction of {id}"), kind)),
        },
    }
}

fn retraction_evidence(
    pointers: &[String],
    resolver: &mut Resolver<'_>,
    retraction: Retraction,
) -> Result<Vec<Evidence>, RefusalKind> {
    if pointers.is_empty() && retraction == Retraction::NeedsEvidence {
        return Err(RefusalKind::NoEvidence);
    }
    let resolved = resolver.resolve_all(pointers)?;
    Ok(resolved.iter().map(|resolved| resolved.evidence.clone()).collect())
}

fn question(text: &str) -> Result<Question, Refusal> {
    let text = one_line(text);
    if text.is_empty() {
        return Err(Refusal::dropped(text, RefusalKind::Blank));
    }
    Ok(Question { text, unknown: false })
}

/// The turns that no block covers yet: what the author of a delta has just seen.
pub(super) fn hot_zone(bench: Bench<'_>) -> Option<TurnRange> {
    let view = &bench.state.view;
    let mut turns = view.entries()[view.seam()..].iter().filter_map(|entry| match entry.source {
        Source::Turn(turn) => Some(turn),
        _ => None,
    });
    let first = turns.next()?;
    Some(TurnRange { first, last: turns.next_back().unwrap_or(first) })
}
