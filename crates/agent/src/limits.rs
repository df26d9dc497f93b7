//! What a run may take: steps, and dollars. Asked before every call, so that nothing is spent beyond them.

use std::collections::BTreeMap;

use lookback_engine::{
    Session,
    cache::Split,
    card::{Card, Lifetime, Prices},
    planner::Warmth,
    trace::{AssistantPart, CallNo, EventBody, Timestamp, event::CallKind},
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
    /// Calls that were answered, be it in part.
    pub calls: u64,
    /// Those of them that nobody billed, as when an answer breaks off: they count by what was sent and came.
    pub estimated: u64,
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
    /// Of the events from `first` on. What another model wrote for blocks and summaries is billed by its own card.
    pub fn since(session: &Session, first: usize, compactor: Option<&Card>) -> Self {
        let own = session.card().and_then(|card| card.prices.as_ref());
        let others = compactor.map_or(own, |card| card.prices.as_ref());
        let mut spent = Self { dollars: own.map(|_| 0.0), ..Self::default() };
        let mut sent = 0;
        let mut unbilled: BTreeMap<CallNo, (Split, u32)> = BTreeMap::new();
        let billed = |counted: u32| (f64::from(counted) * session.factor()) as u64;
        for event in session.trace().iter().skip(first) {
            match &event.event {
                EventBody::Usage(usage) => {
                    unbilled.remove(&usage.call);
                    let billed = usage.billed;
                    let split = split([billed.cached, billed.written, billed.written_1h, billed.uncached]);
                    spent.add(own, split, billed.output);
                }
                EventBody::CallStarted { details: Some(details), .. }
                    if matches!(details.kind, CallKind::Compactor(_)) =>
                {
                    if let Some(usage) = details.over.as_ref().and_then(|over| over.usage) {
                        let split = split([usage.cached, usage.written, usage.written_1h, usage.uncached]);
                        spent.add(others, split, usage.output);
                    }
                }
                EventBody::CallStarted { call, input_tokens, .. } => {
                    let (before, now) = (sent, billed(*input_tokens));
                    sent = now;
                    let read = now.min(before);
                    unbilled.insert(*call, (Split { read, written: now - read, ..Split::default() }, 0));
                }
                EventBody::AssistantTurn(turn) => {
                    if let Some((_, output)) = unbilled.get_mut(&turn.call) {
                        *output = billed(turn.parts.iter().map(tokens_of).sum()) as u32;
                    }
                }
                _ => {}
            }
        }
        // What nothing came of costs nothing.
        for (split, output) in unbilled.into_values().filter(|(_, output)| *output > 0) {
            spent.estimated += 1;
            spent.add(own, split, output);
        }
        spent
    }

    fn add(&mut self, prices: Option<&Prices>, split: Split, output: u32) {
        self.calls += 1;
        self.input += split.read + split.written + split.uncached;
        self.cached += split.read;
        self.output += u64::from(output);
        let cost = prices.map(|prices| dollars(prices, &split, output));
        self.dollars = self.dollars.zip(cost).map(|(sum, cost)| sum + cost);
    }
}

fn split(tokens: [u32; 4]) -> Split {
    let [read, written, written_1h, uncached] = tokens.map(u64::from);
    Split { read, written, written_1h, uncached }
}

fn tokens_of(part: &AssistantPart) -> u32 {
    match part {
        AssistantPart::Text { tokens, .. }
        | AssistantPart::Thinking { tokens, .. }
        | AssistantPart::Call { tokens, .. }
        | AssistantPart::Unknown { tokens } => *tokens,
    }
}

fn dollars(prices: &Prices, split: &Split, output: u32) -> f64 {
    prices.dollars(prices.cost(split, u64::from(output), Lifetime::Usual))
}

/// What the coming call is expected to cost, by the prices of a prompt of its size: what was sent last comes from the cache
/// where that is warm, the rest is new, and the answer is as long as the ones before.
pub(crate) fn expected(session: &Session, spent: &Spent, now: Timestamp) -> Option<f64> {
    let prices = session.card()?.prices.as_ref()?;
    let input = session.expected_input();
    let billed = |counted: u64| ((counted as f64 * session.factor()) as u64).min(input);
    let (held, asked_for_an_hour) = session.hour_tokens(now);
    let read = billed(if session.warmth(now) == Warmth::Warm { last_prompt(session).into() } else { held });
    let output = spent.output.checked_div(spent.calls).unwrap_or(0).max(LEAST_ANSWER);
    let written = input - read;
    let written_1h = billed(asked_for_an_hour).saturating_sub(read);
    let split = Split { read, written, written_1h, ..Split::default() };
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

#[cfg(test)]
mod tests {
    use lookback_engine::{
        Context, NewPart, SessionSetup,
        card::Cards,
        configuration::CacheChoice,
        trace::{NoBlobs, Origin, SessionId, Stop},
    };

    use super::*;

    /// Every character is a token.
    fn session(characters: usize) -> Session {
        let cards = Cards::parse(include_str!("../../../prices/gemini.toml")).expect("cards");
        let card = cards.all().iter().find(|card| card.prices.as_ref().is_some_and(|prices| prices.long.is_some()));
        let count = |bytes: &[u8]| bytes.len() as u32;
        let context = Context { now: Timestamp(0), count: &count, blobs: &NoBlobs };
        let setup = SessionSetup { window: 1_000_000, ..SessionSetup::new(SessionId("s".to_owned())) };
        let mut session = Session::start(setup, &context).expect("a session");
        session.use_card(card.expect("one with two prices").clone(), Lifetime::Usual);
        session.user_turn("x".repeat(characters), Origin::Person, &context).expect("a turn");
        session
    }

    #[test]
    fn a_long_prompt_is_expected_at_the_prices_of_long_ones() {
        let bill = |characters| {
            let session = session(characters);
            let prices = session.card().and_then(|card| card.prices.clone()).expect("prices");
            (expected(&session, &Spent::default(), Timestamp(0)).expect("prices"), prices)
        };
        let ((short, prices), (long, _)) = (bill(100_000), bill(300_000));
        let above = prices.long.expect("two prices");
        assert!(above.above > 100_000 && above.above < 300_000);
        let by = |write: f64, output: f64, tokens: f64| (write * tokens + output * LEAST_ANSWER as f64) / 1e6;
        let near = |one: f64, other: f64| (one / other - 1.0).abs() < 0.01;
        assert!(near(short, by(prices.usual.cache_write, prices.usual.output, 1e5)), "{short}");
        assert!(near(long, by(above.prices.cache_write, above.prices.output, 3e5)), "{long}");
    }

    #[test]
    fn an_answer_that_broke_off_without_a_bill_counts_by_what_was_sent_and_came() {
        let mut session = session(1_000);
        let count = |bytes: &[u8]| bytes.len() as u32;
        let context = Context { now: Timestamp(0), count: &count, blobs: &NoBlobs };
        session.start_call(&context).expect("a call");
        session.assistant_turn(vec![NewPart::Text("y".repeat(500))], Stop::Cut, &context).expect("a turn");
        let spent = Spent::since(&session, 0, None);
        assert_eq!((spent.calls, spent.estimated, spent.output), (1, 1, 500));
        assert!(spent.input >= 1_000 && spent.dollars.is_some_and(|dollars| dollars > 0.0), "{spent:?}");
    }

    #[test]
    fn a_base_that_is_to_live_an_hour_is_expected_at_its_price() {
        let cards = Cards::parse(include_str!("../../../prices/anthropic.toml")).expect("cards");
        let card = cards.all().iter().find(|card| card.offers_hour()).expect("one that offers an hour");
        let prices = card.prices.clone().expect("prices").usual;
        let count = |bytes: &[u8]| bytes.len() as u32;
        let context = Context { now: Timestamp(0), count: &count, blobs: &NoBlobs };
        let expected_with = |cache, base: usize| {
            let mut setup = SessionSetup { window: 1_000_000, ..SessionSetup::new(SessionId("s".to_owned())) };
            setup.system = "x".repeat(base);
            setup.configuration.cache = cache;
            let mut session = Session::start(setup, &context).expect("a session");
            session.use_card(card.clone(), Lifetime::Usual);
            session.user_turn("y".repeat(1_000), Origin::Person, &context).expect("a turn");
            expected(&session, &Spent::default(), Timestamp(0)).expect("prices")
        };
        for (cache, write) in [
            (CacheChoice::FiveMinutes, prices.cache_write),
            (CacheChoice::HourForBase, prices.cache_write_1h.expect("an hour's price")),
            (CacheChoice::Hour, prices.cache_write_1h.expect("an hour's price")),
        ] {
            let grown = expected_with(cache, 100_000) - expected_with(cache, 50_000);
            assert!((grown / (write * 5e4 / 1e6) - 1.0).abs() < 0.01, "{cache:?}: {grown}");
        }
    }
}
