//! `clear-tools`: above a threshold old tool results are cleared, the newest three stay.
//!
//! As in: Anthropic's context editing, `clear_tool_uses_20250919` (Claude API, "Context editing"), with
//! `clear_tool_inputs` false (calls stay). `anthropic-clear` is the same without `clear_at_least`, which has no default.
//!
//! As there: at the trigger the oldest results are cleared in order, all but the kept ones; a tool use is one call with its
//! result, not a step; where less than `clear_at_least` could be cleared, nothing is. What was cleared stays cleared
//! ("subsequent requests can reuse the newly cached prefix"), and input tokens are counted with it cleared. The words of
//! the placeholder are not documented; these are a guess of about their length.

use super::{
    Counter, Step, Strategy,
    made::{Results, results_of_steps},
};
use crate::{conversation::Conversation, parameters::ClearParameters, shown::Did};

pub(super) const PLACEHOLDER: &str = "[Old tool result content cleared]";

pub(super) struct ClearTools<'a> {
    conversation: &'a Conversation<'a>,
    parameters: ClearParameters,
    results: Results<'a>,
}

impl<'a> ClearTools<'a> {
    pub(super) fn new(conversation: &'a Conversation<'a>, parameters: ClearParameters, count: Counter<'a>) -> Self {
        Self { conversation, parameters, results: Results::new(conversation, count, |_| PLACEHOLDER.to_owned()) }
    }

    /// Clears all but the kept results, if the prompt asks for it and it is worth it.
    fn clear(&mut self, call: usize) -> Option<Did> {
        let input = u64::from(self.conversation.scale.base) + self.results.shown(call).tokens(self.conversation);
        if input <= self.parameters.trigger {
            return None;
        }
        let uses: Vec<usize> = results_of_steps(self.conversation, call).into_iter().flatten().collect();
        let old = &uses[..uses.len().saturating_sub(self.parameters.keep)];
        let hiding = self.results.hiding(old)?;
        if hiding.before < hiding.after + self.parameters.clear_at_least {
            return None;
        }
        self.results.hide(old);
        Some(hiding.did("clear", format!("results of {hiding} were cleared at {input} tokens")))
    }
}

impl Strategy for ClearTools<'_> {
    fn show(&mut self, call: usize) -> Step {
        let did = self.clear(call).into_iter().collect();
        Step { shown: self.results.shown(call), did, compactor: Vec::new() }
    }
}
