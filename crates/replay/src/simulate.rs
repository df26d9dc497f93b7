//! One strategy over one conversation: what each call would have been billed, and what its view would have lacked.
//!
//! The cache is the engine's own model, so that what its planner was promised is what replay bills. Every strategy has the
//! same marks: the end of the base, what it expects to stay, the tail of the call before, and its own tail.

pub(crate) mod signal;
mod spent;

pub use signal::Signal;
pub use spent::{Spent, Tokens};

use std::{cell::OnceCell, rc::Rc};

use lookback_engine::{
    cache::{CacheState, CachedCall, PartId, PromptChain, Split},
    card::{Card, Lifetime, Rates},
    trace::Timestamp,
};
use memchr::memmem;

use crate::{
    conversation::{Conversation, Need},
    shown::{Did, Evidence, Made, Part, Reach, Shown, Step, Strategy},
};
use signal::Judge;

/// By which prices and cache rule a run is billed.
#[derive(Debug, Clone)]
pub struct Tariff {
    pub card: Card,
    pub lifetime: Lifetime,
    pub rates: Rates,
}

impl Tariff {
    /// What an uncached input token and the others cost in a prompt of so many tokens.
    pub fn at(&self, prompt: u64) -> (f64, Rates) {
        self.card.prices.as_ref().map_or((1.0, self.rates), |prices| prices.at(prompt, self.lifetime))
    }

    /// What a call costs, in uncached-input tokens of usual prompts.
    pub fn cost(&self, split: &Split, output: u64) -> f64 {
        let prices = self.card.prices.as_ref();
        prices.map_or_else(|| self.rates.cost(split, output), |prices| prices.cost(split, output, self.lifetime))
    }

    /// What is written costs, at the lifetime that each part is written for.
    pub fn writes(&self, split: &Split) -> f64 {
        let (_, usual) = self.at(split.tokens());
        let hour = self.card.prices.as_ref().map_or(usual, |prices| prices.at(split.tokens(), Lifetime::OneHour).1);
        usual.write * (split.written - split.written_1h) as f64 + hour.write * split.written_1h as f64
    }

    /// The same in tokens. A card that offers no hour has the usual writes.
    pub fn spend(&self, spent: &mut Spent, prompt: u64, split: &Split, output: u64) {
        let lifetime = if self.card.offers_hour() { self.lifetime } else { Lifetime::Usual };
        spent.call(prompt, &Tokens::of(split, output, lifetime), self.card.prices.as_ref());
    }
}

/// A strategy's run over a conversation.
#[derive(Debug)]
pub struct Run {
    pub calls: Vec<CallRun>,
    pub evidence: Evidence,
}

#[derive(Debug)]
pub struct CallRun {
    /// The prompt as it would have been billed.
    pub split: Split,
    pub output_tokens: u64,
    /// Of the calls that wrote summaries before this one.
    pub compactor_cost: f64,
    pub compactor_tokens: Spent,
    /// For each need of the call, in its order.
    pub needs: Vec<Found>,
    pub did: Vec<Did>,
    pub invalid: Option<String>,
    pub cold: bool,
    /// Tokens of the parts that hold an item needed within the next 20 steps, and of all parts (Task-SNR).
    pub signal: Signal,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    InView,
    Reached(Reach),
}

/// Runs a strategy over every call.
pub fn run(strategy: &mut dyn Strategy, conversation: &Conversation<'_>, tariff: &Tariff) -> Run {
    let mut bill = Bill::new(conversation, tariff);
    let mut judge = Judge::default();
    let mut calls = Vec::with_capacity(conversation.calls.len());
    for (number, call) in conversation.calls.iter().enumerate() {
        let step = strategy.show(number);
        let (compactor_cost, compactor_tokens) = bill.compactors(&step, number);
        let cold = number > 0 && bill.cache.is_cold(bill.now(number));
        let split = bill.call(&step.shown, number);
        // Made by the first need: most calls of a long session have none.
        let view = OnceCell::new();
        let needs = call.needs.iter().map(|need| {
            match view.get_or_init(|| ViewIndex::new(conversation, &step.shown)).holds(need) {
                true => Found::InView,
                false => Found::Reached(strategy.reach(need)),
            }
        });
        calls.push(CallRun {
            needs: needs.collect(),
            split,
            output_tokens: call.output_tokens,
            compactor_cost,
            compactor_tokens,
            did: step.did,
            invalid: strategy.invalid(),
            cold,
            signal: judge.judge(conversation, &step.shown, number),
        });
    }
    Run { calls, evidence: strategy.evidence() }
}

/// What a strategy's prompts and summaries cost, without asking what they lacked; answers cost the same for all.
pub fn bill(strategy: &mut dyn Strategy, conversation: &Conversation<'_>, tariff: &Tariff) -> f64 {
    bills(strategy, conversation, tariff, |split| split).iter().sum()
}

/// The same call by call, each prompt as its provider would put it on the bill.
pub(crate) fn bills(
    strategy: &mut dyn Strategy,
    conversation: &Conversation<'_>,
    tariff: &Tariff,
    as_billed: impl Fn(Split) -> Split,
) -> Vec<f64> {
    let mut bill = Bill::new(conversation, tariff);
    let cost = |number| {
        let step = strategy.show(number);
        bill.compactors(&step, number).0 + tariff.cost(&as_billed(bill.call(&step.shown, number)), 0)
    };
    (0..conversation.calls.len()).map(cost).collect()
}

/// The provider's cache and the prompt sent last.
struct Bill<'a> {
    conversation: &'a Conversation<'a>,
    tariff: &'a Tariff,
    cache: CacheState,
    chain: PromptChain,
    ids: Vec<PartId>,
}

const BASE: PartId = PartId(u64::MAX);

impl<'a> Bill<'a> {
    fn new(conversation: &'a Conversation<'a>, tariff: &'a Tariff) -> Self {
        let mut chain = PromptChain::default();
        chain.push(BASE, conversation.scale.base);
        let cache = tariff.card.cache_state(tariff.lifetime);
        Self { conversation, tariff, cache, chain, ids: vec![BASE] }
    }

    fn now(&self, call: usize) -> Timestamp {
        self.conversation.calls[call].at.unwrap_or(Timestamp(0))
    }

    fn call(&mut self, shown: &Shown, call: usize) -> Split {
        let tail = self.ids.len();
        let same = self.ids[1..].iter().zip(&shown.parts).take_while(|(id, part)| **id == part.id()).count();
        self.ids.truncate(same + 1);
        self.chain.truncate(same + 1);
        for part in &shown.parts[same..] {
            self.ids.push(part.id());
            self.chain.push(part.id(), part.tokens(self.conversation));
        }
        let mut marks = vec![1, shown.stable + 1, tail.min(self.ids.len()), self.ids.len()];
        marks.sort_unstable();
        marks.dedup();
        let answer = self.conversation.calls[call].answer;
        let answer = [(PartId(answer as u64), self.conversation.pieces[answer].tokens)];
        let now = self.now(call);
        let hour = shown.hour;
        self.cache.apply_call(&CachedCall { prompt: &self.chain, marks: &marks, hour, answer: &answer, now })
    }

    /// Summaries are asked for with the prompt as it was sent last: it is read from the cache where that still holds it.
    fn compactors(&mut self, step: &Step, call: usize) -> (f64, Spent) {
        let (marks, now) = ([1, self.ids.len()], self.now(call));
        let (mut cost, mut spent) = (0.0, Spent::default());
        for compactor in &step.compactor {
            let split =
                self.cache.apply_call(&CachedCall { prompt: &self.chain, marks: &marks, hour: 0, answer: &[], now });
            let output = u64::from(compactor.output_tokens);
            cost += self.tariff.cost(&split, output);
            self.tariff.spend(&mut spent, split.tokens(), &split, output);
        }
        (cost, spent)
    }
}

/// What stands in a view, for questions.
struct ViewIndex<'a> {
    raw: Vec<bool>,
    made: Vec<&'a Rc<Made>>,
}

impl<'a> ViewIndex<'a> {
    fn new(conversation: &Conversation<'_>, shown: &'a Shown) -> Self {
        let mut index = Self { raw: vec![false; conversation.pieces.len()], made: Vec::new() };
        for part in &shown.parts {
            match part {
                Part::Raw(piece) => index.raw[*piece] = true,
                Part::Made(made) => index.made.push(made),
            }
        }
        index
    }

    fn holds(&self, need: &Need) -> bool {
        if need.seen.iter().any(|piece| self.raw[*piece]) {
            return true;
        }
        let finder = memmem::Finder::new(&*need.text);
        self.made.iter().any(|made| finder.find(made.text.as_bytes()).is_some())
    }
}
