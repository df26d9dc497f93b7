//! Settled results: the same turns, in fewer tokens.

use super::State;
use crate::{
    history::History,
    ledger::Miss,
    planner::Rent,
    trace::{EventNo, decision::Settle},
    view::Entry,
};

impl State {
    pub(crate) fn apply_settle(&mut self, settle: &Settle, event: EventNo, past: &History) -> Result<(), String> {
        let mut first = self.view.entries().len();
        for (place, result) in settle.results.iter().enumerate() {
            let calls = past.index().tool_turn(result.turn).map_or(0, |step| step.calls.len());
            let position = self
                .view
                .position(result.turn)
                .filter(|_| (result.index as usize) < calls)
                .ok_or_else(|| format!("result {} of turn {} is not in the view", result.index, result.turn))?;
            self.settled.insert((result.turn, result.index), (event, place as u32));
            let old = self.view.entries()[position];
            let rest = old.tokens.checked_sub(result.replaced_tokens);
            let rest = rest.ok_or_else(|| format!("turn {} has fewer tokens than were settled", result.turn))?;
            let tokens = rest.saturating_add(result.content.tokens);
            self.view.replace(position..position + 1, vec![Entry { revision: event, tokens, ..old }], Miss::Settle);
            first = first.min(position);
        }
        self.apply_thinking(settle.thinking, first, event, past);
        self.rents.settle = Rent::default();
        self.last_usage = None;
        Ok(())
    }
}
