//! A fold by rules: from the order to the event, on a fresh copy each time.

use std::time::Duration;

use anyhow::{Context as _, Result};
use lookback_engine::{
    Session,
    fold::{AdmissionLimits, BlockProposal, admit_block},
    session::FoldDraft,
    trace::{EventBody, NoBlobs, decision::Fold},
};

use super::subject::Subject;
use crate::{
    figures::{Samples, microseconds, milliseconds, ratio, thousands, timed, verdict},
    scale::Scale,
    table::Table,
    tokens::Counter,
};

/// Seconds, for a hot zone of 100,000 tokens.
const TARGET: f64 = 0.020;
const TARGET_TOKENS: u64 = 100_000;

#[derive(Default)]
struct Figures {
    total: Samples,
    draft: Samples,
    admission: Samples,
}

pub(crate) fn measure(scale: &Scale) -> Result<Table> {
    let mut subjects = Vec::new();
    for tokens in scale.hot_zones {
        crate::progress(&format!("recording a hot zone of {} tokens", thousands(*tokens)));
        subjects.push((*tokens, Subject::of_tokens(*tokens)?, Figures::default(), None));
    }
    crate::progress("folding");
    for _ in 0..scale.folds_measured {
        for (_, subject, figures, folded) in &mut subjects {
            *folded = Some(one(subject, figures)?);
        }
    }
    let note = format!(
        "`draft_fold` and `fold_by_rules` of the whole hot zone (reads, searches, test runs, edits, rounds of 15 steps), \
         counted by o200k, on a fresh copy each time: {} folds a size, sizes in turn. \"Admission\" is `admit_block` alone for \
         the claims that the fold recorded; \"rest\" is the difference: the compactor, the texts, the event. Medians. \
         Target: p95 below {} ms at {} tokens.",
        scale.folds_measured,
        milliseconds(TARGET),
        thousands(TARGET_TOKENS),
    );
    let columns = [
        "tokens",
        "steps",
        "block",
        "claims",
        "fold ms",
        "p95",
        "draft µs",
        "admission ms",
        "rest ms",
        "ms / 10k tokens",
        "to smallest",
        "target",
    ];
    let mut table = Table::new("Fold by rules", note, &columns);
    let smallest = subjects.first().map_or(f64::NAN, |(_, _, figures, _)| figures.total.median());
    for (tokens, subject, figures, folded) in &subjects {
        let folded = folded.as_ref().context("no fold was measured")?;
        let median = figures.total.median();
        table.row([
            thousands(subject.tokens),
            subject.steps.to_string(),
            thousands(folded.content.tokens),
            claims(folded).to_string(),
            milliseconds(median),
            milliseconds(figures.total.p95()),
            microseconds(figures.draft.median()),
            milliseconds(figures.admission.median()),
            milliseconds(median - figures.draft.median() - figures.admission.median()),
            milliseconds(median / subject.tokens as f64 * 10_000.0),
            ratio(median / smallest),
            if *tokens == TARGET_TOKENS { verdict(figures.total.p95() < TARGET) } else { "–".into() },
        ]);
    }
    Ok(table)
}

fn one(subject: &mut Subject, figures: &mut Figures) -> Result<Fold> {
    let mut session = subject.copy()?;
    let (draft, drafting) = timed(|| subject.draft(&session));
    let draft = draft?;
    let context = subject.coding.context();
    let (outcome, folding) = timed(|| session.fold_by_rules(&draft, &context));
    outcome?;
    figures.draft.push(drafting);
    figures.total.push(drafting + folding);
    let fold = newest(&session)?;
    figures.admission.push(admission(&subject.copy()?, &draft, &fold)?);
    Ok(fold)
}

/// Admission alone, before anything was folded.
fn admission(session: &Session, draft: &FoldDraft, fold: &Fold) -> Result<Duration> {
    let limits = AdmissionLimits { block_tokens: draft.budget, ..AdmissionLimits::from(session.configuration()) };
    let proposal = BlockProposal::of(draft.range, &fold.claims);
    let (admitted, took) =
        timed(|| admit_block(session.bench(), draft.range, proposal, &limits, Counter::O200k.count(), &NoBlobs));
    admitted?;
    Ok(took)
}

/// The fold that was recorded last.
pub(super) fn newest(session: &Session) -> Result<Fold> {
    let folds = session.trace().iter().rev().filter_map(|event| match &event.event {
        EventBody::Fold(fold) => Some((**fold).clone()),
        _ => None,
    });
    folds.into_iter().next().context("no fold was recorded")
}

fn claims(fold: &Fold) -> usize {
    let claims = &fold.claims;
    claims.what_we_learned.len() + claims.anchors.len() + claims.exec_assertions.len() + claims.said.len()
}

pub(super) fn run(tokens: u64, times: usize) -> Result<()> {
    let mut subject = Subject::of_tokens(tokens)?;
    // The copies are made whether they are folded or not, so that two runs differ by the folds alone.
    let mut copies = [subject.copy()?, subject.copy()?, subject.copy()?];
    for session in copies.iter_mut().take(times) {
        let draft = subject.draft(session)?;
        session.fold_by_rules(&draft, &subject.coding.context())?;
    }
    Ok(())
}
