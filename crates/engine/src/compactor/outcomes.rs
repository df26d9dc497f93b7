//! Spans that ended: what each came to, as whoever ended it said.

use super::{
    candidate::{Candidates, Item},
    stretch::Stretch,
};
use crate::{
    admission::{Resolver, quotation::shortened},
    configuration::rules::OUTCOME,
    text::one_line,
    trace::claim::Quote,
};

pub(super) fn propose(stretch: &Stretch<'_>, resolver: &mut Resolver<'_>, candidates: &mut Candidates<'_>) {
    for span in stretch.bench.history.index().spans() {
        let Some((outcome, end)) = span.outcome.as_deref().zip(span.end) else { continue };
        let live = span.ended.is_some_and(|event| stretch.bench.history.is_live(event));
        let inside = stretch.range.first < end && end.0 <= stretch.range.last.0 + 1;
        let outcome = one_line(outcome);
        if !live || !inside || outcome.is_empty() || span.taken_along {
            continue;
        }
        if let Ok(resolved) = resolver.resolve(&format!("span#{}#{}", span.id.name, span.id.number)) {
            let quote = Quote { text: shortened(&outcome), evidence: resolved.evidence.clone() };
            candidates.push(Item::Said(quote), OUTCOME, end);
        }
    }
}
