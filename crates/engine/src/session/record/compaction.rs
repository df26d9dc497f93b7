//! What a model is asked for when it is to write a block or a summary, and the record that it was asked.
//!
//! The answer comes back through [`Session::fold_by_model`] and [`Session::archive_by_model`]; who sends the question is
//! not known here.

use crate::{
    prompt::{Compaction, Detail, render_archive_prompt, render_compaction_prompt, render_repair_prompt},
    proposal::{Dialect, citable, output_schema},
    session::{ArchiveDraft, Context, FoldDraft, Session, SessionError, bill::instruction_part, state::TEXT_REFUSED},
    trace::{
        BlobError, EventBody,
        decision::TurnRange,
        event::{CompactorCall, Ride},
    },
};

impl Session {
    /// `tail_compaction.txt` for a draft: what is appended to the live prompt.
    pub fn compaction_instruction(&self, draft: &FoldDraft, template: &str, context: &Context<'_>) -> String {
        let compaction = Compaction {
            range: draft.range,
            board: &self.state.board,
            focus: draft.focus.as_deref().unwrap_or(""),
            budget: draft.budget,
            limits: &self.configuration.board,
        };
        render_compaction_prompt(template, &compaction, context.count)
    }

    /// The same with the turns behind it, for a model that does not have them before it.
    pub fn compaction_prompt(
        &self,
        draft: &FoldDraft,
        template: &str,
        context: &Context<'_>,
    ) -> Result<String, BlobError> {
        let turns = self.turns_as_text(draft.range, Detail::View, context)?;
        Ok(format!("{}\n\n{turns}", self.compaction_instruction(draft, template, context)))
    }

    /// A schema under which only pointers that exist can be cited.
    pub fn compaction_schema(&self, range: TurnRange, dialect: Dialect) -> String {
        output_schema(&citable(self, range), &self.configuration.block, dialect)
    }

    /// `archive_summary.txt`, from the raw turns where they fit into `room` tokens, else from their view (design 3-folding,
    /// "Archive").
    pub fn archive_prompt(
        &self,
        draft: &ArchiveDraft,
        template: &str,
        room: u64,
        context: &Context<'_>,
    ) -> Result<String, BlobError> {
        let raw = render_archive_prompt(template, self, draft.range, Detail::Raw, context.blobs)?;
        if u64::from((context.count)(raw.as_bytes())) <= room {
            return Ok(raw);
        }
        render_archive_prompt(template, self, draft.range, Detail::View, context.blobs)
    }

    /// `repair.txt`: what was refused, and why, under the name of the prompt that it repairs.
    pub fn repair_instruction(template: &str, name: &str, problem: &str) -> String {
        render_repair_prompt(template, name, problem)
    }

    /// A compactor did not answer, or not in time: it counts for the breaker as a refused text does, so that one that hangs
    /// is not waited for at every fold.
    pub fn compactor_failed(&mut self, problem: &str, context: &Context<'_>) -> Result<(), SessionError> {
        self.record(EventBody::Error { kind: TEXT_REFUSED.into(), message: problem.to_owned() }, context)
    }

    /// A compactor was called. `appended` is what stood behind the live prompt, where it rode on it: the provider has that
    /// now in its cache.
    pub fn compactor_called(
        &mut self,
        call: CompactorCall,
        appended: &str,
        context: &Context<'_>,
    ) -> Result<(), SessionError> {
        let rode = call.ride == Ride::Live && call.problem.is_none();
        self.record(EventBody::CompactorCalled(Box::new(call)), context)?;
        if let Some(bill) = self.bill.as_mut().filter(|_| rode) {
            let tokens = (context.count)(appended.as_bytes());
            bill.rode(context.now, &self.state.view, instruction_part(appended, tokens));
        }
        Ok(())
    }
}
