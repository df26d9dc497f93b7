//! Blocks and summaries that a model writes (docs/design/folding.md, "The compactors").
//!
//! The model of the session rides on the live prompt: its call differs from the last one only by what is appended.
//! Another model is sent the turns alone. Either gets one chance to repair what was not admitted; after that, on a
//! time-out, or while the breaker is open, the rules write it. So there is always a block.

mod asked;

use lookback_engine::{
    Context, Session, SessionError,
    fold::BreakerState,
    report::{ArchiveReport, FoldReport},
    session::{ArchiveDraft, FoldDraft, ModelAttempt},
    trace::{
        BlobError,
        event::{CompactorPurpose, Ride},
    },
};

use super::{CallError, Cancel, Surroundings, surroundings::with_context};
use asked::{Ask, Asked, ask};

pub use asked::CompactorModel;

/// The texts of `prompts/`, in one language.
#[derive(Debug, Clone, Copy)]
pub struct Prompts<'a> {
    /// Asks for the block of a fold.
    pub tail_compaction: &'a str,
    /// Asks for the summary of old rounds.
    pub archive_summary: &'a str,
    /// Asks again, with what was refused and why.
    pub repair: &'a str,
}

/// A block or a summary, and what went wrong before it.
#[derive(Debug)]
pub struct Compacted<R> {
    /// What was recorded.
    pub report: R,
    /// Why the model's own text was not used, try by try. Empty: it was, at once.
    pub problems: Vec<String>,
}

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
    let question = |session: &Session, context: &Context<'_>| {
        let prompt = match compactor.ride {
            Ride::Live => session.compaction_instruction(draft, prompts.tail_compaction, context),
            Ride::Alone => session.compaction_prompt(draft, prompts.tail_compaction, context)?,
        };
        Ok((prompt, Some(session.compaction_schema(draft.range, compactor.dialect()))))
    };
    let record = |session: &mut Session, text: Text<'_>, context: &Context<'_>| match text {
        Text::Answered(text, attempt) => session.fold_by_model(draft, text, attempt, context),
        Text::TimedOut | Text::None => session.fold_by_rules(draft, context),
    };
    write(CompactorPurpose::Block, session, (compactor, prompts), (cancel, outside), question, record).await
}

/// The summary of an archive, by the model if it can, in a call of its own. On a time-out the rounds leave the view all
/// the same.
pub async fn write_summary(
    session: &mut Session,
    draft: &ArchiveDraft,
    compactor: &CompactorModel<'_>,
    prompts: &Prompts<'_>,
    cancel: &mut Cancel,
    outside: &mut dyn Surroundings,
) -> Result<Compacted<ArchiveReport>, CallError> {
    let compactor = &CompactorModel { ride: Ride::Alone, ..*compactor };
    let question = |session: &Session, context: &Context<'_>| {
        let room = compactor.input_room(session);
        Ok((session.archive_prompt(draft, prompts.archive_summary, room, context)?, None))
    };
    let record = |session: &mut Session, text: Text<'_>, context: &Context<'_>| match text {
        Text::Answered(text, _) => session.archive_by_model(draft, text, context),
        Text::TimedOut => session.archive_timed_out(draft, context),
        Text::None => session.archive_by_rules(draft, context),
    };
    write(CompactorPurpose::Summary, session, (compactor, prompts), (cancel, outside), question, record).await
}

/// What there is to record.
enum Text<'a> {
    Answered(&'a str, ModelAttempt),
    TimedOut,
    None,
}

/// Asks until the session takes what is answered. `question` gives the prompt, and the schema of its answer.
async fn write<R>(
    purpose: CompactorPurpose,
    session: &mut Session,
    (compactor, prompts): (&CompactorModel<'_>, &Prompts<'_>),
    (cancel, outside): (&mut Cancel, &mut dyn Surroundings),
    question: impl FnOnce(&Session, &Context<'_>) -> Result<(String, Option<String>), BlobError>,
    record: impl Fn(&mut Session, Text<'_>, &Context<'_>) -> Result<R, SessionError>,
) -> Result<Compacted<R>, CallError> {
    let (mut problems, mut last) = (Vec::new(), Text::None);
    if session.breaker() == BreakerState::Open {
        problems.push(BREAKER_OPEN.to_owned());
    } else {
        let asked = with_context(outside, |context| question(session, context)).map_err(SessionError::from)?;
        let (first, schema) = (&asked.0, asked.1.as_deref());
        // As the prompt calls itself in its first line.
        let name = match purpose {
            CompactorPurpose::Block => "TAIL_COMPACTION",
            CompactorPurpose::Summary => "ARCHIVE_SUMMARY",
        };
        let mut repair: Option<(String, String)> = None;
        for attempt in attempts(session.configuration().compactor.repairs) {
            let asks = Ask { purpose, first, repair: repair.as_ref(), schema };
            let (text, unusable) = match ask(session, compactor, &asks, cancel, outside).await? {
                Asked::Text(text) => (text, None),
                Asked::Unusable(why) => (String::new(), Some(why)),
                Asked::Failed(problem) => {
                    problems.push(problem);
                    break;
                }
                Asked::TimedOut(problem) => {
                    problems.push(problem);
                    last = Text::TimedOut;
                    break;
                }
            };
            let answered = Text::Answered(&text, attempt);
            let refusal = match with_context(outside, |context| record(session, answered, context)) {
                Ok(report) => {
                    outside.keep(session)?;
                    return Ok(Compacted { report, problems });
                }
                Err(SessionError::Fold(refusal)) => refusal.to_string(),
                Err(SessionError::Archive(refusal)) => refusal.to_string(),
                Err(error) => return Err(error.into()),
            };
            let problem = unusable.map_or(refusal, str::to_owned);
            repair = Some((text, Session::repair_instruction(prompts.repair, name, &problem)));
            problems.push(problem);
        }
    }
    let report = with_context(outside, |context| record(session, last, context))?;
    outside.keep(session)?;
    Ok(Compacted { report, problems })
}

fn attempts(repairs: u32) -> impl Iterator<Item = ModelAttempt> {
    std::iter::once(ModelAttempt::First).chain((0..repairs).map(|_| ModelAttempt::Repair))
}
