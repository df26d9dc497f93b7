//! The planner in the loop: asked after every step, before the next call.
//!
//! What it wants is done at once by rules; where a model is to write the block or the summary, the caller gets the draft
//! and comes back with the text. What holding costs is kept for the coming call's event, so that the rent paid so far is
//! known again after a restart.

use super::{archive::ArchiveDraft, fold::FoldDraft};
use crate::{
    configuration::SettleWhen,
    gate::BreakerState,
    planner::{Asked, Balance, Compactor, DeltaCause, Verdict, Warmth},
    report::{ArchiveReport, DeltaReport, FoldReport, SettleReport},
    session::{Context, FoldRefused, Session, SessionError, watch::Noticed},
    trace::{
        EventBody,
        event::{NoteKind, Rents},
    },
    view::{Entry, Source, recap::render_board_request},
};

/// What tidying did, and what it leaves to the caller.
#[derive(Debug, Default)]
pub struct Tidied {
    pub archived: Option<ArchiveReport>,
    pub folded: Option<FoldReport>,
    pub settled: Option<SettleReport>,
    /// A delta that the rules wrote because the model's did not come.
    pub delta: Option<DeltaReport>,
    /// The model was asked for a delta, for this reason.
    pub asked_for_delta: Option<DeltaCause>,
    pub wish: Option<Wish>,
}

/// A text that a model is to write.
#[derive(Debug, Clone, PartialEq)]
pub enum Wish {
    Block(FoldDraft),
    Summary(ArchiveDraft),
}

impl Session {
    /// Who writes blocks and summaries, as a price. The rules do unless a model is named here.
    pub fn use_compactor(&mut self, compactor: Compactor) {
        self.compactor = compactor;
    }

    /// Whether the model is still asked for blocks, or was refused too often.
    pub fn breaker(&self) -> BreakerState {
        BreakerState::after(self.state.texts_refused, self.configuration.compactor.refusals_in_a_row)
    }

    pub(super) fn compactor_in_use(&self) -> Compactor {
        match self.breaker() {
            BreakerState::Closed => self.compactor,
            BreakerState::Open => Compactor::Rules,
        }
    }

    /// To be called when a step has ended, before the next call.
    pub fn tidy(&mut self, context: &Context<'_>) -> Result<Tidied, SessionError> {
        self.expect_idle()?;
        let mut tidied = Tidied::default();
        let noticed = self.notice();
        self.coming_rents = Rents::default();
        // A change of model leaves a cold cache, too.
        if self.sent_to.is_some() && self.warmth(context.now) == Warmth::Cold {
            self.let_rules_take_effect(context)?;
        }
        self.tidy_delta(&noticed, &mut tidied, context)?;
        self.tidy_archive(&mut tidied, context)?;
        if tidied.wish.is_none() {
            self.tidy_fold(&noticed, &mut tidied, context)?;
        }
        self.tidy_settle(&mut tidied, context)?;
        Ok(tidied)
    }

    fn tidy_archive(&mut self, tidied: &mut Tidied, context: &Context<'_>) -> Result<(), SessionError> {
        let Some((draft, decision)) = self.ask_archive(context) else { return Ok(()) };
        match (decision.verdict, self.compactor_in_use()) {
            (Verdict::Hold(_), _) => self.coming_rents.archive = rent(decision.balance),
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
        // A block that was refused is not tried again before the hot zone has grown by a quarter.
        let hot: u64 = self.view().entries()[self.view().seam()..].iter().map(|entry| u64::from(entry.tokens)).sum();
        if self.refused_at.is_some_and(|refused| hot < refused + refused / 4) {
            return Ok(());
        }
        let asked = noticed.proposal.map_or(Asked::Step, |proposal| Asked::Trigger(proposal.trigger));
        let decision = self.ask_planner(asked, noticed.proposal.map(|proposal| proposal.end), context);
        let Some(draft) = self.draft_of(&decision, None) else {
            self.coming_rents.fold = rent(decision.balance);
            return Ok(());
        };
        if self.compactor_in_use() != Compactor::Rules {
            tidied.wish = Some(Wish::Block(draft));
            return Ok(());
        }
        match self.fold_by_rules(&draft, context) {
            Ok(report) => {
                self.refused_at = None;
                tidied.folded = Some(report);
            }
            Err(SessionError::Fold(FoldRefused::Gate(_) | FoldRefused::TooLittle { .. })) => {
                self.refused_at = Some(hot);
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn tidy_settle(&mut self, tidied: &mut Tidied, context: &Context<'_>) -> Result<(), SessionError> {
        if self.configuration.settle.when_in(self.state.layout) == SettleWhen::Always {
            return Ok(());
        }
        let due = self.due_settle(context)?;
        if due.is_empty() {
            return Ok(());
        }
        let decision = self.ask_settle(&due, context);
        match decision.verdict {
            Verdict::Go(_) => tidied.settled = self.commit_settle(due, Some(decision), context)?,
            Verdict::Hold(_) => self.coming_rents.settle = rent(decision.balance),
        }
        Ok(())
    }

    /// Design 2-model, "Who writes it": the model is asked with its next step; where its delta does not come, the rules
    /// write it. Who has no `Board` tool is not asked.
    fn tidy_delta(
        &mut self,
        noticed: &Noticed,
        tidied: &mut Tidied,
        context: &Context<'_>,
    ) -> Result<(), SessionError> {
        if let Some((asked_at, note)) = self.state.delta_asked
            && self.state.steps.last().is_some_and(|step| self.index.event_of(step.assistant) > Some(note))
            && self.state.board.version() == asked_at
            && self.delta_answered != Some(note)
        {
            self.delta_answered = Some(note);
            tidied.delta = self.delta_by_rules(context)?;
        }
        let Some(cause) = noticed.delta else { return Ok(()) };
        if self.has_board_tool() {
            self.note(NoteKind::BoardRequest, "", render_board_request(cause), context)?;
            tidied.asked_for_delta = Some(cause);
        } else if tidied.delta.is_none() {
            tidied.delta = self.delta_by_rules(context)?;
        }
        Ok(())
    }

    fn has_board_tool(&self) -> bool {
        self.head().tools.iter().any(|tool| tool.name == "Board")
    }

    /// `last usage` and what came since, for the seed's archive trigger (context-engineering A6). After an edit of the view
    /// it is what the next call is expected to be billed as.
    pub(super) fn used_tokens(&self) -> u64 {
        let Some((usage, event)) = self.state.last_usage else { return self.expected_input() };
        let since = self.view().entries().iter().rev().take_while(|entry| entry.revision > event);
        let since: u64 = since.map(|entry| self.estimate(entry)).sum();
        usage.billed.prompt() + u64::from(usage.billed.output) + since
    }

    /// The seed estimates the input by its length; what else came since was counted.
    fn estimate(&self, entry: &Entry) -> u64 {
        let user = match entry.source {
            Source::Turn(turn) => self.index.event_of(turn).map(|event| self.body_of(event)),
            _ => None,
        };
        match user {
            Some(EventBody::UserTurn(user)) => {
                let bytes_per_token = self.configuration.archive.bytes_per_token.max(1) as usize;
                user.text.len().div_ceil(bytes_per_token) as u64
            }
            _ => u64::from(entry.tokens),
        }
    }
}

/// What the coming call pays for holding, in thousandths.
fn rent(balance: Option<Balance>) -> u64 {
    balance.map_or(0, |balance| (balance.saves_per_call.max(0.0) * 1_000.0) as u64)
}
