//! One strategy over one conversation: what each call would have been billed, and what its view would have lacked.
//!
//! The cache is the engine's own model, so that what its planner was promised is what replay bills. Every strategy has the
//! same marks: the end of the base, what it expects to stay, the tail of the call before, and its own tail.

pub(crate) mod signal;
mod spent;
mod tariff;

pub use signal::Signal;
pub use spent::{ByCard, Spent, Tokens};
pub use tariff::Tariff;

use std::{cell::OnceCell, collections::BTreeMap, rc::Rc};

use lookback_engine::{
    cache::{CacheState, CachedCall, PartId, PromptChain, Split},
    trace::Timestamp,
};
use memchr::memmem;

use crate::{
    conversation::{Conversation, Need},
    shown::{Did, Evidence, Made, Part, Reach, Shown, Step, Strategy},
};
use signal::Judge;

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
        let cold = number > 0 && bill.is_cold(number);
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
        let tariff = tariff.of(conversation.calls[number].model);
        bill.compactors(&step, number).0 + tariff.cost(&as_billed(bill.call(&step.shown, number)), 0)
    };
    (0..conversation.calls.len()).map(cost).collect()
}

/// The provider's cache and the prompt sent last.
struct Bill<'a> {
    conversation: &'a Conversation<'a>,
    tariff: &'a Tariff,
    /// A provider holds what each model has read apart from the others.
    caches: BTreeMap<Option<&'a str>, CacheState>,
    chain: PromptChain,
    ids: Vec<PartId>,
}

const BASE: PartId = PartId(u64::MAX);

impl<'a> Bill<'a> {
    fn new(conversation: &'a Conversation<'a>, tariff: &'a Tariff) -> Self {
        let mut chain = PromptChain::default();
        chain.push(BASE, conversation.scale.base);
        Self { conversation, tariff, caches: BTreeMap::new(), chain, ids: vec![BASE] }
    }

    fn is_cold(&self, call: usize) -> bool {
        self.caches.get(&self.conversation.calls[call].model).is_none_or(|cache| cache.is_cold(self.now(call)))
    }

    fn apply(&mut self, call: usize, marks: &[usize], hour: usize, answer: &[(PartId, u32)]) -> Split {
        let (now, model) = (self.now(call), self.conversation.calls[call].model);
        let cache = self.caches.entry(model).or_insert_with(|| self.tariff.of(model).cache_state());
        cache.apply_call(&CachedCall { prompt: &self.chain, marks, hour, answer, now })
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
        self.apply(call, &marks, shown.hour, &answer)
    }

    /// Summaries are asked for with the prompt as it was sent last: it is read from the cache where that still holds it.
    fn compactors(&mut self, step: &Step, call: usize) -> (f64, Spent) {
        let tariff = self.tariff.of(self.conversation.calls[call].model);
        let (mut cost, mut spent) = (0.0, Spent::default());
        for compactor in &step.compactor {
            let split = self.apply(call, &[1, self.ids.len()], 0, &[]);
            let output = u64::from(compactor.output_tokens);
            cost += tariff.cost(&split, output);
            tariff.spend(&mut spent, split.tokens(), &split, output);
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
