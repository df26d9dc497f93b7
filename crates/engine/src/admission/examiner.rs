//! Checks of single claims beforehand, for the engine's own writers of proposals.
//!
//! The rules know what they are allowed to say by asking the same checks that will judge them, and learn how it will be
//! written. An answer here admits nothing: the finished proposal goes through admission like any other.

use super::{actions, assertions, facts, principals::Principals, resolve::Resolver, tags::holds_tag};
use crate::{
    proposal::{AssertionProposal, FactProposal, one_line},
    state::Bench,
    trace::claim::{Assertion, Fact},
    trace::{Blobs, decision::TurnRange},
};

pub(crate) struct Examiner<'a> {
    resolver: Resolver<'a>,
    /// What was printed in the range and in the hot zone: what is copied from neither is admitted in block and delta.
    principals: Principals<'a>,
}

impl<'a> Examiner<'a> {
    pub(crate) fn new(bench: Bench<'a>, range: TurnRange, blobs: &'a dyn Blobs) -> Self {
        let both = super::delta::hot_zone(bench)
            .map_or(range, |hot| TurnRange { first: range.first.min(hot.first), last: range.last.max(hot.last) });
        Self { resolver: Resolver::new(bench.history, blobs), principals: Principals::new(bench, both, blobs) }
    }

    pub(crate) fn resolves(&mut self, pointer: &str) -> bool {
        self.resolver.resolve(pointer).is_ok()
    }

    pub(crate) fn fact(&mut self, proposal: &FactProposal) -> Option<Fact> {
        let fact = facts::admit(proposal.clone(), &mut self.resolver).ok();
        fact.filter(|_| !holds_tag(&proposal.text))
    }

    pub(crate) fn assertion(&mut self, proposal: &AssertionProposal) -> Option<Assertion> {
        let assertion = assertions::admit(proposal.clone(), &mut self.resolver).ok();
        assertion.filter(|_| !holds_tag(&proposal.result))
    }

    pub(crate) fn action(&self, action: &str) -> Option<String> {
        let action = one_line(action);
        let names_nothing_foreign = actions::check_origin(&action, &self.principals).is_ok();
        let admitted = !action.is_empty() && !holds_tag(&action) && names_nothing_foreign;
        admitted.then_some(action)
    }
}
