//! Admission: what a compactor points at becomes what the engine states, or is refused with its reason.
//!
//! It runs on every output of a model (docs/design/folding.md, "Admission"; docs/seeds.md 5.2); the rules state their facts
//! through the same functions. Claims are read from the raw trace alone, each on its own: one false claim costs itself, not
//! the block. It does not know who made a proposal, what becomes of an admitted one, nor the board's ids and budget.

mod anchors;
mod breaker;
mod budgets;
mod delta;
pub(crate) mod facts;
pub(crate) mod imported;
mod notes;
pub(crate) mod quotation;
mod refusal;
mod resolve;
mod talk;

pub use breaker::BreakerState;
pub use budgets::AdmissionLimits;
pub(crate) use budgets::says_nothing;
pub use delta::admit_delta;
pub use refusal::{AdmissionRefused, Refusal, RefusalKind};
pub(crate) use resolve::Resolver;

use crate::{
    proposal::{BlockProposal, FactProposal, QuoteProposal},
    state::Bench,
    trace::{
        Blobs, TurnNo,
        claim::{Assertion, BlockContent, Fact, Quote},
        decision::TurnRange,
    },
};
use facts::Stated;

/// What was admitted, and what was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdmittedBlock {
    /// What the block says.
    pub content: BlockContent,
    /// Each claim with its reason.
    pub refused: Vec<Refusal>,
    /// How many claims were proposed.
    pub claims: usize,
}

impl AdmittedBlock {
    /// What the rules wrote: each of its claims was stated from the trace.
    pub(crate) fn by_rules(content: BlockContent) -> Self {
        let claims = budgets::count_claims(&content);
        Self { content, refused: Vec::new(), claims }
    }
}

/// Checks a block that is to stand for the turns of `range`. `count` is the session's counter.
pub fn admit_block(
    bench: Bench<'_>,
    range: TurnRange,
    proposal: BlockProposal,
    limits: &AdmissionLimits,
    count: &dyn Fn(&[u8]) -> u32,
    blobs: &dyn Blobs,
) -> Result<AdmittedBlock, AdmissionRefused> {
    if proposal.replaces != Some(range) {
        return Err(AdmissionRefused::RangeMismatch { claimed: proposal.replaces, range });
    }
    let (content, refused) = admit_parts(bench, range, proposal, limits, count, blobs);
    if budgets::says_nothing(&content) {
        return Err(AdmissionRefused::Empty { refused });
    }
    budgets::check(bench, range, &content, limits, count)?;
    let claims = budgets::count_claims(&content) + refused.len();
    Ok(AdmittedBlock { content, refused, claims })
}

/// Each claim of a proposal on its own.
pub(crate) fn admit_parts(
    bench: Bench<'_>,
    range: TurnRange,
    proposal: BlockProposal,
    limits: &AdmissionLimits,
    count: &dyn Fn(&[u8]) -> u32,
    blobs: &dyn Blobs,
) -> (BlockContent, Vec<Refusal>) {
    let mut resolver = Resolver::new(bench.history, blobs);
    let mut refused = Vec::new();
    let task = proposal.task.and_then(|quote| admit_wish(&quote, &mut resolver, &mut refused));
    let now = proposal.now.and_then(|quote| admit_wish(&quote, &mut resolver, &mut refused));
    let (what_we_learned, exec_assertions) = admit_facts(proposal.facts, range.last, &mut resolver, &mut refused);
    let mut said = Vec::new();
    for quote in &proposal.said {
        match quotation::of_assistant(quote, &mut resolver) {
            Ok(quote) => said.push(quote),
            Err(kind) => refused.push(Refusal::new(rendered(quote), kind)),
        }
    }
    let mut admitted = Vec::new();
    for anchor in proposal.anchors {
        match anchors::admit(anchor, &mut resolver) {
            Ok(anchor) => admitted.push(anchor),
            Err(refusal) => refused.push(refusal),
        }
    }
    let turns = (range.first, range.last);
    let next_actions = admit_actions(bench, &proposal.next_actions, turns, limits, &mut resolver, &mut refused);
    let notes = notes::admit(proposal.notes, limits.block_tokens, count, &mut resolver, &mut refused);
    let anchors = admitted;
    let content = BlockContent {
        task,
        now,
        what_we_learned,
        exec_assertions,
        said,
        anchors,
        next_actions,
        notes,
        ..BlockContent::default()
    };
    (content, refused)
}

fn admit_wish(quote: &QuoteProposal, resolver: &mut Resolver<'_>, refused: &mut Vec<Refusal>) -> Option<Quote> {
    let admitted = quotation::of_person(quote, resolver);
    admitted.map_err(|kind| refused.push(Refusal::new(rendered(quote), kind))).ok()
}

/// Facts and verdicts as of the end of turn `until`, each once.
fn admit_facts(
    proposals: Vec<FactProposal>,
    until: TurnNo,
    resolver: &mut Resolver<'_>,
    refused: &mut Vec<Refusal>,
) -> (Vec<Fact>, Vec<Assertion>) {
    let (mut facts, mut runs) = (Vec::new(), Vec::new());
    for proposal in proposals {
        match facts::state(&proposal, until, resolver) {
            Ok(Stated::Fact(fact)) if !facts.contains(&fact) => facts.push(fact),
            Ok(Stated::Run(run)) if !runs.contains(&run) => runs.push(run),
            Ok(_) => {}
            Err(kind) => refused.push(Refusal::new(facts::rendered(&proposal), kind)),
        }
    }
    (facts, runs)
}

fn admit_actions(
    bench: Bench<'_>,
    proposals: &[QuoteProposal],
    turns: (TurnNo, TurnNo),
    limits: &AdmissionLimits,
    resolver: &mut Resolver<'_>,
    refused: &mut Vec<Refusal>,
) -> Vec<String> {
    let limit = limits.block.next_actions;
    let mut actions = Vec::new();
    for quote in proposals {
        let admitted = quotation::of_action(quote, turns, &bench.state.todo, resolver);
        match admitted
            .and_then(|action| if actions.len() < limit { Ok(action) } else { Err(RefusalKind::OverBudget { limit }) })
        {
            Ok(action) if !actions.contains(&action) => actions.push(action),
            Ok(_) => {}
            Err(kind) => refused.push(Refusal::new(rendered(quote), kind)),
        }
    }
    actions
}

fn rendered(quote: &QuoteProposal) -> String {
    let pointer = quote.pointer.as_ref().map(|pointer| format!("[{pointer}]"));
    [quote.text.clone(), pointer].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
