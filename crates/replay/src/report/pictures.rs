//! What the page draws of one session, taken from its runs: series, marks, bills by kind, and the dearest calls with
//! their reasons.
//!
//! It knows nothing of how any of it looks.

use std::collections::BTreeMap;

use super::{Mark, Moment, Pictures, numbers, summary::LOOKBACK};
use crate::{
    conversation::Conversation,
    measure::{Repair, bill_by_kind, repair},
    parameters::{DEAREST_CALLS, WORTH_SAYING},
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
        tariff.cost(&ran.split, ran.output_tokens) + ran.compactor_cost + repairs[call].cost
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
        why: why(run, conversation, tariff, call, &repairs[call]),
    });
    moments.collect()
}

/// The parts of a call's cost that matter, the largest first.
fn why(run: &Run, conversation: &Conversation<'_>, tariff: &Tariff, call: usize, repair: &Repair) -> String {
    let ran = &run.calls[call];
    let split = &ran.split;
    let (input, rates) = tariff.at(split.tokens());
    let mut reasons = [
        (rates.write * split.written as f64 + input * split.uncached as f64, anew(run, conversation, call)),
        (rates.read * split.read as f64, format!("long prompt: {} tokens read from the cache", tokens(split.read))),
        (rates.output * ran.output_tokens as f64, output(ran.output_tokens)),
        (ran.compactor_cost, "a model wrote a summary".to_owned()),
        (repair.cost, format!("repair: {} not in view", numbers::counted(repair.items, "item"))),
    ];
    reasons.sort_by(|one, other| other.0.total_cmp(&one.0));
    let whole: f64 = reasons.iter().map(|(cost, _)| cost).sum();
    let largest = reasons.iter().take(1);
    let others = reasons.iter().skip(1).filter(|(cost, _)| *cost >= WORTH_SAYING * whole && *cost > 0.0);
    largest.chain(others).map(|(_, why)| why.as_str()).collect::<Vec<_>>().join(" · ")
}

/// Why so much of the prompt was not read from the cache.
fn anew(run: &Run, conversation: &Conversation<'_>, call: usize) -> String {
    let ran = &run.calls[call];
    let anew = tokens(ran.split.written + ran.split.uncached);
    if call == 0 {
        return format!("first call: {anew} tokens of prompt");
    }
    if ran.cold {
        return format!("cold: {} since the call before ({anew} tokens anew)", pause(conversation, call));
    }
    match ran.did.as_slice() {
        [] => format!("{anew} new tokens of prompt"),
        [did] if did.note.is_empty() => format!("{} ({anew} tokens behind it anew)", did.what),
        [did] => format!("{}: {} ({anew} tokens behind it anew)", did.what, did.note),
        [did, others @ ..] => {
            let others = numbers::counted(others.len() as u64, "other change");
            format!("{}: {}, and {others} ({anew} tokens behind it anew)", did.what, did.note)
        }
    }
}

fn output(output: u64) -> String {
    match output {
        0..5_000 => format!("output of {} tokens", tokens(output)),
        _ => format!("large output ({} tokens)", tokens(output)),
    }
}

fn pause(conversation: &Conversation<'_>, call: usize) -> String {
    let (before, now) = (conversation.calls[call - 1].at, conversation.calls[call].at);
    let Some(milliseconds) = before.zip(now).map(|(before, now)| now.0 - before.0) else {
        return "too long".to_owned();
    };
    match milliseconds / 60_000 {
        minutes @ 0..120 => format!("{minutes} min"),
        minutes if minutes < 48 * 60 => format!("{} h", minutes / 60),
        minutes => format!("{} days", minutes / (24 * 60)),
    }
}

fn tokens(value: u64) -> String {
    numbers::tokens(value as f64)
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
