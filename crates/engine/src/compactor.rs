//! The rule-based compactor: a block and a delta from the trace alone, without a model.
//!
//! It is the default where no model is configured and the fallback everywhere, so most folds are its work
//! (docs/design/folding.md, "The compactors"). Each rule turns what happened into candidates: facts, anchors, verdicts
//! of commands. They are ranked by what later steps were measured to need (docs/design/measuring.md, "What later steps
//! need": what an edit just wrote, files in work, paths and symbols of the last steps) and taken while the budget
//! lasts. Each is put to the admission's own checks when it is found, and only what passes becomes a candidate: a claim
//! is checked once. It does not know when to fold, where the cut lies, nor what becomes of its proposals.

mod candidate;
mod commands;
mod conclusions;
mod delta;
mod fallback;
mod files;
mod fit;
mod goal;
mod next;
mod outcomes;
mod output;
mod places;
mod requests;
mod sentences;
mod stretch;
mod symbols;
mod windows;
mod wording;

use crate::{
    admission::Examiner,
    board::Board,
    configuration::Configuration,
    state::Bench,
    trace::{
        BlobError, Blobs,
        claim::{BlockContent, Delta},
        decision::TurnRange,
    },
};
use candidate::{Candidates, Focus};
use files::Files;
use stretch::Stretch;

#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    pub range: TurnRange,
    /// Tokens of the block's claims: what admission will allow as `block_tokens`.
    pub budget: u32,
    /// Words of a person: what holds them comes first.
    pub focus: Option<&'a str>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Compaction {
    /// Every claim was admitted when it was found.
    pub block: BlockContent,
    /// All empty where nothing changed.
    pub delta: Delta,
}

/// Block and delta for the turns of `request.range`. `count` is the session's counter.
pub fn compact(
    bench: Bench<'_>,
    board: &Board,
    configuration: &Configuration,
    request: &Request<'_>,
    count: &dyn Fn(&[u8]) -> u32,
    blobs: &dyn Blobs,
) -> Result<Compaction, BlobError> {
    let stretch = Stretch::new(bench, request.range);
    let focus = Focus::new(request.focus);
    let files = Files::new(&stretch, &focus, blobs);
    let runs = commands::last_verdicts(&stretch, blobs)?;
    let mut examiner = Examiner::new(bench, request.range, blobs);

    let goal = goal::propose(&stretch, board, &mut examiner);
    let now_wanted = goal::newer(&stretch, board, &mut examiner);
    let questions = next::open_questions(board);
    let actions = next::actions(&stretch, |action| examiner.action(action));

    let mut candidates = Candidates::new(focus, count);
    outcomes::propose(&stretch, &mut examiner, &mut candidates);
    conclusions::propose(&stretch, &mut examiner, &mut candidates);
    files.propose(&stretch, &mut examiner, &mut candidates);
    commands::propose(&runs, &stretch, &mut examiner, &mut candidates);
    windows::propose(&stretch, &files, &runs, &mut candidates);

    fallback::propose(&stretch, &mut examiner, &mut candidates);

    let frame = fit::Frame { goal, questions, actions };
    let fitted = fit::fit(&stretch, frame, candidates, request.budget, &configuration.block, count);
    let current = commands::still_newest(runs, &stretch);
    let limits = &configuration.board;
    let delta = delta::propose(board, &fitted, now_wanted.as_ref(), &current, &mut examiner, limits, count);
    Ok(Compaction { block: fitted.into_content(), delta })
}

#[cfg(test)]
mod tests;
