//! The gate: what a compactor claims becomes what the engine states, or is refused with its reason.
//!
//! It runs on every output of a model and of the rules alike (docs/design/folding.md, "Admission"; docs/seeds.md 5.2).
//! Claims are held against the raw trace alone, each on its own: one false claim costs itself, not the block. The gate
//! does not know who made a proposal, what becomes of an admitted one, nor the board's ids and budget.

mod actions;
pub(crate) mod again;
mod anchors;
mod assertions;
mod breaker;
mod budgets;
mod checkable;
mod counts;
mod delta;
mod examiner;
mod facts;
mod goal;
mod named;
mod principals;
mod refusal;
mod resolve;
mod runs;
mod share;
mod tags;
mod talk;
mod verdict;

pub use breaker::BreakerState;
pub use budgets::AdmissionLimits;
pub(crate) use budgets::says_nothing;
pub use delta::admit_delta;
pub(crate) use examiner::Examiner;
pub(crate) use goal::admit_preference;
pub use refusal::{AdmissionRefused, Fate, Refusal, RefusalKind, render_refusals};

use crate::{
    proposal::{BlockProposal, one_line},
    state::Bench,
    trace::claim::{BlockContent, Question},
    trace::{Blobs, decision::TurnRange},
};
use principals::Principals;
use resolve::Resolver;

/// What was admitted, and what was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdmittedBlock {
    /// The claims that stand.
    pub content: BlockContent,
    /// The others.
    pub refused: Vec<Refusal>,
    /// How many claims were proposed.
    pub claims: usize,
}

impl AdmittedBlock {
    /// What the rules wrote: each of its claims was checked when it was found.
    pub(crate) fn by_rules(content: BlockContent) -> Self {
        let BlockContent { goal, what_we_learned, anchors, exec_assertions, next_actions, .. } = &content;
        let claims = usize::from(goal.is_some())
            + what_we_learned.len()
            + anchors.len()
            + exec_assertions.len()
            + next_actions.len();
        Self { content, refused: Vec::new(), claims }
    }
}

/// Checks a block that is to stand for the turns of `range`. `count` is the session's counter.
pub fn admit_block(
    bench: Bench<'_>,
    range: TurnRange,
    mut proposal: BlockProposal,
    limits: &AdmissionLimits,
    count: &dyn Fn(&[u8]) -> u32,
    blobs: &dyn Blobs,
) -> Result<AdmittedBlock, AdmissionRefused> {
    if proposal.replaces != Some(range) {
        return Err(AdmissionRefused::RangeMismatch { claimed: proposal.replaces, range });
    }
    let claims = budgets::count_claims(&proposal);
    let mut refused = Vec::new();
    tags::take_from_block(&mut proposal, &mut refused);
    let mut resolver = Resolver::new(bench.history, blobs);
    let principals = Principals::new(bench, range, blobs);
    let mut keep = |refusal: Refusal| refused.push(refusal);

    let goal = proposal.goal.and_then(|goal| goal::admit(goal, &mut resolver, &principals).map_err(&mut keep).ok());
    let mut open_questions: Vec<Question> = proposal
        .open_questions
        .iter()
        .map(|text| one_line(text))
        .filter(|text| !text.is_empty())
        .map(|text| Question { text, unknown: false })
        .collect();
    let mut what_we_learned = Vec::new();
    for fact in proposal.what_we_learned {
        match facts::admit(fact, &mut resolver) {
            Ok(fact) => what_we_learned.push(fact),
            Err(refusal) => {
                open_questions.extend(refusal.as_question());
                keep(refusal);
            }
        }
    }
    let admitted = |anchor| anchors::admit(anchor, &mut resolver).map_err(&mut keep).ok();
    let anchors = proposal.anchors.into_iter().filter_map(admitted).collect();
    let admitted = |assertion| assertions::admit(assertion, &mut resolver).map_err(&mut keep).ok();
    let exec_assertions = proposal.exec_assertions.into_iter().filter_map(admitted).collect();
    let next_actions = actions::admit(proposal.next_actions, &principals, &limits.block, &mut refused);

    let content = BlockContent {
        goal,
        what_we_learned,
        anchors,
        exec_assertions,
        open_questions,
        next_actions,
        ..BlockContent::default()
    };
    if budgets::says_nothing(&content) {
        return Err(AdmissionRefused::Empty { refused });
    }
    budgets::check(bench, range, &content, limits, count)?;
    Ok(AdmittedBlock { content, refused, claims })
}

#[cfg(test)]
mod tests;
