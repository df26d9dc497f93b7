//! Folds in a session that another program drives: asked for when an answer was recorded, also while its step is open.

use std::collections::BTreeSet;

use super::{Session, tidy::rent};
use crate::{
    configuration::{GROWN_SINCE_REFUSED, GUEST_FOLDS},
    context::Context,
    edits::{
        draft::FoldDraft,
        fold::ask_planner,
        guest,
        walls::Walls,
        zone::{hot_tokens, hot_turns},
    },
    error::{FoldRefused, SessionError, expect_idle},
    planner::{Asked, FoldDecision},
    recorder::Book,
    report::FoldReport,
    trace::{
        CallNo, EventBody, TurnNo,
        decision::{Reach, TurnRange},
        event::{CallDetails, Rents},
        start::ClientRecall,
    },
};

/// What the gateway knows of a conversation when it asks for folds.
#[derive(Debug, Clone, Copy)]
pub struct GuestFold<'a> {
    /// The turns behind which the client's message goes on: no fold begins or ends there.
    pub joined: &'a BTreeSet<TurnNo>,
    /// Whether the client can get a detail back: only then a block says how.
    pub recall: ClientRecall,
    /// How much has to be folded.
    pub need: FoldNeed,
}

/// How much has to be folded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FoldNeed {
    /// As much as pays, when it pays: the planner is asked, as after every step of our own agent.
    WhatPays,
    /// The provider called the prompt too long: all but the newest step, whatever it costs.
    ToFit,
}

impl Session {
    /// A call of a guest's client begins: what is known of its request is in `details`.
    pub fn start_guest_call(&mut self, details: CallDetails, context: &Context<'_>) -> Result<CallNo, SessionError> {
        expect_idle(&self.history)?;
        self.open_call(Some(Box::new(details)), context)
    }

    /// A call that the client made beside the conversation, told when it was over.
    pub fn call_beside(&mut self, details: CallDetails, context: &Context<'_>) -> Result<(), SessionError> {
        let call = CallNo(self.last_call().0 + 1);
        let input_tokens = details.over.as_ref().and_then(|over| over.usage).map_or(0, |usage| usage.prompt());
        let details = Some(Box::new(CallDetails { over: Some(details.over.unwrap_or_default()), ..details }));
        let input_tokens = u32::try_from(input_tokens).unwrap_or(u32::MAX);
        self.record(EventBody::CallStarted { call, input_tokens, rents: None, cold: None, details }, context)
    }

    /// Whether a call is open.
    pub fn is_calling(&self) -> bool {
        self.history.index().open_call().is_some()
    }

    /// The turns that still count, oldest first.
    pub fn live_turns(&self) -> Vec<TurnNo> {
        let all = TurnRange { first: TurnNo(0), last: TurnNo(self.turns()) };
        self.history.live_turns(all).map(|(turn, _)| turn).collect()
    }

    /// Whether the client would soon make its own history shorter, and a fold takes enough of it away before.
    fn keeps_compaction_away(&self, fold: &FoldDecision) -> bool {
        let input = self.expected_input();
        let takes = fold.cut.map_or(0, |cut| cut.gone());
        input > self.policy.configuration.fold.guest_most && takes > input / GUEST_FOLDS
    }

    /// To be called when an answer was recorded; no call may be under way. What is folded ends before the open step, passes
    /// no turn that no text can stand for, and is one block for each stretch between two such turns. Empty: nothing is
    /// due.
    pub fn tidy_guest(
        &mut self,
        asked: &GuestFold<'_>,
        context: &Context<'_>,
    ) -> Result<Vec<FoldReport>, SessionError> {
        if !self.is_guest() {
            return Err(SessionError::NotAGuest);
        }
        if self.history.index().open_call().is_some() {
            return Err(SessionError::CallOpen);
        }
        let noticed = self.policy.watch.notice(&self.history, &self.policy.configuration);
        self.policy.coming_rents = Rents::default();
        let hot = hot_tokens(&self.state.view);
        let tried = self.policy.refused_at.is_some_and(|refused| hot < refused + refused / GROWN_SINCE_REFUSED);
        let walls = Walls::new(&self.history, hot_turns(self.bench()).next(), asked.joined);
        let ask = |question, offered| ask_planner(self.desk(), question, offered, &walls, context);
        let decision = match (asked.need, noticed.proposal) {
            (FoldNeed::ToFit, _) => ask(Asked::Window, None),
            (FoldNeed::WhatPays, _) if tried => return Ok(Vec::new()),
            (FoldNeed::WhatPays, proposal) => {
                let ordered = Some(ask(Asked::Order, None)).filter(|fold| self.keeps_compaction_away(fold));
                ordered.unwrap_or_else(|| match proposal {
                    Some(proposal) => ask(Asked::Trigger(proposal.trigger), Some(proposal.end)),
                    None => ask(Asked::Step, None),
                })
            }
        };
        let drafts = guest::drafts_of(self.desk(), &decision, &walls);
        if drafts.is_empty() {
            self.policy.coming_rents.fold = rent(decision.balance);
            return Ok(Vec::new());
        }
        self.record_settings(context)?;
        let mut reports = Vec::new();
        for draft in &drafts {
            match guest::plan_guest_fold(self.desk(), draft, asked.recall, context) {
                Ok(planned) => {
                    self.record(EventBody::Fold(Box::new(planned.fold)), context)?;
                    reports.push(planned.report);
                }
                Err(SessionError::Fold(FoldRefused::Admission(_) | FoldRefused::TooLittle { .. })) => {}
                Err(error) => return Err(error),
            }
        }
        self.policy.refused_at = reports.is_empty().then_some(hot);
        Ok(reports)
    }

    /// A block that stands for these turns already, in a conversation that this one goes on from: what is folded from now on
    /// is folded behind it. Nothing happens where they are folded, or where no block can stand for them.
    pub fn stand_guest(
        &mut self,
        range: TurnRange,
        recall: ClientRecall,
        context: &Context<'_>,
    ) -> Result<(), SessionError> {
        let is_raw = self.state.view.position(range.first).is_some() && self.state.view.position(range.last).is_some();
        if !is_raw || self.history.index().open_call().is_some() {
            return Ok(());
        }
        let first_hot = hot_turns(self.bench()).next();
        let reach = if Some(range.first) == first_hot { Reach::FromSeam } else { Reach::Alone };
        let trigger = "it stands already".to_owned();
        let draft = FoldDraft { range, reach, budget: 0, focus: None, trigger, decision: None };
        self.record_settings(context)?;
        match guest::plan_guest_fold(self.desk(), &draft, recall, context) {
            Ok(planned) => self.record(EventBody::Fold(Box::new(planned.fold)), context),
            Err(SessionError::Fold(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// The block that stands for these turns of a guest's conversation whenever they are folded. They are whole steps, and
    /// none of them is one that stays. Nothing changes.
    pub fn guest_block(
        &self,
        range: TurnRange,
        recall: ClientRecall,
        context: &Context<'_>,
    ) -> Result<String, SessionError> {
        Ok(guest::write(self.desk(), range, recall, context)?.content.text)
    }
}
