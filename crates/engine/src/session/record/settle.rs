//! Recording a settle: the tool results of ended rounds in their short forms.

use serde_json::Value;

use crate::{
    planner::{SettleDecision, SettleQuestion, plan_settle},
    report::SettleReport,
    session::{Context, Session, SessionError, state::RoundState},
    settle::{Settled, plan_settle as plan_short_form},
    trace::{
        EventBody, TurnNo,
        decision::{Settle, SettledResult},
        event::Shown,
        start::Counted,
    },
    view::Source,
};

/// The due results and what settling them means for the view.
pub(super) struct DueSettle {
    results: Vec<DueResult>,
    /// Tokens of everything else behind the first of them.
    follows: u64,
}

/// One of them, by its sizes; its text waits among the short forms.
#[derive(Clone, Copy)]
struct DueResult {
    turn: TurnNo,
    index: u32,
    raw: u32,
    short: u32,
}

impl DueSettle {
    pub(super) fn is_empty(&self) -> bool {
        self.results.is_empty()
    }

    fn raw(&self) -> u64 {
        self.results.iter().map(|result| u64::from(result.raw)).sum()
    }

    fn short(&self) -> u64 {
        self.results.iter().map(|result| u64::from(result.short)).sum()
    }
}

impl Session {
    /// Gives the results of all ended rounds behind the seam their short forms, whatever it costs.
    pub fn settle(&mut self, context: &Context<'_>) -> Result<Option<SettleReport>, SessionError> {
        self.expect_idle()?;
        let due = self.due_settle(context)?;
        self.commit_settle(due, None, context)
    }

    /// The results at or after the seam that belong to ended rounds, as far as their short forms are shorter.
    pub(super) fn due_settle(&mut self, context: &Context<'_>) -> Result<DueSettle, SessionError> {
        let running = self.state.rounds.last().filter(|round| round.state == RoundState::Running);
        let end = running.map_or(TurnNo(u32::MAX), |round| round.first);
        // A person may type before the model has seen the newest results.
        let unseen = self.unseen_results();
        let entries = &self.view().entries()[self.view().seam()..];
        let due: Vec<TurnNo> = entries
            .iter()
            .filter_map(|entry| match entry.source {
                Source::Turn(turn) if turn < end && Some(turn) != unseen => Some(turn),
                _ => None,
            })
            .collect();
        let behind_first = |turn: TurnNo| {
            let behind = entries.iter().skip_while(|entry| entry.source != Source::Turn(turn));
            behind.map(|entry| u64::from(entry.tokens)).sum::<u64>()
        };
        let mut results = Vec::new();
        for turn in due {
            self.collect_short_forms(turn, &mut results, context)?;
        }
        let all = results.first().map_or(0, |first: &DueResult| behind_first(first.turn));
        let mut due = DueSettle { results, follows: 0 };
        due.follows = all.saturating_sub(due.raw());
        Ok(due)
    }

    /// Of one tool turn. A short form is made once and remembered: the planner asks after every step.
    fn collect_short_forms(
        &self,
        turn: TurnNo,
        results: &mut Vec<DueResult>,
        context: &Context<'_>,
    ) -> Result<(), SessionError> {
        let Some(step) = self.index.tool_turn(turn) else { return Ok(()) };
        let shown: &[Shown] = match step.ended().map(|event| self.body_of(event)) {
            Some(EventBody::StepEnded { shown, .. }) => shown,
            _ => return Ok(()),
        };
        for (index, shown) in shown.iter().enumerate() {
            let key = (turn, index as u32);
            if self.state.settled.contains_key(&key) {
                continue;
            }
            let known = self.short_forms.borrow().get(&key).map(|form| form.as_ref().map(|form| form.tokens));
            let short = match known {
                Some(short) => short,
                None => {
                    let Some((_, result)) = self.result_of(step, index) else { continue };
                    let limits = &self.configuration.settle;
                    let form = match plan_short_form(result, shown.tokens, limits, context.count, context.blobs)? {
                        Settled::Shorter(text) => Some(context.counted(text)),
                        Settled::AsItIs => None,
                    };
                    let short = form.as_ref().map(|form| form.tokens);
                    self.short_forms.borrow_mut().insert(key, form);
                    short
                }
            };
            results.extend(short.map(|short| DueResult { turn, index: index as u32, raw: shown.tokens, short }));
        }
        Ok(())
    }

    pub(super) fn ask_settle(&self, due: &DueSettle, context: &Context<'_>) -> SettleDecision {
        let question = SettleQuestion {
            raw: due.raw(),
            short: due.short(),
            follows: due.follows,
            rent: self.state.rents.settle,
            warmth: self.warmth(context.now),
        };
        plan_settle(&question, self.tariff().as_ref())
    }

    pub(super) fn commit_settle(
        &mut self,
        due: DueSettle,
        decision: Option<SettleDecision>,
        context: &Context<'_>,
    ) -> Result<Option<SettleReport>, SessionError> {
        if due.is_empty() {
            return Ok(None);
        }
        let report = SettleReport { results: due.results.len(), raw: due.raw(), short: due.short() };
        let mut forms = self.short_forms.borrow_mut();
        let settled = due.results.into_iter().filter_map(|DueResult { turn, index, raw, .. }| {
            let content = forms.remove(&(turn, index)).flatten()?;
            Some(SettledResult { turn, index, content, replaced_tokens: raw })
        });
        let results = settled.collect();
        drop(forms);
        let settle = Settle {
            results,
            thinking: self.thinking_behind(),
            decision: decision.map_or(Value::Null, |decision| serde_json::json!(decision)),
        };
        self.record(EventBody::Settle(Box::new(settle)), context)?;
        Ok(Some(report))
    }
}

/// Short forms by turn and place; none where the result is short already.
pub(in crate::session) type ShortForms = std::collections::BTreeMap<(TurnNo, u32), Option<Counted>>;
