//! Folds in a session that another program drives: asked for when an answer was recorded, also while its step is open.

use std::collections::BTreeSet;

use super::{Session, tidy::rent};
use crate::{
    configuration::GROWN_SINCE_REFUSED,
    context::Context,
    edits::{
        fold::ask_planner,
        guest,
        walls::Walls,
        zone::{hot_tokens, hot_turns},
    },
    error::{FoldRefused, SessionError},
    planner::Asked,
    recorder::Book,
    report::FoldReport,
    trace::{EventBody, TurnNo, decision::TurnRange, event::Rents, start::ClientRecall},
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
        let (question, offered) = match (asked.need, noticed.proposal) {
            (FoldNeed::ToFit, _) => (Asked::Window, None),
            (FoldNeed::WhatPays, _) if tried => return Ok(Vec::new()),
            (FoldNeed::WhatPays, Some(proposal)) => (Asked::Trigger(proposal.trigger), Some(proposal.end)),
            (FoldNeed::WhatPays, None) => (Asked::Step, None),
        };
        let walls = Walls::new(&self.history, hot_turns(self.bench()).next(), asked.joined);
        let decision = ask_planner(self.desk(), question, offered, &walls, context);
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
