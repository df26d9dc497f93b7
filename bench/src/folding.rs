//! Folding: what a fold, its evidence check and the planner's questions cost, and one more step after many folds.

mod after;
mod evidence;
mod fold;
mod full_block;
mod planner;
mod subject;
mod tidy;

use anyhow::Result;

use crate::{scale::Scale, table::Table};

pub(crate) fn measure(scale: &Scale) -> Result<Vec<Table>> {
    Ok(vec![
        fold::measure(scale)?,
        evidence::measure(scale)?,
        planner::measure(scale),
        tidy::measure(scale)?,
        after::measure(scale)?,
    ])
}

/// What a profiler or an instruction counter looks at alone.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(crate) enum Part {
    /// Folds of a fresh copy; the size is in tokens.
    Fold,
    /// Evidence checks of a full block; the size is in tokens.
    Evidence,
    /// Questions to the planner; the size is in cuts.
    Planner,
    /// Tidying that holds, with the small step before it; the size is in steps.
    Tidy,
    /// Small steps; the size is in folds before them.
    Step,
}

/// Prepares the part and does it so many times. Two runs that differ in `times` differ in nothing else.
pub(crate) fn run(part: Part, size: u64, times: usize) -> Result<()> {
    match part {
        Part::Fold => fold::run(size, times),
        Part::Evidence => evidence::run(size, times),
        Part::Planner => {
            planner::run(size, times);
            Ok(())
        }
        Part::Tidy => tidy::run(size, times),
        Part::Step => after::run(size, times),
    }
}
