//! Edits of the view: each is planned by [`crate::edits`] and recorded here as one event.

use lookback_wire::TokenUsage;

use super::Session;
use crate::{
    context::Context,
    edits::{
        archive, asked, delta,
        draft::{ArchiveDraft, FoldDraft, ModelAttempt},
        fold, layout, pins, settle, unfold,
    },
    error::{ArchiveRefused, FoldRefused, SessionError, expect_idle},
    prompt::render_repair_prompt,
    proposal::Dialect,
    recorder::Book,
    report::{ArchiveReport, DeltaReport, FoldReport, SettleReport, UnfoldReport},
    trace::{
        BlobError, BlobHash, CallNo, EventBody, Layout,
        decision::{Author, Fold, TurnRange, Unfold},
        event::{
            CallDetails, CallKind, CompactorAsked, CompactorPurpose, Interruption, Pinned, Question, Ride, TextRefused,
            Usage,
        },
    },
    view::TOKENS_PER_MESSAGE,
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

    /// A compactor did not answer, or not in time: it counts for the breaker as a refused text does, so that one that hangs
    /// is not waited for at every fold.
    pub fn compactor_failed(&mut self, problem: &str, context: &Context<'_>) -> Result<(), SessionError> {
        self.text_refused(None, "", problem.to_owned(), context)
    }

    /// What the breaker counts.
    fn text_refused(
        &mut self,
        what: Option<(CompactorPurpose, TurnRange)>,
        text: &str,
        reason: String,
        context: &Context<'_>,
    ) -> Result<(), SessionError> {
        let refused = TextRefused {
            purpose: what.map(|(purpose, _)| purpose),
            range: what.map(|(_, range)| range),
            call: self.state.aside,
            text: (!text.is_empty()).then(|| text.into()),
            reason,
        };
        self.record(EventBody::TextRefused(Box::new(refused)), context)
    }

    /// A compactor is asked: a call like any other, which leaves no turn. `question` is what stands behind the live prompt
    /// where it rides on it, else the whole prompt.
    pub fn ask_compactor(
        &mut self,
        purpose: CompactorPurpose,
        model: &str,
        ride: Ride,
        question: &str,
        context: &Context<'_>,
    ) -> Result<CallNo, SessionError> {
        expect_idle(&self.history)?;
        let call = CallNo(self.last_call().0 + 1);
        let bytes = question.as_bytes();
        let question =
            Question { hash: BlobHash::of(bytes), bytes: bytes.len() as u64, tokens: (context.count)(bytes) };
        let before = match ride {
            Ride::Live => self.view().tokens(),
            Ride::Alone => 0,
        };
        let input = before + u64::from(question.tokens) + u64::from(TOKENS_PER_MESSAGE);
        let asked = CompactorAsked { purpose, model: model.to_owned(), ride, question: Some(question) };
        let details = CallDetails { kind: CallKind::Compactor(Box::new(asked)), ..CallDetails::default() };
        let started = EventBody::CallStarted {
            call,
            input_tokens: u32::try_from(input).unwrap_or(u32::MAX),
            rents: None,
            cold: None,
            details: Some(Box::new(details)),
        };
        self.record(started, context)?;
        Ok(call)
    }

    /// The call of a compactor is over: its answer is there, or why there is none. What it cost was billed either way.
    pub fn compactor_ended(
        &mut self,
        usage: Option<TokenUsage>,
        failed: Option<Interruption>,
        context: &Context<'_>,
    ) -> Result<(), SessionError> {
        let call = self.state.call.filter(|call| self.state.aside == Some(*call)).ok_or(SessionError::NoCallOpen)?;
        let ended = match failed {
            None => EventBody::CallEnded { call },
            Some(reason) => EventBody::CallInterrupted { call, reason },
        };
        self.record(ended, context)?;
        usage.map_or(Ok(()), |billed| self.usage(Usage { call, billed }, context))
    }

    /// `tail_compaction.txt` for a draft: what is appended to the live prompt.
    pub fn compaction_instruction(&self, draft: &FoldDraft, template: &str, context: &Context<'_>) -> String {
        asked::compaction_instruction(self.desk(), draft, template, context)
    }

    /// The same with the turns behind it, for a model that does not have them before it.
    pub fn compaction_prompt(
        &self,
        draft: &FoldDraft,
        template: &str,
        context: &Context<'_>,
    ) -> Result<String, BlobError> {
        asked::compaction_prompt(self.desk(), draft, template, context)
    }

    /// `state_update.txt`: asks for a delta with the next step.
    pub fn state_instruction(&self, template: &str, context: &Context<'_>) -> String {
        asked::state_instruction(self.desk(), template, context)
    }

    /// A schema under which only pointers that exist can be cited.
    pub fn compaction_schema(&self, range: TurnRange, dialect: Dialect) -> String {
        asked::compaction_schema(self.desk(), range, dialect)
    }

    /// `archive_summary.txt`, from the raw turns where they fit into `room` tokens, else from their view
    /// (docs/design/folding.md, "Archive").
    pub fn archive_prompt(
        &self,
        draft: &ArchiveDraft,
        template: &str,
        room: u64,
        context: &Context<'_>,
    ) -> Result<String, BlobError> {
        asked::archive_prompt(self.desk(), draft, template, room, context)
    }

    /// `repair.txt`: what was refused, and why, under the name of the prompt that it repairs.
    pub fn repair_instruction(template: &str, name: &str, problem: &str) -> String {
        render_repair_prompt(template, name, problem)
    }
}
