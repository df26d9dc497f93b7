//! **Paid**: what a session's own usage costs at its models' prices, as the file says it: its compactions and pauses are
//! in it, and so are outputs that were written down in part. Every call counts, also those that the person went back
//! from. A file does not show a subscription: these are the prices of the API.
//!
//! Example: 10,000 tokens written for an hour and 100 of output at 10 and 25 dollars a million are 0.1025 dollars.

use std::collections::{BTreeMap, BTreeSet};

use lookback_engine::card::{Card, Lifetime};
use serde::Serialize;

use crate::{
    conversation::Conversation,
    measure::BillByKind,
    recording::{Billed, Item, most_used},
    simulate::{Spent, Tariff, Tokens},
};

/// What was billed.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Paid {
    /// Calls with a bill, those that wrote summaries included.
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
}

/// `copied` items were paid in another session. None where the file has no bill.
pub(crate) fn paid(conversation: &Conversation<'_>, copied: &BTreeSet<usize>, tariff: &Tariff) -> Option<Paid> {
    let mut paid = Paid::default();
    let mut used: BTreeMap<&str, &Card> = BTreeMap::new();
    // Summaries are written by the model in use.
    let mut model = conversation.recording.about.model.as_deref();
    let whole: BTreeMap<usize, u64> = conversation.calls.iter().map(|call| (call.item, call.output_tokens)).collect();
    for (place, item) in conversation.recording.items.iter().enumerate() {
        let billed = match item {
            Item::Call(call) => {
                model = call.model.as_deref().or(conversation.recording.about.model.as_deref());
                call.billed
            }
            Item::Compaction(compaction) => compaction.billed,
            Item::User(_) | Item::Rewind { .. } => continue,
        };
        let Some(billed) = billed.filter(|_| !copied.contains(&place)) else { continue };
        let own = tariff.of(model);
        let card = &own.card;
        paid.calls += 1;
        used.insert(own.name(), card);
        let spent = paid.tokens.entry(own.name().to_owned()).or_default();
        spent.call(billed.prompt(), &tokens(&billed), card.prices.as_ref());
        paid.kinds.add(&by_kind(item, &billed, whole.get(&place).copied(), card));
        let unsaid = whole.get(&place).map_or(0, |whole| whole.saturating_sub(billed.output));
        let output = card.prices.as_ref().map_or(0.0, |prices| prices.at_tier(prices.tier(billed.prompt())).output);
        paid.whole_usd += unsaid as f64 * output / 1_000_000.0;
    }
    let each = paid.tokens.iter().filter_map(|(name, spent)| Some(spent.dollars(used.get(&**name)?.prices.as_ref()?)));
    paid.usd = each.sum();
    paid.whole_usd += paid.usd;
    (paid.calls > 0).then_some(paid)
}

/// In dollars, with the whole answer; the bill of a compaction is one kind.
fn by_kind(item: &Item, billed: &Billed, whole: Option<u64>, card: &Card) -> BillByKind {
    let Some(prices) = &card.prices else { return BillByKind::default() };
    let (each, tokens) = (prices.at_tier(prices.tier(billed.prompt())), tokens(billed));
    let dollars = |tokens: u64, price: f64| tokens as f64 * price / 1_000_000.0;
    let hour = dollars(tokens.written_1h, each.write(Lifetime::OneHour));
    let bill = BillByKind {
        read: dollars(tokens.cached, each.cached_read),
        written: dollars(tokens.written_5m, each.write(Lifetime::Usual)) + hour,
        uncached: dollars(tokens.uncached, each.input),
        output: dollars(billed.output.max(whole.unwrap_or(0)), each.output),
        ..BillByKind::default()
    };
    match item {
        Item::Compaction(_) => BillByKind { compactor: bill.total(), ..BillByKind::default() },
        _ => bill,
    }
}

/// Dollars of one bill; nothing where the card has no prices.
pub fn dollars(billed: &Billed, card: &Card) -> f64 {
    let Some(prices) = &card.prices else { return 0.0 };
    let mut spent = Spent::default();
    spent.call(billed.prompt(), &tokens(billed), Some(prices));
    spent.dollars(prices)
}

/// Dollars of the bills of a session's calls, each by its model's card; where that has no prices, by that of the model of
/// most calls. None without bills or prices.
pub fn dollars_of<'c>(calls: &[(&str, Billed)], card: impl Fn(&str) -> Option<&'c Card>) -> Option<f64> {
    let priced = |model| card(model).filter(|card| card.prices.is_some());
    let usual = most_used(calls.iter().map(|(model, _)| *model)).and_then(priced);
    let billed = || calls.iter().filter(|(_, billed)| *billed != Billed::default());
    billed().next()?;
    billed().map(|(model, billed)| Some(dollars(billed, priced(model).or(usual)?))).sum()
}

fn tokens(billed: &Billed) -> Tokens {
    Tokens::of(&billed.split(), billed.output, Lifetime::Usual)
}

#[cfg(test)]
mod tests {
    use lookback_engine::{NewPart, card::Cards, trace::Stop};

    use super::*;
    use crate::{
        measure::example,
        recording::{CallItem, Compaction, CompactionKind, Format, Recording},
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
        Item::Call(Box::new(CallItem {
            id: None,
            at: None,
            model: Some(model.into()),
            parts: vec![NewPart::Text("Yes.".into())],
            stop: Stop::End,
            results: Vec::new(),
            billed: (billed != Billed::default()).then_some(billed),
        }))
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
