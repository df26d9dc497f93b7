//! **Paid**: what a session's own usage costs at its models' prices, as the file says it: its compactions and pauses are
//! in it, and so are outputs that were written down in part. Every call counts, also those that the person went back
//! from. A file does not show a subscription: these are the prices of the API.
//!
//! **Estimated** are the calls that the file has no bill of, as append would have sent them: so that what was paid and what
//! a strategy costs are sums over the same calls.
//!
//! Example: 10,000 tokens written for an hour and 100 of output at 10 and 25 dollars a million are 0.1025 dollars.

use std::collections::{BTreeMap, BTreeSet};

use lookback_engine::card::{Card, Lifetime, Prices};
use serde::Serialize;

use crate::{
    conversation::Conversation,
    measure::BillByKind,
    recording::{Billed, Item, most_used},
    simulate::{Run, Spent, Tariff, Tokens},
};

/// What was billed, or would have been.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Paid {
    /// How many, those that wrote summaries included.
    pub calls: u64,
    /// At the prices of the API.
    #[serde(skip)]
    pub usd: f64,
    /// The same with every answer as long as its text: some clients write down a part of what was billed as output.
    /// Strategies are billed for whole answers, so this is what they are compared with.
    #[serde(skip)]
    pub whole_usd: f64,
    /// That, by what it was paid for.
    #[serde(skip)]
    pub kinds: BillByKind,
    /// By the card that they were billed by (its first pattern), then by price tier.
    pub tokens: BTreeMap<String, Spent>,
}

impl Paid {
    /// Of all input tokens, the share read from a cache.
    pub fn cached_share(&self) -> f64 {
        self.sum(|tokens| tokens.cached) / self.sum(Tokens::input)
    }

    /// Input tokens of a call.
    pub fn prompt_mean(&self) -> f64 {
        self.sum(Tokens::input) / self.calls as f64
    }

    fn sum(&self, of: impl Fn(&Tokens) -> u64) -> f64 {
        self.tokens.values().flat_map(|spent| spent.0.values()).map(of).sum::<u64>() as f64
    }

    /// `whole` is what the answer is for every strategy; the bill of a summary is one kind.
    fn add(&mut self, own: &Tariff, prompt: u64, tokens: &Tokens, whole: u64, of: Of) {
        let prices = own.card.prices.as_ref();
        self.calls += 1;
        self.tokens.entry(own.name().to_owned()).or_default().call(prompt, tokens, prices);
        let Some(prices) = prices else { return };
        let whole = Tokens { output: whole.max(tokens.output), ..*tokens };
        let (said, bill) = (by_kind(prompt, tokens, prices), by_kind(prompt, &whole, prices));
        self.usd += said.total();
        self.whole_usd += bill.total();
        self.kinds.add(&match of {
            Of::Call => bill,
            Of::Summary => BillByKind { compactor: bill.total(), ..BillByKind::default() },
        });
    }
}

/// What was billed.
enum Of {
    Call,
    Summary,
}

/// `copied` items were paid in another session. None where the file has no bill.
pub(crate) fn paid(conversation: &Conversation<'_>, copied: &BTreeSet<usize>, tariff: &Tariff) -> Option<Paid> {
    let mut paid = Paid::default();
    // Summaries are written by the model in use.
    let mut model = conversation.recording.about.model.as_deref();
    let whole: BTreeMap<usize, u64> = conversation.calls.iter().map(|call| (call.item, call.output_tokens)).collect();
    for (place, item) in conversation.recording.items.iter().enumerate() {
        let (billed, of) = match item {
            Item::Call(call) => {
                model = call.model.as_deref().or(conversation.recording.about.model.as_deref());
                (call.billed, Of::Call)
            }
            Item::Compaction(compaction) => (compaction.billed, Of::Summary),
            Item::User(_) | Item::Rewind { .. } => continue,
        };
        let Some(billed) = billed.and_then(Billed::known).filter(|_| !copied.contains(&place)) else { continue };
        paid.add(tariff.of(model), billed.prompt(), &tokens(&billed), whole.get(&place).copied().unwrap_or(0), of);
    }
    (paid.calls > 0).then_some(paid)
}

/// What the calls without a bill would have cost with everything sent every time. None where each has its bill.
pub(crate) fn estimated(conversation: &Conversation<'_>, append: &Run, tariff: &Tariff) -> Option<Paid> {
    let mut sum = Paid::default();
    for (call, ran) in conversation.calls.iter().zip(&append.calls).filter(|(call, _)| call.billed.is_none()) {
        let own = tariff.of(call.model);
        let tokens = own.tokens(&ran.split, ran.output_tokens);
        sum.add(own, ran.split.tokens(), &tokens, ran.output_tokens, Of::Call);
    }
    (sum.calls > 0).then_some(sum)
}

/// In dollars.
fn by_kind(prompt: u64, tokens: &Tokens, prices: &Prices) -> BillByKind {
    let each = prices.at_tier(prices.tier(prompt));
    let dollars = |tokens: u64, price: f64| tokens as f64 * price / 1_000_000.0;
    let hour = dollars(tokens.written_1h, each.write(Lifetime::OneHour));
    BillByKind {
        read: dollars(tokens.cached, each.cached_read),
        written: dollars(tokens.written_5m, each.write(Lifetime::Usual)) + hour,
        uncached: dollars(tokens.uncached, each.input),
        output: dollars(tokens.output, each.output),
        ..BillByKind::default()
    }
}

/// Dollars of one bill; nothing where the card has no prices.
pub fn dollars(billed: &Billed, card: &Card) -> f64 {
    let Some(prices) = &card.prices else { return 0.0 };
    by_kind(billed.prompt(), &tokens(billed), prices).total()
}

/// Dollars of the bills of a session's calls, each by its model's card; where that has no prices of its own, by that of the
/// model of most calls. None without bills or prices.
pub fn dollars_of<'c>(calls: &[(&str, Billed)], card: impl Fn(&str) -> Option<&'c Card>) -> Option<f64> {
    let own = |card: &&Card| card.prices.as_ref().is_some_and(|prices| prices.lent_by.is_none());
    let priced = |model| card(model).filter(own);
    let usual = most_used(calls.iter().map(|(model, _)| *model)).and_then(priced);
    let billed = || calls.iter().filter(|(_, billed)| billed.known().is_some());
    billed().next()?;
    billed().map(|(model, billed)| Some(dollars(billed, priced(model).or(usual)?))).sum()
}

fn tokens(billed: &Billed) -> Tokens {
    Tokens::of(&billed.split(), billed.output, Lifetime::Usual)
}

#[cfg(test)]
mod tests {
    use lookback_engine::{Configuration, NewPart, card::Cards, trace::Stop};

    use super::*;
    use crate::{
        measure::{self, example},
        recording::{CallItem, Compaction, CompactionKind, Format, Recording},
        simulate,
        strategy::{self, StrategyName},
    };

    fn cards() -> Cards {
        let prices = |input: f64| {
            let [write, hour, output] = [1.25, 2.0, 5.0].map(|rate| rate * input);
            format!(
                "input = {input:?}\ncached_read = 0.5\ncache_write = {write:?}\ncache_write_1h = {hour:?}\noutput = {output:?}"
            )
        };
        let long =
            "\n[card.prices.long]\nabove = 1000\ninput = 10.0\ncached_read = 1.0\ncache_write = 10.0\noutput = 50.0";
        example::cards(&[
            example::card("opus", example::MARKS, &prices(5.0)),
            example::card("haiku", example::MARKS, &format!("{}{long}", prices(1.0))),
        ])
    }

    fn call(model: &str, billed: Billed) -> Item {
        Item::Call(Box::new(call_item(model, billed.known())))
    }

    fn call_item(model: &str, billed: Option<Billed>) -> CallItem {
        CallItem {
            id: None,
            at: None,
            model: Some(model.into()),
            parts: vec![NewPart::Text("Yes.".into())],
            stop: Stop::End,
            results: Vec::new(),
            billed,
            unpriced: Default::default(),
        }
    }

    fn paid_for(items: Vec<Item>, own: bool) -> Option<Paid> {
        let recording = Recording { items, ..Recording::new(Format::ClaudeCode) };
        let known = cards();
        let card = known.all()[0].clone();
        let rates = card.rates(Lifetime::Usual).unwrap();
        let conversation = Conversation::new(&recording, &|text| text.len() as u32);
        let tariff = Tariff::new(card, Lifetime::Usual, rates);
        let tariff = if own { tariff.for_models(&recording, &known, None) } else { tariff };
        paid(&conversation, &BTreeSet::new(), &tariff)
    }

    #[test]
    fn the_example() {
        let billed = Billed { written: 10_000, written_1h: 10_000, output: 100, ..Billed::default() };
        assert!((paid_for(vec![call("opus", billed)], true).unwrap().usd - 0.1025).abs() < 1e-12);
        assert_eq!(paid_for(vec![call("opus", Billed::default())], true), None);
    }

    #[test]
    fn a_usage_of_zeros_is_no_bill() {
        let none = || Item::Call(Box::new(CallItem { billed: Some(Billed::default()), ..call_item("opus", None) }));
        assert_eq!(paid_for(vec![none(), none()], true), None);
        let one = Billed { uncached: 1_000, output: 10, ..Billed::default() };
        let paid = paid_for(vec![call("opus", one), none()], true).unwrap();
        assert_eq!(paid.calls, 1);
    }

    /// The example: of two calls one has a bill. What the other would have cost is append's bill of it, and where none has
    /// one, of all.
    #[test]
    fn calls_without_a_bill_are_estimated_as_append_would_have_sent_them() {
        let one = Billed { uncached: 1_000, output: 10, ..Billed::default() };
        let estimate = |bills: [Option<Billed>; 2]| {
            let items = bills.map(|billed| Item::Call(Box::new(call_item("haiku", billed)))).to_vec();
            let recording = Recording { items, ..Recording::new(Format::ClaudeCode) };
            let card = cards().all()[0].clone();
            let rates = card.rates(Lifetime::OneHour).unwrap();
            let tariff = Tariff::new(card, Lifetime::OneHour, rates).for_models(&recording, &cards(), None);
            let count = |text: &[u8]| text.len() as u32;
            let conversation = Conversation::new(&recording, &count);
            let mut append =
                strategy::build(StrategyName::Append, &conversation, &tariff, &Configuration::default(), &count);
            let run = simulate::run(&mut *append, &conversation, &tariff);
            let figures = measure::figures(&run, &conversation, &tariff, None);
            let each = run.calls.iter().map(|call| tariff.of(Some("haiku")).cost(&call.split, call.output_tokens));
            let each: Vec<f64> = each.map(|cost| tariff.dollars(cost).unwrap()).collect();
            (estimated(&conversation, &run, &tariff), figures.cost_usd.unwrap(), each)
        };
        let (all, append, _) = estimate([None, None]);
        let all = all.unwrap();
        assert_eq!(all.calls, 2);
        assert!((all.usd - append).abs() < 1e-12, "{all:?} {append}");
        let (some, _, each) = estimate([Some(one), None]);
        let some = some.unwrap();
        assert_eq!(some.calls, 1);
        assert!(
            (some.usd - each[1]).abs() < 1e-12 && (some.kinds.total() - some.usd).abs() < 1e-12,
            "{some:?} {each:?}"
        );
        assert_eq!(estimate([Some(one), Some(one)]).0, None);
    }

    #[test]
    fn answers_that_were_counted_in_part_are_whole_beside_strategies() {
        let billed = Billed { uncached: 1_000, output: 1, ..Billed::default() };
        let paid = paid_for(vec![call("opus", billed)], true).unwrap();
        // "Yes." is more than the one token that was written down.
        assert!(paid.whole_usd > paid.usd, "{paid:?}");
        let billed = Billed { output: 1_000, ..billed };
        let paid = paid_for(vec![call("opus", billed)], true).unwrap();
        assert_eq!(paid.whole_usd, paid.usd);
    }

    #[test]
    fn each_call_is_billed_by_its_own_model_and_tier_unless_prices_were_chosen() {
        let one = Billed { uncached: 1_000, output: 10, ..Billed::default() };
        let items = || vec![call("opus", one), call("haiku", one), call("haiku", Billed { uncached: 1_001, ..one })];
        let own = paid_for(items(), true).unwrap();
        assert!((own.usd - (5_250.0 + 1_050.0 + 10_510.0) / 1e6).abs() < 1e-12, "{own:?}");
        assert_eq!(own.tokens["haiku"].0.keys().copied().collect::<Vec<_>>(), [0, 1_000]);
        let chosen = paid_for(items(), false).unwrap();
        assert!((chosen.usd - (2.0 * 5_250.0 + 5_255.0) / 1e6).abs() < 1e-12, "{chosen:?}");
        assert_eq!(chosen.calls, 3);
    }

    #[test]
    fn its_kinds_are_all_of_it() {
        let billed = Billed { uncached: 10, read: 900, written: 200, written_1h: 50, output: 1 };
        let compaction = Compaction { kind: CompactionKind::Head, at: None, billed: Some(billed) };
        let paid =
            paid_for(vec![call("opus", billed), call("haiku", billed), Item::Compaction(compaction)], true).unwrap();
        assert!((paid.kinds.total() - paid.whole_usd).abs() < 1e-12, "{paid:?}");
        assert!(paid.whole_usd > paid.usd && paid.kinds.compactor > 0.0, "{paid:?}");
    }
}
