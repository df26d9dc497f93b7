//! The planner in the loop: asked after every step, before the next call.
//!
//! What it wants is done at once by rules; where a model is to write the block or the summary, the caller gets the draft
//! and comes back with the text. What holding costs is kept for the coming call's event, so that the rent paid so far is
//! known again after a restart.

use super::Session;
use crate::{
    configuration::{GROWN_SINCE_REFUSED, SettleWhen},
    context::Context,
    edits::{
        archive,
        draft::{ArchiveDraft, FoldDraft},
        fold, settle, stub,
        walls::Walls,
        zone::hot_tokens,
    },
    error::{FoldRefused, SessionError, expect_idle},
    planner::{Asked, Balance, Compactor, DeltaCause, Verdict},
    policy::Noticed,
    recorder::Book,
    report::{ArchiveReport, DeltaReport, FoldReport, SettleReport, StubReport},
    trace::{
        EventBody,
        event::{NoteKind, Rents},
    },
    view::recap::render_board_request,
};

/// What tidying did, and what it leaves to the caller.
#[derive(Debug, Default)]
pub struct Tidied {
    /// An archive that was made.
    pub archived: Option<ArchiveReport>,
    /// A fold that was made.
    pub folded: Option<FoldReport>,
    /// Results that took their short forms.
    pub settled: Option<SettleReport>,
    /// Old blocks that became stubs.
    pub stubbed: Option<StubReport>,
    /// A delta that the rules wrote because the model's did not come.
    pub delta: Option<DeltaReport>,
    /// The model was asked for a delta, for this reason.
    pub asked_for_delta: Option<DeltaCause>,
    /// What a model is to write before the next call.
    pub wish: Option<Wish>,
}

/// A text that a model is to write.
#[derive(Debug, Clone, PartialEq)]
pub enum Wish {
    /// Of a fold: [`Session::fold_by_model`] takes it.
    Block(FoldDraft),
    /// Of an archive: [`Session::archive_by_model`] takes it.
    Summary(ArchiveDraft),
}

impl Session {
    /// To be called when a step has ended, before the next call.
    pub fn tidy(&mut self, context: &Context<'_>) -> Result<Tidied, SessionError> {
        expect_idle(&self.history)?;
        let mut tidied = Tidied::default();
        if self.is_guest() {
            // `tidy_guest` is for those.
            return Ok(tidied);
        }
        let noticed = self.policy.watch.notice(&self.history, &self.policy.configuration);
        self.policy.coming_rents = Rents::default();
        if self.desk().base_has_gone_cold(context.now) {
            self.let_rules_take_effect(context)?;
        }
        self.tidy_delta(&noticed, &mut tidied, context)?;
        self.tidy_archive(&mut tidied, context)?;
        if tidied.wish.is_none() {
            self.tidy_fold(&noticed, &mut tidied, context)?;
        }
        self.tidy_settle(&mut tidied, context)?;
        self.tidy_stubs(&mut tidied, context)?;
        Ok(tidied)
    }

    fn tidy_archive(&mut self, tidied: &mut Tidied, context: &Context<'_>) -> Result<(), SessionError> {
        let Some((draft, decision)) = archive::ask_archive(self.desk(), context) else { return Ok(()) };
        match (decision.verdict, self.desk().compactor()) {
            (Verdict::Hold(_), _) => self.policy.coming_rents.archive = rent(decision.balance),
            (Verdict::Go(_), Compactor::Rules) => match self.archive_by_rules(&draft, context) {
                Ok(report) => tidied.archived = Some(report),
                Err(SessionError::Archive(_)) => {}
                Err(error) => return Err(error),
            },
            (Verdict::Go(_), _) => tidied.wish = Some(Wish::Summary(draft)),
        }
        Ok(())
    }

    fn tidy_fold(&mut self, noticed: &Noticed, tidied: &mut Tidied, context: &Context<'_>) -> Result<(), SessionError> {
        let hot = hot_tokens(&self.state.view);
        if self.policy.refused_at.is_some_and(|refused| hot < refused + refused / GROWN_SINCE_REFUSED) {
            return Ok(());
        }
        let asked = noticed.proposal.map_or(Asked::Step, |proposal| Asked::Trigger(proposal.trigger));
        let offered = noticed.proposal.map(|proposal| proposal.end);
        let decision = fold::ask_planner(self.desk(), asked, offered, &Walls::default(), context);
        let Some(draft) = fold::draft_of(self.desk(), &decision, None) else {
            self.policy.coming_rents.fold = rent(decision.balance);
            return Ok(());
        };
        if self.desk().compactor() != Compactor::Rules {
            tidied.wish = Some(Wish::Block(draft));
            return Ok(());
        }
        match self.fold_by_rules(&draft, context) {
            Ok(report) => {
                self.policy.refused_at = None;
                tidied.folded = Some(report);
            }
            Err(SessionError::Fold(FoldRefused::Admission(_) | FoldRefused::TooLittle { .. })) => {
                self.policy.refused_at = Some(hot);
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn tidy_settle(&mut self, tidied: &mut Tidied, context: &Context<'_>) -> Result<(), SessionError> {
        if self.settles() == SettleWhen::Always {
            return Ok(());
        }
        let due = settle::due_settle(self.desk(), context)?;
        if due.is_empty() {
            return Ok(());
        }
        let decision = settle::ask_settle(self.desk(), &due, context);
        match decision.verdict {
            Verdict::Go(_) => tidied.settled = self.settle_due(due, Some(decision), context)?,
            Verdict::Hold(_) => self.policy.coming_rents.settle = rent(decision.balance),
        }
        Ok(())
    }

    fn tidy_stubs(&mut self, tidied: &mut Tidied, context: &Context<'_>) -> Result<(), SessionError> {
        if let Some((stub, report)) = stub::plan_stubs(self.desk(), context) {
            self.record(EventBody::Stub(Box::new(stub)), context)?;
            tidied.stubbed = Some(report);
        }
        Ok(())
    }

    /// The model is asked for a delta with its next step; where it does not come, the rules write it. Who has no `Board`
    /// tool is not asked, and gets the board with the next fold (docs/design/model.md, "Who writes deltas").
    fn tidy_delta(
        &mut self,
        noticed: &Noticed,
        tidied: &mut Tidied,
        context: &Context<'_>,
    ) -> Result<(), SessionError> {
        if let Some((asked_at, note)) = self.state.delta_asked
            && self.state.steps.last().is_some_and(|step| self.history.index().event_of(step.assistant) > Some(note))
            && self.state.board.version() == asked_at
            && self.policy.delta_answered != Some(note)
        {
            self.policy.delta_answered = Some(note);
            // Before the first block nothing has left the view that the rules could remind of.
            if self.history.index().blocks > 0 {
                tidied.delta = self.delta_by_rules(context)?;
            }
        }
        let Some(cause) = noticed.delta else { return Ok(()) };
        if self.desk().declares_board() {
            self.note(NoteKind::BoardRequest, "", render_board_request(cause), context)?;
            tidied.asked_for_delta = Some(cause);
        }
        Ok(())
    }
}

/// What the coming call pays for holding, in thousandths.
pub(super) fn rent(balance: Option<Balance>) -> u64 {
    balance.map_or(0, |balance| (balance.saves_per_call.max(0.0) * 1_000.0) as u64)
}
