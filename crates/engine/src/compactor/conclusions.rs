//! What the assistant concluded in the range, as candidates for the block.

use super::{
    candidate::{Candidates, FactKind, Item},
    stretch::Stretch,
};
use crate::{
    standing,
    trace::{
        Blobs,
        claim::{ClaimKind, Fact, Standing},
    },
};

/// How many are counted; a block holds a third of them at most.
const MOST: usize = 30;

pub(super) fn propose(stretch: &Stretch<'_>, candidates: &mut Candidates<'_>, blobs: &dyn Blobs) {
    let now = standing::Standing::now(stretch.bench.history, blobs);
    let inside = now.concluded(stretch.range.first, MOST).into_iter().filter(|said| said.turn <= stretch.range.last);
    for said in inside {
        let fact = Fact {
            kind: ClaimKind::Worded,
            text: said.quote.text,
            standing: Standing::Concluded,
            evidence: vec![said.quote.evidence],
        };
        candidates.push(Item::Fact { kind: FactKind::Conclusion, fact }, said.value, said.turn);
    }
}
