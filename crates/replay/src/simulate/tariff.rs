//! By which prices and cache rule calls are billed: those of the session's usual model, and of each other model that it
//! used. Costs are in uncached-input tokens of the usual model's usual prompts, whoever's call it is, so that sums hold.

use std::collections::BTreeMap;

use lookback_engine::{
    cache::{CacheState, Split},
    card::{Card, Cards, Lifetime, Rates},
};

use super::{Spent, Tokens};
use crate::recording::Recording;

#[derive(Debug, Clone)]
pub struct Tariff {
    pub card: Card,
    pub lifetime: Lifetime,
    pub rates: Rates,
    /// What one of its uncached-input tokens is in those of the session's usual model.
    unit: f64,
    /// By name: models whose calls are billed by another card.
    others: BTreeMap<String, Tariff>,
}

impl Tariff {
    /// One card for all calls.
    pub fn new(card: Card, lifetime: Lifetime, rates: Rates) -> Self {
        Self { card, lifetime, rates, unit: 1.0, others: BTreeMap::new() }
    }

    /// The same where calls of other models are billed by those models' own cards, as far as their prices are known. A
    /// `lifetime` is that of all entries; none: as each model's bills show it.
    pub fn for_models(mut self, recording: &Recording, cards: &Cards, lifetime: Option<Lifetime>) -> Self {
        let input = |card: &Card| card.prices.as_ref().map_or(0.0, |prices| prices.usual.input);
        let usual = input(&self.card);
        for model in recording.calls().filter_map(|call| call.model.as_deref()) {
            let known = cards.find(model).filter(|card| card.prices.is_some());
            let card = known.filter(|card| **card != self.card);
            let lifetime = lifetime.unwrap_or_else(|| recording.lifetime_of(Some(model)));
            if let Some((card, rates)) = card.and_then(|card| Some((card, card.rates(lifetime)?))) {
                let unit = if usual > 0.0 { input(card) / usual } else { 1.0 };
                let other = Self { unit, ..Self::new(card.clone(), lifetime, rates) };
                self.others.insert(model.to_owned(), other);
            }
        }
        self
    }

    /// By which a call of this model is billed.
    pub fn of(&self, model: Option<&str>) -> &Self {
        model.and_then(|model| self.others.get(model)).unwrap_or(self)
    }

    /// As its tokens are found in a report: its card's first pattern.
    pub fn name(&self) -> &str {
        self.card.models.first().map_or("", String::as_str)
    }

    pub fn cache_state(&self) -> CacheState {
        self.card.cache_state(self.lifetime)
    }

    /// What an uncached input token and the others cost in a prompt of so many tokens.
    pub fn at(&self, prompt: u64) -> (f64, Rates) {
        self.at_for(prompt, self.lifetime)
    }

    fn at_for(&self, prompt: u64, lifetime: Lifetime) -> (f64, Rates) {
        let prices = self.card.prices.as_ref();
        let (input, Rates { read, write, output }) =
            prices.map_or((1.0, self.rates), |prices| prices.at(prompt, lifetime));
        let [input, read, write, output] = [input, read, write, output].map(|each| each * self.unit);
        (input, Rates { read, write, output })
    }

    /// What a call costs, in uncached-input tokens of usual prompts.
    pub fn cost(&self, split: &Split, output: u64) -> f64 {
        let prices = self.card.prices.as_ref();
        let own =
            prices.map_or_else(|| self.rates.cost(split, output), |prices| prices.cost(split, output, self.lifetime));
        own * self.unit
    }

    /// What is written costs, at the lifetime that each part is written for.
    pub fn writes(&self, split: &Split) -> f64 {
        let (_, usual) = self.at(split.tokens());
        let (_, hour) = self.at_for(split.tokens(), Lifetime::OneHour);
        usual.write * (split.written - split.written_1h) as f64 + hour.write * split.written_1h as f64
    }

    /// The same in tokens. A card that offers no hour has the usual writes.
    pub fn spend(&self, spent: &mut Spent, prompt: u64, split: &Split, output: u64) {
        spent.call(prompt, &self.tokens(split, output), self.card.prices.as_ref());
    }

    /// A call's, as they are billed.
    pub fn tokens(&self, split: &Split, output: u64) -> Tokens {
        let lifetime = if self.card.offers_hour() { self.lifetime } else { Lifetime::Usual };
        Tokens::of(split, output, lifetime)
    }

    /// Dollars for a cost by this tariff, or by that of another model of the session.
    pub fn dollars(&self, cost: f64) -> Option<f64> {
        self.card.prices.as_ref().map(|prices| prices.dollars(cost))
    }
}
