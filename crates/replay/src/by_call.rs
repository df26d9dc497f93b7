//! What each call of a session was billed, and what it would have been under other strategies: for whoever sums up by
//! day. Answers cost the same for all.

use lookback_engine::{Configuration, cache::Split, trace::Timestamp};

use crate::{
    conversation::Conversation,
    paid::dollars,
    recording::Recording,
    simulate::{self, Tariff},
    strategy::{self, StrategyName},
};

/// One call, in dollars.
#[derive(Debug, Clone, PartialEq)]
pub struct CallCosts {
    /// When it was sent, where that is known.
    pub at: Option<Timestamp>,
    /// None where the recording has no bill of it.
    pub paid: Option<f64>,
    /// Under each strategy, in the order in which they were asked for.
    pub under: Vec<f64>,
}

/// Bills every call under each strategy.
pub fn costs_by_call(
    recording: &Recording,
    tariff: &Tariff,
    strategies: &[StrategyName],
    configuration: &Configuration,
    count: &dyn Fn(&[u8]) -> u32,
) -> Vec<CallCosts> {
    let mut conversation = Conversation::new(recording, count);
    conversation.weigh_by_bills();
    let tells_writes = conversation.calls.iter().any(|call| call.billed.is_some_and(|billed| billed.written > 0));
    // Whose bills never name what was stored takes it as plain input.
    let as_billed = |split: Split| match tells_writes {
        true => split,
        false => Split { uncached: split.uncached + split.written, written: 0, written_1h: 0, ..split },
    };
    let prompts = strategies.iter().map(|&name| {
        let mut strategy = strategy::build(name, &conversation, tariff, configuration, count);
        simulate::bills(&mut *strategy, &conversation, tariff, as_billed)
    });
    let prompts: Vec<Vec<f64>> = prompts.collect();
    let calls = conversation.calls.iter().enumerate().map(|(number, call)| {
        let own = tariff.of(call.model);
        let answer = own.at(0).1.output * call.output_tokens as f64;
        CallCosts {
            at: call.at,
            paid: call.billed.map(|billed| dollars(&billed, &own.card)),
            under: prompts.iter().map(|costs| tariff.dollars(costs[number] + answer).unwrap_or(0.0)).collect(),
        }
    });
    calls.collect()
}
