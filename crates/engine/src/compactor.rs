//! The rule-based compactor: a block and a delta from the trace alone, without a model.
//!
//! It is the default where no model is configured and the fallback everywhere, so most folds are its work
//! (docs/design/folding.md, "The compactors"). Each rule turns what happened into candidates: facts, anchors, verdicts
//! of commands. They are ranked by what later steps were measured to need (docs/design/measuring.md, "What later steps
//! need": what an edit just wrote, files in work, paths and symbols of the last steps) and taken while the budget
//! lasts. Each is stated by the functions that admission states a model's facts with. It does not know when to fold, where the cut lies, nor what becomes of its proposals.

mod candidate;
mod commands;
mod conclusions;
mod delta;
mod files;
mod fit;
mod outcomes;
mod stretch;
mod windows;

use crate::{
    admission::Resolver,
    block::log::{Log, render_log},
    board::Board,
    configuration::Configuration,
    configuration::rules::{RECENT_TURNS, SAID_FOR_BOARD},
    standing::{Asked, Standing},
    state::Bench,
    trace::{
        BlobError, Blobs, Layout, TurnNo,
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
    /// Of the range, for the block.
    pub(crate) log: Log,
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
    let mut resolver = Resolver::new(bench.history, blobs);

    let mut candidates = Candidates::new(focus, count);
    outcomes::propose(&stretch, &mut resolver, &mut candidates);
    conclusions::propose(&stretch, &mut candidates, blobs);
    files.propose(&stretch, &mut resolver, &mut candidates);
    commands::propose(&runs, &stretch, &mut resolver, &mut candidates);
    windows::propose(&stretch, &files, &runs, &mut candidates);

    // There the dialogue itself stands in the view, and nobody guesses what it is about (docs/seeds.md execute).
    let guesses = bench.state.layout() != Layout::Execute;
    let asked_at = |standing: Standing<'_>| if guesses { standing.asked() } else { Asked::default() };
    let asked = asked_at(Standing::at(bench.history, request.range.last, blobs));
    let log = render_log(bench.history, request.range, &configuration.block, count);
    let fitted = fit::fit(&stretch, asked, candidates, request.budget, log.tokens, &configuration.block, count);
    let limits = &configuration.board;
    let standing = Standing::now(bench.history, blobs);
    // What was concluded long ago stands in blocks.
    let recent = TurnNo(bench.history.turns().saturating_sub(RECENT_TURNS));
    let (status, questions, untested) = standing.status_and_questions()?;
    let news = delta::News {
        asked: asked_at(standing),
        status,
        actions: standing.actions(),
        questions,
        untested,
        said: standing.concluded(recent, SAID_FOR_BOARD),
        changed: commands::changed_as_of_now(&fitted.chosen, &stretch, &mut resolver),
    };
    let delta = delta::propose(board, &fitted, news, limits, count);
    Ok(Compaction { block: fitted.into_content(), delta, log })
}

#[cfg(test)]
mod tests;
