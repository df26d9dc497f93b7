//! A settle: the tool results of ended rounds in their short forms.

use serde_json::Value;

use super::{Desk, zone::unseen_results};
use crate::{
    context::Context,
    error::SessionError,
    planner::{SettleDecision, SettleQuestion, plan_settle},
    report::SettleReport,
    settle::{Settled, plan_settle as plan_short_form},
    state::RoundState,
    trace::{
        EventBody, TurnNo,
        decision::{Settle, SettledResult},
        event::Shown,
    },
    view::Source,
};

/// The due results and what settling them means for the view.
pub(crate) struct DueSettle {
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
    pub(crate) fn is_empty(&self) -> bool {
        self.results.is_empty()
    }

    fn raw(&self) -> u64 {
        self.results.iter().map(|result| u64::from(result.raw)).sum()
    }

    fn short(&self) -> u64 {
        self.results.iter().map(|result| u64::from(result.short)).sum()
    }
}

/// The results at or after the seam that belong to ended rounds, as far as their short forms are shorter.
pub(crate) fn due_settle(desk: Desk<'_>, context: &Context<'_>) -> Result<DueSettle, SessionError> {
    let running = desk.state.rounds.last().filter(|round| round.state == RoundState::Running);
    let end = running.map_or(TurnNo(u32::MAX), |round| round.first);
    // A person may type before the model has seen the newest results.
    let unseen = unseen_results(desk);
    let entries = &desk.state.view.entries()[desk.state.view.seam()..];
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
        collect_short_forms(desk, turn, &mut results, context)?;
    }
    let all = results.first().map_or(0, |first: &DueResult| behind_first(first.turn));
    let mut due = DueSettle { results, follows: 0 };
    due.follows = all.saturating_sub(due.raw());
    Ok(due)
}

/// Of one tool turn. A short form is made once and remembered: the planner asks after every step.
fn collect_short_forms(
    desk: Desk<'_>,
    turn: TurnNo,
    results: &mut Vec<DueResult>,
    context: &Context<'_>,
) -> Result<(), SessionError> {
    let Some(step) = desk.history.index().tool_turn(turn) else { return Ok(()) };
    let shown: &[Shown] = match step.ended().map(|event| desk.history.body_of(event)) {
        Some(EventBody::StepEnded { shown, .. }) => shown,
        _ => return Ok(()),
    };
    for (index, shown) in shown.iter().enumerate() {
        let key = (turn, index as u32);
        if desk.state.settled.contains_key(&key) {
            continue;
        }
        let known = desk.policy.short_forms.borrow().get(&key).map(|form| form.as_ref().map(|form| form.tokens));
        let short = match known {
            Some(short) => short,
            None => {
                let Some(result) = desk.history.result_at(step, index) else { continue };
                let limits = &desk.policy.configuration.settle;
                let pointer = desk.history.result_pointer(turn, index);
                let form = match plan_short_form(result, &pointer, shown.tokens, limits, context.count, context.blobs)?
                {
                    Settled::Shorter(text) => Some(context.counted(text)),
                    Settled::AsItIs => None,
                };
                let short = form.as_ref().map(|form| form.tokens);
                desk.policy.short_forms.borrow_mut().insert(key, form);
                short
            }
        };
        results.extend(short.map(|short| DueResult { turn, index: index as u32, raw: shown.tokens, short }));
    }
    Ok(())
}

pub(crate) fn ask_settle(desk: Desk<'_>, due: &DueSettle, context: &Context<'_>) -> SettleDecision {
    let question = SettleQuestion {
        raw: due.raw(),
        short: due.short(),
        follows: due.follows,
        rent: desk.state.rents.settle,
        warmth: desk.warmth(context.now),
    };
    plan_settle(&question, desk.tariff().as_ref())
}

/// The settle of all that is due, and what to say of it; none where nothing is.
pub(crate) fn settle_due(
    desk: Desk<'_>,
    due: DueSettle,
    decision: Option<SettleDecision>,
) -> Option<(Settle, SettleReport)> {
    if due.is_empty() {
        return None;
    }
    let report = SettleReport { results: due.results.len(), raw: due.raw(), short: due.short() };
    let mut forms = desk.policy.short_forms.borrow_mut();
    let settled = due.results.into_iter().filter_map(|DueResult { turn, index, raw, .. }| {
        let content = forms.remove(&(turn, index)).flatten()?;
        Some(SettledResult { turn, index, content, replaced_tokens: raw })
    });
    let settle = Settle {
        results: settled.collect(),
        thinking: desk.thinking_behind(),
        decision: decision.map_or(Value::Null, |decision| serde_json::json!(decision)),
    };
    Some((settle, report))
}
