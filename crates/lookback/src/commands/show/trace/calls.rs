//! Calls to models and the questions to people, a line each.

use lookback_engine::{
    Miss,
    trace::{
        CallNo,
        event::{
            CallDetails, CallKind, CallOver, ClientCompacted, Cold, CompactionKind, CompactorAsked, CompactorPurpose,
            DecidedBy, GateOutcome, Interruption, Permission, PermissionDecided, Rents, TextRefused, Usage,
        },
    },
};
use lookback_wire::TokenUsage;

use crate::screen;

/// As far as the trace gives it a number.
fn name(call: CallNo) -> String {
    if call.0 == 0 { "a call".to_owned() } else { format!("call {call}") }
}

pub(super) fn describe_start(
    call: CallNo,
    input_tokens: u32,
    rents: Option<&Rents>,
    cold: Option<&Cold>,
    details: Option<&CallDetails>,
) -> String {
    let size = screen::counted(u64::from(input_tokens), "token");
    let cold = cold.map(|cold| format!(", {}", Miss::Cold(*cold))).unwrap_or_default();
    let what = details.map(describe_details).unwrap_or_default();
    format!("{}, {size}{}{cold}{what}", name(call), describe_rents(rents))
}

/// What the call cost because nothing was folded, settled or archived before it.
fn describe_rents(rents: Option<&Rents>) -> String {
    let paid = rents.map_or(0, |rents| (rents.fold + rents.settle + rents.archive) / 1_000);
    if paid > 0 { format!(", {} more for not folding", screen::short(paid)) } else { String::new() }
}

fn describe_details(CallDetails { kind, branch, over, .. }: &CallDetails) -> String {
    let mut text = match kind {
        CallKind::Main => String::new(),
        CallKind::Side => " · beside the conversation".to_owned(),
        CallKind::ClientCompaction => " · the client's own compaction".to_owned(),
        CallKind::RetryOf(call) => format!(" · call {call} again"),
        CallKind::Compactor(asked) => describe_compactor(asked),
    };
    if let Some(branch) = branch {
        text += &format!(" · goes on from call {}", branch.call);
    }
    if let Some(CallOver { usage, problem }) = over {
        text += &usage.as_ref().map(|usage| format!(": {}", describe_tokens(usage))).unwrap_or_default();
        text += &problem.as_ref().map(|problem| format!(" · {problem}")).unwrap_or_default();
    }
    text
}

fn describe_compactor(asked: &CompactorAsked) -> String {
    format!(" · {} was asked for {}", asked.model, describe_purpose(asked.purpose))
}

fn describe_purpose(purpose: CompactorPurpose) -> &'static str {
    match purpose {
        CompactorPurpose::Block => "a block",
        CompactorPurpose::Summary => "a summary",
    }
}

pub(super) fn describe_compacted(compacted: &ClientCompacted) -> String {
    let did = match compacted.kind {
        CompactionKind::Head => "the client put a summary in the place of what came before",
        CompactionKind::Results => "the client cleared earlier results",
    };
    let billed = compacted.billed.as_ref().map(|billed| format!(": {}", describe_tokens(billed)));
    format!("{did}{}", billed.unwrap_or_default())
}

pub(super) fn describe_usage(Usage { call, billed }: &Usage) -> String {
    format!("call {call}: {}", describe_tokens(billed))
}

fn describe_tokens(usage: &TokenUsage) -> String {
    let TokenUsage { uncached, cached, written, output, written_5m, written_1h } = usage;
    let exact = |tokens: &u32| screen::exact(u64::from(*tokens));
    let lifetimes = [(written_5m, "5 min"), (written_1h, "1 h")];
    let lifetimes: Vec<String> = lifetimes
        .iter()
        .filter(|(tokens, _)| **tokens > 0)
        .map(|(tokens, time)| format!("{} for {time}", exact(tokens)))
        .collect();
    let lifetimes = if lifetimes.is_empty() { String::new() } else { format!(" ({})", lifetimes.join(", ")) };
    let [cached, written, uncached, output] = [cached, written, uncached, output].map(exact);
    format!("{cached} cached, {written} written{lifetimes}, {uncached} uncached, {output} out")
}

pub(super) fn describe_interruption(reason: &Interruption) -> String {
    match reason {
        Interruption::Cancelled => "cancelled".to_owned(),
        Interruption::Failed(why) => format!("failed: {why}"),
        Interruption::Killed => "the program died".to_owned(),
    }
}

pub(super) fn describe_refused(refused: &TextRefused) -> String {
    let what = refused.purpose.map_or("a text", describe_purpose);
    let range = refused.range.map(|range| format!(" of turns {}–{}", range.first, range.last)).unwrap_or_default();
    format!("{what}{range}: {}", refused.reason)
}

pub(super) fn describe_outcome(outcome: &GateOutcome) -> String {
    let answers = outcome.answers.iter().map(|answer| format!("{}: {}", answer.from, answer.answer));
    let decision = outcome.decision.as_ref().map(|decision| format!("decided{}: {decision}", by(&outcome.by)));
    answers.chain(decision).collect::<Vec<_>>().join(" · ")
}

pub(super) fn describe_permission(decided: &PermissionDecided) -> String {
    let decision = match decided.decision {
        Permission::Once => "allowed once",
        Permission::Always => "allowed from now on",
        Permission::Denied => "denied",
    };
    format!("{}: {decision}{}", decided.number, by(&decided.by))
}

fn by(decided: &DecidedBy) -> String {
    match decided {
        DecidedBy::Unsaid => String::new(),
        DecidedBy::Person => " by a person".to_owned(),
        DecidedBy::Lead => " by the lead".to_owned(),
        DecidedBy::Rule(rule) => format!(" by {rule}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_written_as_people_read_them() {
        let billed =
            TokenUsage { uncached: 3, cached: 36_420, written: 1_384, written_5m: 0, written_1h: 1_384, output: 1_351 };
        assert_eq!(
            describe_usage(&Usage { call: CallNo(7), billed }),
            "call 7: 36,420 cached, 1,384 written (1,384 for 1 h), 3 uncached, 1,351 out"
        );
    }
}
