//! Notes: what a summariser words itself. Checked by nobody, so it is bounded, and stands under a heading that says so.

use super::{Refusal, RefusalKind, resolve::Resolver};
use crate::{
    block::{escape_tag, render_note},
    configuration::written::NOTES_SHARE,
    proposal::NoteProposal,
    text::one_line,
    trace::claim::SummariserNote,
};

/// All notes together take at most their share of the block's budget; the later ones go first.
pub(super) fn admit(
    proposals: Vec<NoteProposal>,
    block_tokens: u32,
    count: &dyn Fn(&[u8]) -> u32,
    resolver: &mut Resolver<'_>,
    refused: &mut Vec<Refusal>,
) -> Vec<SummariserNote> {
    let limit = (u64::from(block_tokens) * u64::from(NOTES_SHARE) / 100) as u32;
    let mut taken = 0;
    let mut notes = Vec::new();
    for proposal in proposals {
        let text = one_line(&proposal.text);
        let note = check(&text, &proposal.evidence, resolver).and_then(|note| {
            // With its pointers: they take room as well.
            let tokens = count(render_note(&note).as_bytes());
            if taken + tokens > limit {
                return Err(RefusalKind::TooWordy { limit });
            }
            taken += tokens;
            Ok(note)
        });
        match note {
            Ok(note) => notes.push(note),
            Err(kind) => refused.push(Refusal::new(text, kind)),
        }
    }
    notes
}

fn check(text: &str, pointers: &[String], resolver: &mut Resolver<'_>) -> Result<SummariserNote, RefusalKind> {
    if text.is_empty() {
        return Err(RefusalKind::Blank);
    }
    if escape_tag(text) != text {
        return Err(RefusalKind::ClosesTag);
    }
    let resolved = resolver.resolve_all(pointers)?;
    let evidence = resolved.iter().map(|found| found.evidence.clone()).collect();
    Ok(SummariserNote { text: text.to_owned(), evidence })
}
