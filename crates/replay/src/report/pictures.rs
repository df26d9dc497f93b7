//! What the page draws of one session, taken from its runs: series, marks, bills by kind, and the dearest calls with
//! their reasons.
//!
//! It knows nothing of how any of it looks.

use lookback_engine::cache::Split;

use super::{
    Mark, Moment, PAID, Paid, Pictures, numbers,
    summary::{APPEND, LOOKBACK},
};
use crate::{
    conversation::Conversation,
    measure::{bill_by_kind, repair},
    parameters::{DEAREST_CALLS, WORTH_SAYING},
    simulate::{Run, Tariff},
};

/// A strategy's run under its name.
pub type NamedRun<'r> = (&'r str, &'r Run);

/// `file` as the report names it; what was paid, and what is estimated of calls without a bill. Moments are those of the session as it was: by its bills, or by append's run where it has
/// none.
pub fn pictures(
    file: &str,
    runs: &[NamedRun<'_>],
    conversation: &Conversation<'_>,
    tariff: &Tariff,
    [paid, estimated]: [Option<&Paid>; 2],
) -> Pictures {
    let mut pictures = Pictures::default();
    for (name, run) in runs {
        let context = run.calls.iter().map(|call| call.split.tokens()).collect();
        pictures.context.insert((*name).to_owned(), context);
        pictures.marks.insert((*name).to_owned(), marks(run));
        let bill = bill_by_kind(run, conversation, tariff);
        pictures.kinds.insert((*name).to_owned(), bill.times(in_dollars(tariff, 1.0)));
    }
    let find = |name| runs.iter().find(|(known, _)| *known == name).map(|(_, run)| *run);
    let really = Really { conversation, tariff, append: find(APPEND) };
    if let Some(paid) = paid {
        let calls = 0..conversation.calls.len();
        pictures.context.insert(PAID.to_owned(), calls.clone().map(|call| really.split(call).tokens()).collect());
        let mut kinds = paid.kinds;
        estimated.into_iter().for_each(|estimated| kinds.add(&estimated.kinds));
        pictures.kinds.insert(PAID.to_owned(), kinds);
    }
    pictures.dearest = dearest(file, &really, find(LOOKBACK));
    pictures
}

fn in_dollars(tariff: &Tariff, cost: f64) -> f64 {
    tariff.dollars(cost).unwrap_or(0.0)
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

/// The session as it was.
struct Really<'a> {
    conversation: &'a Conversation<'a>,
    tariff: &'a Tariff,
    /// For calls without a bill.
    append: Option<&'a Run>,
}

impl Really<'_> {
    fn split(&self, call: usize) -> Split {
        let billed = self.conversation.calls[call].billed.filter(|billed| billed.prompt() > 0);
        let billed = billed.map(|billed| billed.split());
        billed.or_else(|| Some(self.append?.calls.get(call)?.split)).unwrap_or_default()
    }

    /// In dollars.
    fn cost(&self, call: usize) -> f64 {
        let output = self.conversation.calls[call].output_tokens;
        in_dollars(self.tariff, self.own(call).cost(&self.split(call), output))
    }

    /// By which a call is billed.
    fn own(&self, call: usize) -> &Tariff {
        self.tariff.of(self.conversation.calls[call].model)
    }

    /// The parts of a call's cost that matter, the largest first.
    fn why(&self, call: usize) -> String {
        let split = self.split(call);
        let (input, rates) = self.own(call).at(split.tokens());
        let answer = self.conversation.calls[call].output_tokens;
        let mut reasons = [
            (rates.write * split.written as f64 + input * split.uncached as f64, self.anew(call, &split)),
            (rates.read * split.read as f64, format!("long prompt: {} tokens read from the cache", tokens(split.read))),
            (rates.output * answer as f64, output(answer)),
        ];
        reasons.sort_by(|one, other| other.0.total_cmp(&one.0));
        let whole: f64 = reasons.iter().map(|(cost, _)| cost).sum();
        let largest = reasons.iter().take(1);
        let others = reasons.iter().skip(1).filter(|(cost, _)| *cost >= WORTH_SAYING * whole && *cost > 0.0);
        largest.chain(others).map(|(_, why)| why.as_str()).collect::<Vec<_>>().join(" · ")
    }

    /// Why so much of the prompt was not read from the cache.
    fn anew(&self, call: usize, split: &Split) -> String {
        let anew = tokens(split.written + split.uncached);
        if call == 0 {
            return format!("first call: {anew} tokens of prompt");
        }
        if self.conversation.calls[call].after_compaction {
            return format!("after the agent's own compaction ({anew} tokens anew)");
        }
        match self.pause(call).filter(|_| self.is_cold(call)) {
            Some(pause) => format!("cold: {} since the call before ({anew} tokens anew)", duration(pause)),
            None if self.conversation.changes_model(call) => {
                format!("another model answers, whose cache has nothing of it ({anew} tokens anew)")
            }
            None if self.missed(call) => format!("the cache missed, no rule says why: {anew} tokens anew"),
            None => format!("{anew} new tokens of prompt"),
        }
    }

    /// Billed as if most of the prompt were new, and neither a pause nor the client's own doing explains it.
    fn missed(&self, call: usize) -> bool {
        let split = self.split(call);
        let is_explained = call == 0
            || self.conversation.calls[call].after_compaction
            || self.conversation.changes_model(call)
            || self.is_cold(call);
        !is_explained && split.read * 2 < split.tokens()
    }

    fn is_cold(&self, call: usize) -> bool {
        let own = self.own(call);
        let lifetime = own.card.lifetime_ms(own.lifetime);
        self.pause(call).zip(lifetime).is_some_and(|(pause, lifetime)| pause > lifetime)
    }

    fn pause(&self, call: usize) -> Option<i64> {
        let (before, now) = (self.conversation.calls[call - 1].at, self.conversation.calls[call].at);
        before.zip(now).map(|(before, now)| now.0 - before.0)
    }
}

fn dearest(file: &str, really: &Really<'_>, lookback: Option<&Run>) -> Vec<Moment> {
    let mut dearest: Vec<(usize, f64)> =
        (0..really.conversation.calls.len()).map(|call| (call, really.cost(call))).collect();
    let whole: f64 = dearest.iter().map(|(_, cost)| cost).sum();
    dearest.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    dearest.truncate(DEAREST_CALLS);
    let moments = dearest.into_iter().filter(|(_, cost)| *cost > 0.0).map(|(call, cost)| Moment {
        file: file.to_owned(),
        call,
        cost,
        share: cost / whole,
        context: really.split(call).tokens(),
        why: really.why(call),
        instead: lookback.map(|run| instead(run, really, call)),
    });
    moments.collect()
}

/// What Lookback would have done at a call, and what that costs.
fn instead(run: &Run, really: &Really<'_>, call: usize) -> String {
    let (tariff, ran) = (really.tariff, &run.calls[call]);
    let repair = repair(run, really.conversation, tariff, call);
    let cost = really.own(call).cost(&ran.split, ran.output_tokens)
        + ran.compactor_cost
        + repair.map_or(0.0, |repair| repair.cost);
    let mut said = vec![format!(
        "{}: a prompt of {} tokens, {} of them cached",
        numbers::dollars(in_dollars(tariff, cost)),
        tokens(ran.split.tokens()),
        tokens(ran.split.read)
    )];
    let notes = ran.did.iter().map(|did| match did.note.as_str() {
        "" => did.what.to_owned(),
        note => note.to_owned(),
    });
    said.extend(notes.take(1));
    if let [_, others @ ..] = ran.did.as_slice()
        && !others.is_empty()
    {
        said.push(numbers::counted(others.len() as u64, "other change"));
    }
    if really.missed(call) {
        said.push("had its cache not missed as well".to_owned());
    }
    said.extend(repair.map(|repair| format!("a look-up of {}", numbers::counted(repair.items, "item"))));
    said.join(" · ")
}

fn output(output: u64) -> String {
    match output {
        0..5_000 => format!("output of {} tokens", tokens(output)),
        _ => format!("large output ({} tokens)", tokens(output)),
    }
}

fn duration(milliseconds: i64) -> String {
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
            let pictures = pictures("a.jsonl", &[("append", run), ("lookback", run)], conversation, tariff, [None; 2]);
            assert_eq!(pictures.context["lookback"], [2_000, 3_000, 1_600, 2_000]);
            let mark = Mark { call: 2, what: "fold", note: "turns 1–4 into block 1".to_owned() };
            assert_eq!(pictures.marks["lookback"], [mark]);
            let bill = pictures.kinds["lookback"];
            // 8,905 uncached-input tokens at five dollars a million.
            assert!((bill.total() - 0.044525).abs() < 1e-9, "{bill:?}");
            let dearest: Vec<_> = pictures.dearest.iter().map(|moment| (moment.call, moment.why.as_str())).collect();
            assert_eq!(
                dearest,
                [
                    (0, "first call: 2.0k tokens of prompt"),
                    (1, "1.0k new tokens of prompt"),
                    (2, "600 new tokens of prompt"),
                    (3, "400 new tokens of prompt · long prompt: 1.6k tokens read from the cache"),
                ]
            );
            let fold = pictures.dearest[2].instead.as_deref();
            assert_eq!(
                fold,
                Some(
                    "$0.0101: a prompt of 1.6k tokens, 1.0k of them cached · turns 1–4 into block 1 · a look-up of 1 item"
                )
            );
            let whole: f64 = pictures.dearest.iter().map(|moment| moment.cost).sum();
            assert!((0.0273..0.028).contains(&whole), "the four prompts, and short answers: {whole}");
            assert!((pictures.dearest.iter().map(|moment| moment.share).sum::<f64>() - 1.0).abs() < 1e-9);
        });
    }

    #[test]
    fn a_pause_is_a_reason_and_so_is_a_cache_that_missed() {
        example::with(|run, conversation, tariff| {
            let why = |conversation: &Conversation<'_>, run: &Run| {
                let pictures = pictures("a.jsonl", &[("append", run)], conversation, tariff, [None; 2]);
                pictures.dearest.into_iter().find(|moment| moment.call == 1).unwrap().why
            };
            run.calls[1].split = Split { written: 3_000, ..Split::default() };
            assert_eq!(why(conversation, run), "the cache missed, no rule says why: 3.0k tokens anew");
            conversation.calls[0].at = Some(lookback_engine::trace::Timestamp(1_000));
            conversation.calls[1].at = Some(lookback_engine::trace::Timestamp(1_000 + 12 * 60_000));
            assert_eq!(why(conversation, run), "cold: 12 min since the call before (3.0k tokens anew)");
            conversation.calls[1].after_compaction = true;
            assert_eq!(why(conversation, run), "after the agent's own compaction (3.0k tokens anew)");
        });
    }
}
