//! Blocks and summaries that a model writes (docs/design/folding.md, "The compactors").
//!
//! The model of the session rides on the live prompt: its call differs from the last one only by what is appended.
//! Another model is sent the turns alone. Either gets one chance to repair what was not admitted; after that, on a
//! time-out, or while the breaker is open, the rules write it. So there is always a block.

mod asked;

use lookback_engine::{
    Session, SessionError,
    admission::BreakerState,
    report::{ArchiveReport, FoldReport},
    session::{ArchiveDraft, FoldDraft, ModelAttempt},
    trace::event::{CompactorPurpose, Ride},
};

use super::{CallError, Cancel, Surroundings, surroundings::with_context};
use asked::{Ask, Asked, ask};

pub use asked::CompactorModel;

/// The texts of `prompts/`, in one language.
#[derive(Debug, Clone, Copy)]
pub struct Prompts<'a> {
    pub tail_compaction: &'a str,
    pub archive_summary: &'a str,
    pub repair: &'a str,
}

/// A block or a summary, and what went wrong before it.
#[derive(Debug)]
pub struct Compacted<R> {
    pub report: R,
    /// Why the model's own text was not used, try by try. Empty: it was, at once.
    pub problems: Vec<String>,
}

/// Names by which the prompts call themselves in their first line.
const TAIL_COMPACTION: &str = "TAIL_COMPACTION";
const ARCHIVE_SUMMARY: &str = "ARCHIVE_SUMMARY";

const BREAKER_OPEN: &str =
    "the model's texts were refused too often in a row: the rules write until it is asked for again";

/// The block of a fold, by the model if it can, else by the rules.
pub async fn write_block(
    session: &mut Session,
    draft: &FoldDraft,
    compactor: &CompactorModel<'_>,
    prompts: &Prompts<'_>,
    cancel: &mut Cancel,
    outside: &mut dyn Surroundings,
) -> Result<Compacted<FoldReport>, CallError> {
    let mut problems = Vec::new();
    if session.breaker() == BreakerState::Open {
        problems.push(BREAKER_OPEN.to_owned());
    } else {
        let first = with_context(outside, |context| match compactor.ride {
            Ride::Live => Ok(session.compaction_instruction(draft, prompts.tail_compaction, context)),
            Ride::Alone => session.compaction_prompt(draft, prompts.tail_compaction, context),
        })
        .map_err(SessionError::from)?;
        let schema = session.compaction_schema(draft.range, compactor.dialect());
        let mut refused: Option<(String, String)> = None;
        for attempt in attempts(session.configuration().compactor.repairs) {
            let repair = refused
                .take()
                .map(|(text, problem)| (text, Session::repair_instruction(prompts.repair, TAIL_COMPACTION, &problem)));
            let asks =
                Ask { purpose: CompactorPurpose::Block, first: &first, repair: repair.as_ref(), schema: Some(&schema) };
            let (text, unusable) = match ask(session, compactor, &asks, cancel, outside).await? {
                Asked::Text(text) => (text, None),
                Asked::Unusable(why) => (String::new(), Some(why)),
                Asked::Failed(problem) | Asked::TimedOut(problem) => {
                    problems.push(problem);
                    break;
                }
            };
            let problem = match with_context(outside, |context| session.fold_by_model(draft, &text, attempt, context)) {
                Ok(report) => {
                    outside.keep(session)?;
                    return Ok(Compacted { report, problems });
                }
                Err(SessionError::Fold(refusal)) => unusable.map_or_else(|| refusal.to_string(), str::to_owned),
                Err(error) => return Err(error.into()),
            };
            problems.push(problem.clone());
            refused = Some((text, problem));
        }
    }
    let report = with_context(outside, |context| session.fold_by_rules(draft, context))?;
    outside.keep(session)?;
    Ok(Compacted { report, problems })
}

/// The summary of an archive, by the model if it can. On a time-out the rounds leave the view all the same.
pub async fn write_summary(
    session: &mut Session,
    draft: &ArchiveDraft,
    compactor: &CompactorModel<'_>,
    prompts: &Prompts<'_>,
    cancel: &mut Cancel,
    outside: &mut dyn Surroundings,
) -> Result<Compacted<ArchiveReport>, CallError> {
    // In a call of its own (docs/design/folding.md, "Archive").
    let compactor = &CompactorModel { ride: Ride::Alone, ..*compactor };
    let mut problems = Vec::new();
    if session.breaker() == BreakerState::Open {
        problems.push(BREAKER_OPEN.to_owned());
    } else {
        let room = compactor.input_room(session);
        let first =
            with_context(outside, |context| session.archive_prompt(draft, prompts.archive_summary, room, context))
                .map_err(SessionError::from)?;
        let mut refused: Option<(String, String)> = None;
        for _ in attempts(session.configuration().compactor.repairs) {
            let repair = refused
                .take()
                .map(|(text, problem)| (text, Session::repair_instruction(prompts.repair, ARCHIVE_SUMMARY, &problem)));
            let asks = Ask { purpose: CompactorPurpose::Summary, first: &first, repair: repair.as_ref(), schema: None };
            let (text, unusable) = match ask(session, compactor, &asks, cancel, outside).await? {
                Asked::Text(text) => (text, None),
                Asked::Unusable(why) => (String::new(), Some(why)),
                Asked::Failed(problem) => {
                    problems.push(problem);
                    break;
                }
                Asked::TimedOut(problem) => {
                    problems.push(problem);
                    let report = with_context(outside, |context| session.archive_timed_out(draft, context))?;
                    outside.keep(session)?;
                    return Ok(Compacted { report, problems });
                }
            };
            let problem = match with_context(outside, |context| session.archive_by_model(draft, &text, context)) {
                Ok(report) => {
                    outside.keep(session)?;
                    return Ok(Compacted { report, problems });
                }
                Err(SessionError::Archive(refusal)) => unusable.map_or_else(|| refusal.to_string(), str::to_owned),
                Err(error) => return Err(error.into()),
            };
            problems.push(problem.clone());
            refused = Some((text, problem));
        }
    }
    let report = with_context(outside, |context| session.archive_by_rules(draft, context))?;
    outside.keep(session)?;
    Ok(Compacted { report, problems })
}

fn attempts(repairs: u32) -> impl Iterator<Item = ModelAttempt> {
    std::iter::once(ModelAttempt::First).chain((0..repairs).map(|_| ModelAttempt::Repair))
}
