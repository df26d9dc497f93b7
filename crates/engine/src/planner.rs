//! The planner: whether a fold, a settle, a stub or an archive pays now, and where a fold should end.
//!
//! Pure decisions over sizes and prices (docs/design/folding.md, "When"). A trigger proposes, the planner disposes: how
//! many calls are still to come is not known, so it rents until the rent has reached the price and then buys. It never
//! sees text, blocks or the view, and what it decided is carried out, and recorded with all its numbers, by others.

mod archive;
mod balance;
mod delta;
mod fold;
mod settle;
mod stub;
mod triggers;

pub use archive::ArchiveDecision;
pub(crate) use archive::{ArchiveQuestion, plan_archive};
pub use balance::{Balance, Cliff, Compactor, Prefix, Rent, Tariff, Verdict, Warmth, Why, WhyNot};
pub use delta::DeltaCause;
pub(crate) use delta::DeltaTriggers;
pub use fold::{Asked, ChosenCut, Cut, FoldDecision, FoldQuestion, Place, block_budget, plan_fold};
pub use settle::SettleDecision;
pub(crate) use settle::{SettleQuestion, plan_settle};
pub use stub::StubDecision;
pub(crate) use stub::{StubQuestion, plan_stub};
pub use triggers::{Break, Trigger};
pub(crate) use triggers::{Proposal, Seen, StepSeen, Triggers};

pub use crate::configuration::{ArchiveLimits, FoldLimits as Limits, TriggerLimits};

#[cfg(test)]
mod tests;
