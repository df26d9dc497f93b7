//! What a run may take: steps, and dollars. Asked before every call, so that nothing is spent beyond them.

use lookback_engine::{
    Session,
    cache::Split,
    card::{Lifetime, Prices},
    planner::Warmth,
    trace::{EventBody, Timestamp, event::CallKind},
};

/// Bounds of one run.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Limits {
    /// Answers of the model.
    pub steps: Option<u32>,
    /// Dollars over the whole run, compactor calls and broken tries included.
    pub cost: Option<f64>,
}

/// What calls took so far, as providers billed it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Spent {
    /// Calls with a bill.
    pub calls: u64,
    /// Of all prompts.
    pub input: u64,
    /// Of these, read from a cache.
    pub cached: u64,
    /// What was written.
    pub output: u64,
    /// None where the card has no prices.
    pub dollars: Option<f64>,
}

impl Spent {
    /// Of the events from `first` on.
    pub fn since(session: &Session, first: usize) -> Self {
        let prices = session.card().and_then(|card| card.prices.as_ref());
        let mut spent = Self { dollars: prices.map(|_| 0.0), ..Self::default() };
        for event in session.trace().iter().skip(first) {
            let billed = match &event.event {
                EventBody::Usage(usage) => Some(usage.billed),
                EventBody::CallStarted { details: Some(details), .. }
                    if matches!(details.kind, CallKind::Compactor(_)) =>
                {
                    details.over.as_ref().and_then(|over| over.usage)
                }
                _ => None,
            };
            let Some(billed) = billed else { continue };
            let [read, written, written_1h, uncached] =
                [billed.cached, billed.written, billed.written_1h, billed.uncached].map(u64::from);
            spent.calls += 1;
            spent.input += billed.prompt();
            spent.cached += read;
            spent.output += u64::from(billed.output);
            let cost =
                prices.map(|prices| dollars(prices, &Split { read, written, written_1h, uncached }, billed.output));
            spent.dollars = spent.dollars.zip(cost).map(|(sum, cost)| sum + cost);
        }
        spent
    }
}

fn dollars(prices: &Prices, split: &Split, output: u32) -> f64 {
    prices.dollars(prices.cost(split, u64::from(output), Lifetime::Usual))
}

/// What the coming call is expected to cost: what was sent last comes from the cache where that is warm, the rest is new,
/// and the answer is as long as the ones before.
pub(crate) fn expected(session: &Session, spent: &Spent, now: Timestamp) -> Option<f64> {
    let prices = session.card()?.prices.as_ref()?;
    let input = session.expected_input();
    let sent = (f64::from(last_prompt(session)) * session.factor()) as u64;
    let read = if session.warmth(now) == Warmth::Warm { sent.min(input) } else { 0 };
    let output = spent.output.checked_div(spent.calls).unwrap_or(0).max(LEAST_ANSWER);
    let split = Split { read, written: input - read, ..Split::default() };
    Some(dollars(prices, &split, u32::try_from(output).unwrap_or(u32::MAX)))
}

/// Counted tokens of what was sent last; 0 before the first call.
fn last_prompt(session: &Session) -> u32 {
    let prompts = session.trace().iter().rev().filter_map(|event| match &event.event {
        EventBody::CallStarted { input_tokens, details: None, .. } => Some(*input_tokens),
        _ => None,
    });
    prompts.take(1).next().unwrap_or(0)
}

/// Tokens: no answer with a call in it is shorter.
const LEAST_ANSWER: u64 = 50;
