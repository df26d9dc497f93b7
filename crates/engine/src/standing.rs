//! Where the work stands at a turn: what it is for, how tests and build ended, what is open, what comes next, which files
//! it changed, what the assistant concluded.
//!
//! Functions of the trace alone. Everything is copied from it, with the pointer that shows it; where a rule cannot know,
//! it says nothing. What becomes of it on a board or in a block is not known here.

mod asked;
mod earlier;
mod errors;
mod files;
mod follows;
mod named;
mod next;
mod open;
mod past;
mod runs;
mod said;
pub(crate) mod sentences;
mod since;
mod turns;
mod undone;
mod wording;
mod worth;

pub(crate) use asked::Asked;
/// What a person's text asks for, in its own words, behind what programs put before it; for titles.
pub fn asking_sentence(text: &str) -> Option<String> {
    turns::wanted(turns::own_words(text))
}

/// Whether a person's text is no more than a greeting, a "yes" or a command of the client; for titles, too.
pub fn asks_nothing(text: &str) -> bool {
    turns::asks_nothing(turns::own_words(text))
}

pub use files::Files;
pub(crate) use files::taken_away;
pub(crate) use runs::hides_failure;
pub(crate) use said::Concluded;

use crate::{
    history::History,
    trace::{
        BlobError, Blobs, TurnNo,
        claim::{Question, Quote, WorkStatus},
    },
};
use past::Past;

/// A conversation up to a turn.
#[derive(Clone, Copy)]
pub(crate) struct Standing<'a> {
    past: Past<'a>,
}

impl<'a> Standing<'a> {
    /// As of the end of `last`, or of the newest turn where there are fewer.
    pub(crate) fn at(history: &'a History, last: TurnNo, blobs: &'a dyn Blobs) -> Self {
        Self { past: Past::new(history, last, blobs) }
    }

    pub(crate) fn now(history: &'a History, blobs: &'a dyn Blobs) -> Self {
        Self::at(history, TurnNo(u32::MAX), blobs)
    }

    /// Task and now.
    pub(crate) fn asked(self) -> Asked {
        asked::asked(self.past)
    }

    /// How the newest runs of tests and of a build ended; what is open: what fails, and what nobody answered; and what no
    /// test has seen.
    pub(crate) fn status_and_questions(self) -> Result<(WorkStatus, Vec<Question>, Option<Question>), BlobError> {
        let tests = runs::newest(self.past, runs::Kind::Tests)?;
        let build = runs::newest(self.past, runs::Kind::Build)?;
        let of = |run: &Option<runs::Newest<'_>>, kind| {
            let wider = run.as_ref().and_then(|run| earlier::wider(self.past, kind, run));
            run.as_ref().map(|run| run.status(self.past, wider)).unwrap_or_default()
        };
        let (of_tests, of_build) = (of(&tests, runs::Kind::Tests), of(&build, runs::Kind::Build));
        let errors_left = tests.as_ref().and_then(|newest| newest.run.tests.as_deref()).map(|report| report.failed);
        let status = WorkStatus { tests: of_tests, build: of_build, errors_left };
        let untested = tests.as_ref().and_then(|tests| open::untested(self.past, tests));
        Ok((status, open::questions(self.past, tests.as_ref(), build.as_ref())?, untested))
    }

    /// What comes next, word for word.
    pub(crate) fn actions(self) -> Vec<String> {
        next::actions(self.past)
    }

    /// Whether the assistant said so, word for word.
    pub(crate) fn says(self, quote: &Quote) -> bool {
        said::says(self.past, quote)
    }

    /// What was changed and deleted.
    pub(crate) fn files(self) -> Files {
        files::files(self.past)
    }

    /// What the assistant concluded from `first` on: at most so many, the best first.
    pub(crate) fn concluded(self, first: TurnNo, most: usize) -> Vec<Concluded> {
        said::concluded(self.past, first, most)
    }
}
