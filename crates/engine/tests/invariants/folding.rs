//! Folds random stretches of random sessions by the rules, and has every proposal checked by admission.

use lookback_engine::{
    Session, Source,
    fold::{
        AdmissionLimits, AdmissionRefused, BlockContent, BlockProposal, Board, CompactorRequest as Request, Delta,
        DeltaProposal, admit_block, admit_delta, compact, render_claims,
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

pub(crate) fn check(session: &Session, range: TurnRange, budget: u32, focus: Option<&str>) {
    let request = Request { range, budget, focus };
    let limits = AdmissionLimits { block_tokens: budget, ..AdmissionLimits::default() };
    let mut board = Board::default();
    for _ in 0..2 {
        let compaction = compact(session.bench(), &board, session.configuration(), &request, &count, &NoBlobs)
            .expect("no blobs are needed");
        // Task, now, what was said and what is next are read from where the work stands, not proposed.
        let block = BlockContent { task: None, now: None, said: Vec::new(), ..compaction.block.clone() };
        let proposal = BlockProposal::of(range, &block);
        match admit_block(session.bench(), range, proposal, &limits, &count, &NoBlobs) {
            Ok(admitted) => {
                assert_eq!(admitted.refused, []);
                assert_eq!(admitted.content, block, "checked again, it is the same");
                assert!(count(render_claims(&compaction.block, session.state().board()).as_bytes()) <= budget.max(200));
            }
            Err(AdmissionRefused::NotShorter { .. }) => {}
            // The log of calls alone may be all there is.
            Err(AdmissionRefused::Empty { refused }) if refused.is_empty() => {}
            // One claim may be larger than a very small budget.
            Err(AdmissionRefused::OverBudget { .. }) if budget < 200 => {}
            Err(refused) => panic!("{refused}\n{:?}", compaction.block),
        }
        let Delta { confirmed_facts, anchors, .. } = compaction.delta.clone();
        let pointed = Delta { confirmed_facts, anchors, ..Delta::default() };
        if pointed != Delta::default() {
            let (delta, refused) = admit_delta(session.bench(), DeltaProposal::of(&pointed), &limits, &NoBlobs)
                .expect("a delta that says something");
            assert_eq!(refused, []);
            assert_eq!(delta, pointed, "checked again, it is the same");
        }
        if compaction.delta != Delta::default() {
            assert_eq!(board.check(&compaction.delta, &session.configuration().board, &count), Ok(()));
            board.apply(&compaction.delta);
        }
    }
}
