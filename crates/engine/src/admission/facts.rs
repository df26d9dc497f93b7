//! Facts: somebody names a kind and pointers, the engine reads the trace and writes the sentence.
//!
//! So no wording has to be checked: "all tests pass" of a run that failed becomes what the run really said. What is claimed
//! beside the pointers (an exit code, counts, a line's text) is held against the record and only ever speaks against the
//! claim. A sentence tells what holds at the end of the turns it is made for, and what has happened to it since it was seen.

mod files;
mod lines;
mod runs;

use super::{RefusalKind, quotation, resolve::Resolver};
use crate::{
    evidence::pointer::{Place, Pointer},
    proposal::{FactProposal, QuoteProposal},
    trace::{
        TurnNo,
        claim::{Assertion, ClaimKind, Evidence, Fact, Standing},
    },
};

pub(crate) use files::was_created;
pub(super) use runs::runs_again;

/// A fact where it belongs: verdicts of runs are listed with their commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Stated {
    Fact(Fact),
    Run(Assertion),
}

/// The sentence for a proposal, as of the end of turn `until`.
pub(crate) fn state(
    proposal: &FactProposal,
    until: TurnNo,
    resolver: &mut Resolver<'_>,
) -> Result<Stated, RefusalKind> {
    let kind = proposal.kind.ok_or(RefusalKind::NoKind)?;
    if proposal.evidence.is_empty() {
        return Err(RefusalKind::NoEvidence);
    }
    let pointers = proposal.evidence.as_slice();
    let (text, evidence) = match kind {
        ClaimKind::Worded => return Err(RefusalKind::NoKind),
        ClaimKind::Verdict => return runs::verdict(proposal, until, resolver).map(Stated::Run),
        ClaimKind::TestChanged => runs::test_changed(pointers, until, resolver)?,
        ClaimKind::Error => runs::error(pointers, until, resolver)?,
        ClaimKind::Commit => runs::commit(pointers, resolver)?,
        ClaimKind::FileCreated | ClaimKind::FileChanged | ClaimKind::FileRenamed | ClaimKind::FileDeleted => {
            files::changed(kind, pointers, until, resolver)?
        }
        ClaimKind::Symbol => lines::symbols(pointers, resolver)?,
        ClaimKind::LineText => lines::text(pointers, proposal.text.as_deref(), resolver)?,
        ClaimKind::SearchHit => lines::found(pointers, resolver)?,
        ClaimKind::GateDecision | ClaimKind::Quoted => {
            let at_gate = pointers[0].parse::<Pointer>().is_ok_and(|pointer| matches!(pointer.place, Place::Gate(_)));
            if kind == ClaimKind::GateDecision && !at_gate {
                return Err(other_thing(pointers, "a decision at a gate (gate#N)"));
            }
            let proposal = QuoteProposal { pointer: pointers.first().cloned(), text: proposal.text.clone() };
            let quote = quotation::of_person(&proposal, resolver)?;
            (quote.text, vec![quote.evidence])
        }
    };
    Ok(Stated::Fact(Fact { kind, text, standing: Standing::Confirmed, evidence }))
}

/// What kind and pointers would read like, for a refusal.
pub(super) fn rendered(proposal: &FactProposal) -> String {
    let kind = proposal.kind.map(|kind| serde_json::json!(kind).as_str().unwrap_or_default().to_owned());
    let pointers = (!proposal.evidence.is_empty()).then(|| format!("[{}]", proposal.evidence.join(" · ")));
    let text = proposal.text.as_deref().map(crate::text::one_line);
    [kind, text, pointers].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

fn other_thing(pointers: &[String], needs: &'static str) -> RefusalKind {
    RefusalKind::OtherThing { pointers: pointers.join(", "), needs }
}

fn evidence_of(pointers: &[String], resolver: &mut Resolver<'_>) -> Result<Vec<Evidence>, RefusalKind> {
    let resolved = resolver.resolve_all(pointers)?;
    Ok(resolved.iter().map(|resolved| resolved.evidence.clone()).collect())
}

/// Text from outside inside a sentence of the engine's: data, and visibly so.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.trim())
}
