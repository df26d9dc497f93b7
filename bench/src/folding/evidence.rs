//! The evidence check: `admit_block` for the block that the rules made, and for one as full as can be.

use anyhow::{Result, ensure};
use lookback_engine::{
    Session,
    fold::{AdmissionLimits, AdmittedBlock, BlockProposal, ClaimKind, FactProposal, admit_block, render_block},
    session::FoldDraft,
    trace::NoBlobs,
};

use super::{fold::newest, full_block::full_block, subject::Subject};
use crate::{
    figures::{Samples, microseconds, milliseconds, thousands, timed, verdict},
    scale::Scale,
    table::Table,
    tokens::Counter,
};

/// Seconds.
const TARGET: f64 = 0.005;

/// A session and a draft for all of it but the kept steps.
struct Checked {
    session: Session,
    draft: FoldDraft,
    limits: AdmissionLimits,
}

pub(crate) fn measure(scale: &Scale) -> Result<Table> {
    crate::progress("checking evidence");
    let mut subject = Subject::of_tokens(scale.checked_hot_zone)?;
    let by_rules = {
        let mut session = subject.copy()?;
        let draft = subject.draft(&session)?;
        session.fold_by_rules(&draft, &subject.coding.context())?;
        BlockProposal::of(draft.range, &newest(&session)?.claims)
    };
    let checked = Checked::new(&mut subject)?;
    let full = full_block(&checked.session, checked.draft.range, &checked.limits)?;
    let note = format!(
        "`admit_block` in a session with a hot zone of {} tokens, {} checks each, in turn. \"Full\" is made of \
         claims that hold, as many as the budget of {} tokens takes. Nothing of either is refused. Target: p95 below {} ms.",
        thousands(subject.tokens),
        scale.checks,
        thousands(checked.draft.budget),
        milliseconds(TARGET),
    );
    let columns =
        ["block", "tokens", "facts", "anchors", "commands", "pointers", "check ms", "p95", "µs / claim", "target"];
    let mut table = Table::new("Evidence check", note, &columns);
    let mut rows = [("by rules", by_rules, Samples::default()), ("full", full, Samples::default())];
    for _ in 0..scale.checks {
        for (_, proposal, samples) in &mut rows {
            let again = proposal.clone();
            let (admitted, took) = timed(|| checked.admit(again));
            admitted?;
            samples.push(took);
        }
    }
    for (name, proposal, samples) in rows {
        let pointers = proposal.facts.iter().map(|fact| fact.evidence.len()).sum::<usize>() + proposal.anchors.len();
        let is_run = |fact: &&FactProposal| fact.kind == Some(ClaimKind::Verdict);
        let commands = proposal.facts.iter().filter(is_run).count();
        let (facts, anchors) = (proposal.facts.len() - commands, proposal.anchors.len());
        let tokens = checked.tokens_of(proposal)?;
        table.row([
            name.to_owned(),
            thousands(tokens),
            facts.to_string(),
            anchors.to_string(),
            commands.to_string(),
            pointers.to_string(),
            milliseconds(samples.median()),
            milliseconds(samples.p95()),
            microseconds(samples.median() / (facts + anchors + commands).max(1) as f64),
            verdict(samples.p95() < TARGET),
        ]);
    }
    Ok(table)
}

impl Checked {
    fn new(subject: &mut Subject) -> Result<Self> {
        let session = subject.copy()?;
        let draft = subject.draft(&session)?;
        let limits = AdmissionLimits { block_tokens: draft.budget, ..AdmissionLimits::from(session.configuration()) };
        Ok(Self { session, draft, limits })
    }

    fn admit(&self, proposal: BlockProposal) -> Result<AdmittedBlock> {
        let count = Counter::O200k.count();
        let admitted = admit_block(self.session.bench(), self.draft.range, proposal, &self.limits, count, &NoBlobs)?;
        ensure!(admitted.refused.is_empty(), "a claim was refused: {:?}", admitted.refused);
        Ok(admitted)
    }

    /// Of the whole block, with the user's turns.
    fn tokens_of(&self, proposal: BlockProposal) -> Result<u32> {
        let content = self.admit(proposal)?.content;
        let count = Counter::O200k.count();
        let text = render_block(self.session.bench(), 1, self.draft.range, &content, &self.limits.block, count);
        Ok(count(text.as_bytes()))
    }
}

pub(super) fn run(tokens: u64, times: usize) -> Result<()> {
    let mut subject = Subject::of_tokens(tokens)?;
    let checked = Checked::new(&mut subject)?;
    let full = full_block(&checked.session, checked.draft.range, &checked.limits)?;
    (0..times).try_for_each(|_| checked.admit(full.clone()).map(drop))
}
