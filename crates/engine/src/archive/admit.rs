//! What a model adds to the summary by rules: its choice of facts and quotations, stated by the engine, and its notes.
//!
//! Each goes under the part of the template where it belongs. Nothing of the template is worded by the model but the notes,
//! and they stand under a heading that says so.

use super::Summary;
use crate::{
    block::one_line_of,
    trace::claim::{BlockContent, ClaimKind, Fact, Standing},
};

impl Summary {
    /// With what was admitted of a model's text.
    pub(crate) fn with(mut self, claims: &BlockContent) -> Self {
        self.original_goal = claims.task.clone().or(self.original_goal);
        let (wishes, facts): (Vec<Fact>, Vec<Fact>) =
            claims.what_we_learned.iter().cloned().partition(|fact| fact.kind == ClaimKind::Quoted);
        self.preferences = wishes;
        let runs = claims.exec_assertions.iter().map(|run| Fact {
            kind: ClaimKind::Verdict,
            text: format!("{} → {}", one_line_of(&run.command), run.result),
            standing: Standing::Confirmed,
            evidence: vec![run.evidence.clone()],
        });
        for fact in facts.into_iter().chain(runs) {
            if !self.learnings.items.contains(&fact) {
                self.learnings.items.push(fact);
            }
        }
        self.said.clone_from(&claims.said);
        self.notes.clone_from(&claims.notes);
        self
    }
}
