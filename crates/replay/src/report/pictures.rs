//! What the page draws of one session, taken from its runs: series, marks, bills by kind, and the dearest calls.
//!
//! It knows nothing of how any of it looks.

mod reasons;

use std::collections::BTreeMap;

use super::{Mark, Moment, Pictures, summary::LOOKBACK};
use crate::{
    conversation::Conversation,
    measure::{Repair, bill_by_kind, repair},
    parameters::DEAREST_CALLS,
    simulate::{Run, Tariff},
};

/// A strategy's run under its name.
pub type NamedRun<'r> = (&'r str, &'r Run);

/// `file` as the report names it. Moments are those of `lookback`, or of the last run where it is missing.
pub fn pictures(file: &str, runs: &[NamedRun<'_>], conversation: &Conversation<'_>, tariff: &Tariff) -> Pictures {
    let mut pictures = Pictures::default();
    for (name, run) in runs {
        let context = run.calls.iter().map(|call| call.split.tokens()).collect();
        pictures.context.insert((*name).to_owned(), context);
        pictures.marks.insert((*name).to_owned(), marks(run));
        pictures.kinds.insert((*name).to_owned(), bill_by_kind(run, conversation, tariff));
    }
    let leading = runs.iter().find(|(name, _)| *name == LOOKBACK).or(runs.last());
    if let Some((name, run)) = leading {
        pictures.dearest = dearest(file, name, run, conversation, tariff);
    }
    pictures
}

/// One for each call, whatever number of things was done before it.
fn marks(run: &Run) -> Vec<Mark> {
    let mut marks = Vec::new();
    for (call, ran) in run.calls.iter().enumerate() {
        let Some(first) = ran.did.first() else { continue };
        let notes: Vec<&str> = ran.did.iter().map(|did| did.note.as_str()).filter(|note| !note.is_empty()).collect();
        marks.push(Mark { call, what: first.what, note: notes.join("; ") });
    }
    marks
}

fn dearest(file: &str, name: &str, run: &Run, conversation: &Conversation<'_>, tariff: &Tariff) -> Vec<Moment> {
    let repairs: Vec<Repair> =
        (0..run.calls.len()).map(|call| repair(run, conversation, tariff, call).unwrap_or_default()).collect();
    let cost = |call: usize| {
        let ran = &run.calls[call];
        tariff.rates.cost(&ran.split, ran.output_tokens) + ran.compactor_cost + repairs[call].cost
    };
    let costs: BTreeMap<usize, f64> = (0..run.calls.len()).map(|call| (call, cost(call))).collect();
    let whole: f64 = costs.values().sum();
    let mut dearest: Vec<(usize, f64)> = costs.into_iter().collect();
    dearest.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    dearest.truncate(DEAREST_CALLS);
    let moments = dearest.into_iter().map(|(call, cost)| Moment {
        file: file.to_owned(),
        strategy: name.to_owned(),
        call,
        cost,
        share: if whole > 0.0 { cost / whole } else { 0.0 },
        context: run.calls[call].split.tokens(),
        why: reasons::why(run, conversation, tariff, call, &repairs[call]),
    });
    moments.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::example;

    #[test]
    fn the_example_is_drawn() {
        example::with(|run, conversation, tariff| {
            let pictures = pictures("a.jsonl", &[("append", run), ("lookback", run)], conversation, tariff);
            assert_eq!(pictures.context["lookback"], [2_000, 3_000, 1_600, 2_000]);
            let mark = Mark { call: 2, what: "fold", note: "turns 1–4 into block 1".to_owned() };
            assert_eq!(pictures.marks["lookback"], [mark]);
            let bill = pictures.kinds["lookback"];
            assert!((bill.total() - 8_905.0).abs() < 1e-9, "{bill:?}");
            let dearest: Vec<_> = pictures.dearest.iter().map(|moment| (moment.call, moment.why.as_str())).collect();
            assert_eq!(
                dearest,
                [
                    (0, "first call: 2.0k tokens of prompt"),
                    (
                        2,
                        "fold: turns 1–4 into block 1 (600 tokens behind it anew) · repair: 1 item not in view · output of 100 tokens"
                    ),
                    (1, "1.0k new tokens of prompt · output of 100 tokens"),
                    (3, "repair: 1 item not in view · 400 new tokens of prompt · output of 100 tokens"),
                ]
            );
            assert!((pictures.dearest.iter().map(|moment| moment.cost).sum::<f64>() - 8_905.0).abs() < 1e-9);
            assert!((pictures.dearest.iter().map(|moment| moment.share).sum::<f64>() - 1.0).abs() < 1e-9);
        });
    }

    #[test]
    fn a_pause_is_a_reason() {
        example::with(|run, conversation, tariff| {
            run.calls[1].cold = true;
            conversation.calls[0].at = Some(lookback_engine::trace::Timestamp(1_000));
            conversation.calls[1].at = Some(lookback_engine::trace::Timestamp(1_000 + 12 * 60_000));
            let pictures = pictures("a.jsonl", &[("lookback", run)], conversation, tariff);
            let moment = pictures.dearest.iter().find(|moment| moment.call == 1).unwrap();
            assert_eq!(moment.why, "cold: 12 min since the call before (1.0k tokens anew) · output of 100 tokens");
        });
    }
}
