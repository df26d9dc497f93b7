//! Folds random stretches of random sessions by the rules, and has every proposal checked by admission.

use lookback_engine::{
    Session, Source,
    fold::{
        AdmissionLimits, AdmissionRefused, BlockProposal, Board, CompactorRequest as Request, Delta, DeltaProposal,
        admit_block, admit_delta, compact, render_claims,
    },
    trace::{NoBlobs, decision::TurnRange},
};

use crate::driver::count;

/// Turns that are in the view, from one of them to another.
pub(crate) fn some_range(session: &Session, (first, last): (usize, usize)) -> Option<TurnRange> {
    let turns: Vec<_> = session
        .view()
        .entries()
        .iter()
        .filter_map(|entry| match entry.source {
            Source::Turn(turn) => Some(turn),
            _ => None,
        })
        .collect();
    let last = *turns.get(last % turns.len().max(1))?;
    let first = turns[first % turns.len()].min(last);
    Some(TurnRange { first, last })
}

fn has_step(session: &Session, range: TurnRange) -> bool {
    session.state().steps().iter().any(|step| range.first <= step.assistant && step.assistant <= range.last)
}

pub(crate) fn check(session: &Session, range: TurnRange, budget: u32, focus: Option<&str>) {
    let request = Request { range, budget, focus };
    let limits = AdmissionLimits { block_tokens: budget, ..AdmissionLimits::default() };
    let mut board = Board::default();
    for _ in 0..2 {
        let compaction = compact(session.bench(), &board, session.configuration(), &request, &count, &NoBlobs)
            .expect("no blobs are needed");
        match admit_block(
            session.bench(),
            range,
            BlockProposal::of(range, &compaction.block),
            &limits,
            &count,
            &NoBlobs,
        ) {
            Ok(admitted) => {
                assert_eq!(admitted.refused, []);
                assert_eq!(admitted.content, compaction.block, "checked again, it is the same");
                assert!(count(render_claims(&admitted.content, session.state().board()).as_bytes()) <= budget);
            }
            Err(AdmissionRefused::NotShorter { .. }) => {}
            // Folds cover steps; user turns alone are no step.
            Err(AdmissionRefused::Empty { refused }) if refused.is_empty() && !has_step(session, range) => {}
            // One claim may be larger than a very small budget.
            Err(AdmissionRefused::OverBudget { .. }) if budget < 200 => {}
            Err(refused) => panic!("{refused}\n{:?}", compaction.block),
        }
        if compaction.delta != Delta::default() {
            let (delta, refused) =
                admit_delta(session.bench(), DeltaProposal::of(&compaction.delta), &limits, &NoBlobs)
                    .expect("a delta that says something");
            assert_eq!(refused, []);
            assert_eq!(delta, compaction.delta, "checked again, it is the same");
            assert_eq!(board.check(&delta, &session.configuration().board, &count), Ok(()));
            board.apply(&delta);
        }
    }
}
