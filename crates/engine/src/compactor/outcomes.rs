//! Spans that ended: what each came to, as whoever ended it said.

use super::{
    candidate::{Candidates, FactKind, Item},
    stretch::Stretch,
};
use crate::{
    admission::Examiner,
    history::index::SpanRecord,
    proposal::{FactProposal, one_line},
};

const VALUE: i32 = 120;

pub(super) fn propose(stretch: &Stretch<'_>, examiner: &mut Examiner<'_>, candidates: &mut Candidates<'_>) {
    for span in stretch.bench.history.index().spans() {
        let Some((outcome, end)) = span.outcome.as_deref().zip(span.end) else { continue };
        let live = span.ended.is_some_and(|event| stretch.bench.history.is_live(event));
        let inside = stretch.range.first < end && end.0 <= stretch.range.last.0 + 1;
        let outcome = one_line(outcome);
        if !live || !inside || outcome.is_empty() || span.taken_along {
            continue;
        }
        let found = proposals(stretch, span, &outcome).into_iter().find_map(|proposal| examiner.fact(&proposal));
        if let Some(fact) = found {
            candidates.push(Item::Fact { kind: FactKind::Outcome, fact }, VALUE, end);
        }
    }
}

/// Confirmed where the span's last command bears it out; else as what was said.
fn proposals(stretch: &Stretch<'_>, span: &SpanRecord, outcome: &str) -> Vec<FactProposal> {
    let pointer = format!("span#{}#{}", span.id.name, span.id.number);
    let within = |turn| span.first <= turn && span.end.is_some_and(|end| turn < end);
    let last = stretch.done.iter().rev().find(|done| done.command.is_some() && within(done.turn));
    let mut proposals = Vec::new();
    if let Some(command) = last.and_then(|done| done.command) {
        let evidence = vec![pointer.clone(), format!("cmd#{command}")];
        proposals.push(FactProposal { text: outcome.to_owned(), evidence });
    }
    proposals.push(FactProposal { text: format!("“{outcome}”"), evidence: vec![pointer.clone()] });
    proposals.push(FactProposal { text: outcome.to_owned(), evidence: vec![pointer] });
    proposals
}
