//! The window is law: what is done, and in which order, before a prompt that does not fit is refused.

use crate::{
    configuration::SettleWhen,
    planner::{Asked, Verdict},
    session::{Context, FoldRefused, Session, SessionError, WindowExceeded},
    trace::decision::TurnRange,
};

use super::fold::FoldDraft;

impl Session {
    /// How many tokens a prompt may have.
    pub fn input_limit(&self) -> u32 {
        let (window, reserve) = (self.state.model.window, self.state.model.reserve);
        window - reserve.min(window)
    }

    /// Whether a view of so many counted tokens fits. What the provider bills beyond our count is allowed for; what it
    /// bills less is not relied on, not even where its last usage says so: the servers that cut a prompt without a word
    /// are the ones that report what they evaluated instead of what they were sent.
    pub(super) fn fits(&self, tokens: u64) -> bool {
        self.room.is_none_or(|room| tokens <= room) && self.at_most(tokens) <= u64::from(self.input_limit())
    }

    /// The size of a view by which the window is kept.
    fn at_most(&self, tokens: u64) -> u64 {
        self.state.reconciled.estimate(tokens).max(tokens)
    }

    /// Nothing is sent that does not fit with its answer.
    pub fn check_window(&self) -> Result<(), WindowExceeded> {
        let input = self.view().tokens();
        if self.fits(input) {
            return Ok(());
        }
        let (window, reserve) = (self.state.model.window, self.state.model.reserve);
        let entries = self.view().entries();
        let newest = match self.state.steps.last().and_then(|step| self.view().position(step.assistant)) {
            Some(position) => &entries[position..],
            None => entries,
        };
        let newest = newest.iter().map(|entry| u64::from(entry.tokens)).sum();
        let (limit, head) = (self.input_limit(), self.view().head().tokens());
        Err(WindowExceeded { input, limit, window, reserve, head, newest, expected: self.at_most(input) })
    }

    /// Design 2-model, "The window is law": settle; fold to the newest step; archive rounds, then steps; fold to the end
    /// of what the model has seen. Each only if what came before it did not suffice.
    pub(super) fn make_it_fit(&mut self, context: &Context<'_>) -> Result<(), SessionError> {
        if self.fits(self.view().tokens()) {
            return Ok(());
        }
        let due = self.due_settle(context)?;
        self.commit_settle(due, None, context)?;
        if !self.fits(self.view().tokens()) {
            self.fold_for_window(context)?;
        }
        if !self.fits(self.view().tokens()) {
            self.archive_for_window(context)?;
        }
        if !self.fits(self.view().tokens()) {
            self.fold_all_that_was_seen(context)?;
        }
        Ok(())
    }

    /// `always` (seed context-engineering A2): before the next round's first call.
    pub(super) fn settle_always(&mut self, context: &Context<'_>) -> Result<(), SessionError> {
        if self.configuration.settle.when_in(self.state.layout) == SettleWhen::Always {
            let due = self.due_settle(context)?;
            self.commit_settle(due, None, context)?;
        }
        Ok(())
    }

    fn fold_for_window(&mut self, context: &Context<'_>) -> Result<(), SessionError> {
        let decision = self.ask_planner(Asked::Window, None, context);
        debug_assert!(!matches!(decision.verdict, Verdict::Go(_)) || decision.cut.is_some());
        match self.draft_of(&decision, None) {
            Some(draft) => self.try_fold(&draft, context),
            None => Ok(()),
        }
    }

    /// A result that the model has not seen stays.
    fn fold_all_that_was_seen(&mut self, context: &Context<'_>) -> Result<(), SessionError> {
        let unseen = self.unseen_results();
        let cuts = self.cuts(None);
        let Some(cut) = cuts.iter().rev().find(|cut| Some(cut.end) != unseen) else { return Ok(()) };
        let Some(first) = self.hot_turns().next() else { return Ok(()) };
        let draft = FoldDraft {
            range: TurnRange { first, last: cut.end },
            reach: Default::default(),
            budget: self.configuration.fold.block_least as u32,
            focus: None,
            trigger: "window".into(),
            decision: None,
        };
        self.try_fold(&draft, context)
    }

    /// A fold that is refused leaves the view as it was; the next means may help.
    fn try_fold(&mut self, draft: &FoldDraft, context: &Context<'_>) -> Result<(), SessionError> {
        match self.fold_by_rules(draft, context) {
            Ok(_) | Err(SessionError::Fold(FoldRefused::Gate(_) | FoldRefused::TooLittle { .. })) => Ok(()),
            Err(error) => Err(error),
        }
    }
}
