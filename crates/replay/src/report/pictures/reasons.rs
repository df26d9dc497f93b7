//! Why a call was dear, in words.

use super::Repair;
use crate::{
    conversation::Conversation,
    parameters::WORTH_SAYING,
    report::numbers,
    simulate::{Run, Tariff},
};

/// The parts of a call's cost that matter, the largest first.
pub(super) fn why(run: &Run, conversation: &Conversation<'_>, tariff: &Tariff, call: usize, repair: &Repair) -> String {
    let (ran, rates) = (&run.calls[call], &tariff.rates);
    let split = &ran.split;
    let mut reasons = [
        (rates.write * split.written as f64 + split.uncached as f64, anew(run, conversation, call)),
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
