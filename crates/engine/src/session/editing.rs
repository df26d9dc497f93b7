//! Edits of the view: each is planned by [`crate::edits`] and recorded here as one event.

use super::Session;
use crate::{
    context::Context,
    edits::{
        archive, delta,
        draft::{ArchiveDraft, FoldDraft, ModelAttempt},
        fold, layout, pins, settle, unfold,
    },
    error::{ArchiveRefused, FoldRefused, SessionError, expect_idle},
    recorder::Book,
    report::{ArchiveReport, DeltaReport, FoldReport, SettleReport, UnfoldReport},
    trace::{
        EventBody, Layout,
        decision::{Author, Fold, TurnRange, Unfold},
        event::{CompactorPurpose, Effect, Pinned},
    },
};

impl Session {
    /// `/fold`: what would be folded now, from the seam to the newest step that need not stay raw.
    pub fn draft_fold(&self, focus: Option<&str>, context: &Context<'_>) -> Result<FoldDraft, SessionError> {
        fold::draft_fold(self.desk(), focus, context)
    }

    /// `/fold SPAN`: one closed span alone, by its name or as `name#number`. What lies before it stays raw.
    pub fn draft_span_fold(&self, span: &str, focus: Option<&str>) -> Result<FoldDraft, SessionError> {
        fold::draft_span_fold(self.desk(), span, focus)
    }

    /// A range of turns alone. It must consist of whole steps that stand raw in the view.
    pub fn draft_range(&self, range: TurnRange, focus: Option<&str>, trigger: &str) -> Result<FoldDraft, SessionError> {
        fold::draft_range(self.desk(), range, focus, trigger)
    }

    /// The block by rules: from the trace, at no cost.
    pub fn fold_by_rules(&mut self, draft: &FoldDraft, context: &Context<'_>) -> Result<FoldReport, SessionError> {
        self.record_settings(context)?;
        let planned = fold::fold_by_rules(self.desk(), draft, context)?;
        self.record(EventBody::Fold(Box::new(planned.fold)), context)?;
        Ok(planned.report)
    }

    /// The block from a model's text. Missing fields are asked for once. Refused texts count for the breaker; what was
    /// refused is for the repair attempt.
    pub fn fold_by_model(
        &mut self,
        draft: &FoldDraft,
        text: &str,
        attempt: ModelAttempt,
        context: &Context<'_>,
    ) -> Result<FoldReport, SessionError> {
        self.record_settings(context)?;
        match fold::fold_by_model(self.desk(), draft, text, attempt, context) {
            Ok(planned) => {
                self.record(EventBody::Fold(Box::new(planned.fold)), context)?;
                Ok(planned.report)
            }
            Err(error) => {
                // That the view changed meanwhile is not the model's fault.
                if matches!(&error, SessionError::Fold(refused) if *refused != FoldRefused::OutOfDate) {
                    self.text_refused(Some((CompactorPurpose::Block, draft.range)), text, error.to_string(), context)?;
                }
                Err(error)
            }
        }
    }

    /// The block from what a person or another program wrote.
    pub fn fold_by_other(
        &mut self,
        draft: &FoldDraft,
        text: &str,
        context: &Context<'_>,
    ) -> Result<FoldReport, SessionError> {
        let planned = fold::fold_by_other(self.desk(), draft, text, context)?;
        self.record(EventBody::Fold(Box::new(planned.fold)), context)?;
        Ok(planned.report)
    }

    /// What a fold would record, by rules or by somebody's text. Nothing changes.
    pub fn preview_fold(
        &self,
        draft: &FoldDraft,
        text: Option<&str>,
        context: &Context<'_>,
    ) -> Result<(Fold, FoldReport), SessionError> {
        let planned = match text {
            Some(text) => fold::fold_by_other(self.desk(), draft, text, context)?,
            None => fold::fold_by_rules(self.desk(), draft, context)?,
        };
        Ok((planned.fold, planned.report))
    }

    /// Puts the turns of block `number` back in place. Board and later blocks stay, and the seam does not move.
    pub fn unfold(&mut self, number: u32, context: &Context<'_>) -> Result<UnfoldReport, SessionError> {
        expect_idle(&self.history)?;
        let report = unfold::plan_unfold(self.desk(), number, context)?;
        let thinking = self.desk().thinking_behind();
        self.record(EventBody::Unfold(Unfold { block: number, thinking }), context)?;
        Ok(report)
    }

    /// Gives the results of all ended rounds behind the seam their short forms, whatever it costs.
    pub fn settle(&mut self, context: &Context<'_>) -> Result<Option<SettleReport>, SessionError> {
        expect_idle(&self.history)?;
        let due = settle::due_settle(self.desk(), context)?;
        self.settle_due(due, None, context)
    }

    pub(super) fn settle_due(
        &mut self,
        due: settle::DueSettle,
        decision: Option<crate::planner::SettleDecision>,
        context: &Context<'_>,
    ) -> Result<Option<SettleReport>, SessionError> {
        let Some((settle, report)) = settle::settle_due(self.desk(), due, decision) else { return Ok(None) };
        self.record(EventBody::Settle(Box::new(settle)), context)?;
        Ok(Some(report))
    }

    /// Everything but the newest rounds that are to stay (`keep_rounds`).
    pub fn draft_archive(&self) -> Result<ArchiveDraft, SessionError> {
        archive::draft_archive(self.desk())
    }

    /// The summary by rules.
    pub fn archive_by_rules(
        &mut self,
        draft: &ArchiveDraft,
        context: &Context<'_>,
    ) -> Result<ArchiveReport, SessionError> {
        let planned = archive::archive_by_rules(self.desk(), draft, Author::Rules, context)?;
        self.record_archive(planned, context)
    }

    /// The summary by rules, with what a person or another program chose beside it.
    pub fn archive_by_other(
        &mut self,
        draft: &ArchiveDraft,
        text: &str,
        context: &Context<'_>,
    ) -> Result<ArchiveReport, SessionError> {
        let planned = archive::archive_by_model(self.desk(), draft, text, Author::Given, context)?;
        self.record_archive(planned, context)
    }

    /// Keeps what stands at a pointer word for word through every fold from now on.
    pub fn pin(&mut self, pointer: &str, context: &Context<'_>) -> Result<Pinned, SessionError> {
        let pinned = pins::plan_pin(self.desk(), pointer, context)?;
        self.record(EventBody::Pinned(Box::new(pinned.clone())), context)?;
        Ok(pinned)
    }

    /// From the next fold on it is not kept any more; blocks that show it stay as they are.
    pub fn unpin(&mut self, pointer: &str, context: &Context<'_>) -> Result<(), SessionError> {
        let pointer = pins::plan_unpin(self.desk(), pointer)?;
        self.record(EventBody::Unpinned { pointer }, context)
    }

    /// The summary did not come in time: the rounds leave the view all the same.
    pub fn archive_timed_out(
        &mut self,
        draft: &ArchiveDraft,
        context: &Context<'_>,
    ) -> Result<ArchiveReport, SessionError> {
        let planned = archive::archive_by_rules(self.desk(), draft, Author::TimedOut, context)?;
        self.record_archive(planned, context)
    }

    /// The summary from a model's text.
    pub fn archive_by_model(
        &mut self,
        draft: &ArchiveDraft,
        text: &str,
        context: &Context<'_>,
    ) -> Result<ArchiveReport, SessionError> {
        expect_idle(&self.history)?;
        match archive::archive_by_model(self.desk(), draft, text, Author::Model, context) {
            Ok(planned) => self.record_archive(planned, context),
            Err(error) => {
                if error != SessionError::Archive(ArchiveRefused::OutOfDate) {
                    self.text_refused(
                        Some((CompactorPurpose::Summary, draft.range)),
                        text,
                        error.to_string(),
                        context,
                    )?;
                }
                Err(error)
            }
        }
    }

    /// Changed rules take effect at the next archive, where the head is rewritten anyway (docs/design/model.md, "Order of the view").
    pub(super) fn record_archive(
        &mut self,
        planned: archive::PlannedArchive,
        context: &Context<'_>,
    ) -> Result<ArchiveReport, SessionError> {
        self.record(EventBody::Archive(Box::new(planned.archive)), context)?;
        self.let_rules_take_effect(context)?;
        Ok(planned.report)
    }

    /// Rules that wait take effect: at an archive, a cold cache or a resume.
    pub(super) fn let_rules_take_effect(&mut self, context: &Context<'_>) -> Result<(), SessionError> {
        let Some(rules) = self.state.pending_rules.as_ref().map(|pending| Box::new(pending.rules.clone())) else {
            return Ok(());
        };
        let thinking = self.desk().thinking_behind();
        self.record(EventBody::RulesChanged { rules, effect: Effect::Now, thinking }, context)
    }

    /// A delta from a model's text: the arguments of its `Board` call while that step is open, else the answer to the
    /// state update prompt. What could not be admitted is in the report, for the tool's result or the repair attempt.
    pub fn delta_from_text(&mut self, text: &str, context: &Context<'_>) -> Result<DeltaReport, SessionError> {
        self.record_settings(context)?;
        let planned = delta::delta_from_text(self.desk(), text, context)?;
        self.record(EventBody::StateDelta(Box::new(planned.delta)), context)?;
        Ok(planned.report)
    }

    /// What changed on the board since the last delta or fold, as far as rules can tell. None: nothing.
    pub fn delta_by_rules(&mut self, context: &Context<'_>) -> Result<Option<DeltaReport>, SessionError> {
        self.record_settings(context)?;
        let Some(planned) = delta::delta_by_rules(self.desk(), context)? else { return Ok(None) };
        self.record(EventBody::StateDelta(Box::new(planned.delta)), context)?;
        Ok(Some(planned.report))
    }

    /// Changes the layout from the next call on. Nothing is recorded if it is the same already.
    pub fn change_layout(&mut self, layout: Layout, context: &Context<'_>) -> Result<(), SessionError> {
        expect_idle(&self.history)?;
        if layout == self.state.layout {
            return Ok(());
        }
        let change = layout::change_layout(self.desk(), layout, context)?;
        self.record(EventBody::LayoutChanged(Box::new(change)), context)
    }

    pub(super) fn enter_execute_when_cold(&mut self, context: &Context<'_>) -> Result<(), SessionError> {
        match layout::execute_when_cold(self.desk(), context) {
            Some(change) => self.record(EventBody::LayoutChanged(Box::new(change)), context),
            None => Ok(()),
        }
    }
}
