//! What a model adds to the summary by rules: its choice of facts and quotations, stated by the engine, and its notes.
//!
//! Each goes under the part of the template where it belongs. Nothing of the template is worded by the model but the notes,
//! and they stand under a heading that says so.

use super::Summary;
use crate::{
    admission::{AdmissionLimits, Refusal, admit_parts},
    block::render_assertion,
    proposal::ArchiveProposal,
    state::Bench,
    trace::{
        Blobs,
        claim::{ClaimKind, Fact, Standing},
        decision::TurnRange,
    },
};

/// The summary with what was admitted, and what was refused.
pub(crate) fn admit_summary(
    bench: Bench<'_>,
    range: TurnRange,
    mut summary: Summary,
    proposal: ArchiveProposal,
    limits: &AdmissionLimits,
    count: &dyn Fn(&[u8]) -> u32,
    blobs: &dyn Blobs,
) -> (Summary, Vec<Refusal>) {
    let (content, refused) = admit_parts(bench, range, proposal.into(), limits, count, blobs);
    summary.original_goal = content.task.or(summary.original_goal);
    let (wishes, facts): (Vec<Fact>, Vec<Fact>) =
        content.what_we_learned.into_iter().partition(|fact| fact.kind == ClaimKind::Quoted);
    summary.preferences = wishes;
    let runs = content.exec_assertions.into_iter().map(|run| Fact {
        kind: ClaimKind::Verdict,
        text: render_assertion(&run)
            .trim_start_matches("- ")
            .rsplit_once(" [")
            .map_or_else(String::new, |(text, _)| text.to_owned()),
        standing: Standing::Confirmed,
        evidence: vec![run.evidence],
    });
    for fact in facts.into_iter().chain(runs) {
        if !summary.learnings.items.contains(&fact) {
            summary.learnings.items.push(fact);
        }
    }
    summary.said = content.said;
    summary.notes = content.notes;
    (summary, refused)
}
