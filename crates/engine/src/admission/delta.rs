//! Deltas: the same for what goes on the board.
//!
//! Where tests and build stand, and what is open, is read from the trace whoever writes the delta. Ids, versions, conflicts
//! and the budget are the board's business.

mod about;

use std::rc::Rc;

use super::{
    AdmissionLimits, AdmissionRefused, Refusal, RefusalKind, admit_actions, admit_wish, anchors,
    facts::{self, Stated},
    quotation,
    resolve::{Resolved, Resolver},
};
use crate::{
    board::Board,
    proposal::{DeltaProposal, Edit, FactProposal, QuoteProposal},
    state::Bench,
    trace::{
        Blobs, TurnNo,
        claim::{Change, Delta, Evidence, Fact, Quote},
        decision::TurnRange,
    },
    view::Source,
};

/// What of a delta can be stated.
pub fn admit_delta(
    bench: Bench<'_>,
    proposal: DeltaProposal,
    limits: &AdmissionLimits,
    blobs: &dyn Blobs,
) -> Result<(Delta, Vec<Refusal>), AdmissionRefused> {
    let mut resolver = Resolver::new(bench.history, blobs);
    let mut refused: Vec<Refusal> =
        proposal.worded.into_iter().map(|text| Refusal::new(text, RefusalKind::Worded)).collect();
    let mut delta = Delta {
        task: proposal.task.and_then(|quote| admit_wish(&quote, &mut resolver, &mut refused)),
        now: proposal.now.and_then(|quote| admit_wish(&quote, &mut resolver, &mut refused)),
        ..Delta::default()
    };
    if let Some(pointer) = proposal.goal_shift {
        match shift(&pointer, &mut resolver) {
            Ok(evidence) => delta.goal_shift = Some(evidence),
            Err(kind) => refused.push(Refusal::new(pointer, kind)),
        }
    }
    // Another task was shifted by somebody: where nothing else is named, by the turn that asks for it.
    let shifted = |task: &Quote| bench.state.board().task().is_some_and(|held| held.text != task.text);
    let shift = delta.task.as_ref().filter(|task| shifted(task)).map(|task| task.evidence.clone());
    delta.goal_shift = delta.goal_shift.or(shift);
    let until = TurnNo(bench.history.turns().saturating_sub(1));
    for edit in proposal.facts {
        match admit_fact(edit, bench.state.board(), until, &mut resolver) {
            Ok(Edited::Fact(change)) => delta.confirmed_facts.push(change),
            Ok(Edited::Run(run)) => delta.exec_assertions.push(run),
            Err(refusal) => refused.push(refusal),
        }
    }
    for edit in proposal.anchors {
        let admitted = match edit {
            Edit::Add(item) => anchors::admit(item, &mut resolver).map(Change::Add),
            Edit::Revise { id, to } => anchors::admit(to, &mut resolver).map(|to| Change::Revise { id, to }),
            Edit::Retract { id, evidence } => {
                let found = resolver.resolve_all(&evidence).map_err(|kind| Refusal::new(retraction(&id), kind));
                found.map(|found| Change::Retract { id, evidence: all_evidence(&found) })
            }
        };
        match admitted {
            Ok(change) => delta.anchors.push(change),
            Err(refusal) => refused.push(refusal),
        }
    }
    if let Some(proposed) = proposal.next_actions {
        let turns = hot_zone(bench).map_or((until, until), |hot| (hot.first, hot.last));
        let admitted = admit_actions(bench, &proposed, turns, limits, &mut resolver, &mut refused);
        // An emptied list is a change; a list of which nothing was admitted is not.
        delta.next_actions = (proposed.is_empty() || !admitted.is_empty()).then_some(admitted);
    }
    if delta == Delta::default() { Err(AdmissionRefused::Empty { refused }) } else { Ok((delta, refused)) }
}

/// The user turn or gate that made it another task.
fn shift(pointer: &str, resolver: &mut Resolver<'_>) -> Result<Evidence, RefusalKind> {
    // A gate that nobody has decided shifts nothing.
    let quote = QuoteProposal { pointer: Some(pointer.to_owned()), text: None };
    quotation::of_person(&quote, resolver).map(|quote| quote.evidence)
}

enum Edited {
    Fact(Change<Fact>),
    Run(crate::trace::claim::Assertion),
}

fn admit_fact(
    edit: Edit<FactProposal>,
    board: &Board,
    until: TurnNo,
    resolver: &mut Resolver<'_>,
) -> Result<Edited, Refusal> {
    let (id, proposal) = match edit {
        Edit::Add(proposal) => (None, proposal),
        Edit::Revise { id, to } => (Some(id), to),
        Edit::Retract { id, evidence } => {
            let change =
                retract(&id, &evidence, board, until, resolver).map_err(|kind| Refusal::new(retraction(&id), kind));
            return change.map(|evidence| Edited::Fact(Change::Retract { id, evidence }));
        }
    };
    let refused = |kind| Refusal::new(facts::rendered(&proposal), kind);
    match (facts::state(&proposal, until, resolver).map_err(refused)?, id) {
        (Stated::Run(run), _) => Ok(Edited::Run(run)),
        (Stated::Fact(fact), None) => Ok(Edited::Fact(Change::Add(fact))),
        (Stated::Fact(to), Some(id)) => {
            let speaks = fact_of(board, &id).is_none_or(|fact| about::speaks_to(fact, &to.evidence, resolver));
            let other = || RefusalKind::OtherThing { pointers: proposal.evidence.join(", "), needs: about::NEEDS };
            if speaks { Ok(Edited::Fact(Change::Revise { id, to })) } else { Err(refused(other())) }
        }
    }
}

/// A retracted fact is shown with what speaks against it (docs/design/model.md, "Conflict"): something newer about the
/// same thing.
fn retract(
    id: &str,
    pointers: &[String],
    board: &Board,
    until: TurnNo,
    resolver: &mut Resolver<'_>,
) -> Result<Vec<Evidence>, RefusalKind> {
    if pointers.is_empty() {
        return Err(RefusalKind::NoEvidence);
    }
    let evidence = all_evidence(&resolver.resolve_all(pointers)?);
    match fact_of(board, id).is_none_or(|fact| about::speaks_against(fact, &evidence, until, resolver)) {
        true => Ok(evidence),
        false => Err(RefusalKind::OtherThing { pointers: pointers.join(", "), needs: about::NEEDS }),
    }
}

/// None: the board will say that there is no such id.
fn fact_of<'a>(board: &'a Board, id: &str) -> Option<&'a Fact> {
    board.facts().iter().find(|entry| entry.id == id).map(|entry| &entry.value.fact)
}

fn retraction(id: &str) -> String {
    format!("retraction of {id}")
}

fn all_evidence(resolved: &[Rc<Resolved>]) -> Vec<Evidence> {
    resolved.iter().map(|resolved| resolved.evidence.clone()).collect()
}

/// The turns that no block covers yet: what the author of a delta has just seen.
fn hot_zone(bench: Bench<'_>) -> Option<TurnRange> {
    let view = &bench.state.view;
    let mut turns = view.entries()[view.seam()..].iter().filter_map(|entry| match entry.source {
        Source::Turn(turn) => Some(turn),
        _ => None,
    });
    let first = turns.next()?;
    Some(TurnRange { first, last: turns.next_back().unwrap_or(first) })
}
