//! `mask`: old observations become a placeholder, the newest stay, every step; `mask-batched` changes the view only every
//! so many steps, so that a cache lives in between.
//!
//! As in: SWE-agent's history processor `last_n_observations`, and "The Complexity Trap" (Lindenbauer et al. 2025), which
//! found it as good as summaries at half the cost. Batches are its `polling` ("How many steps to keep between updating the
//! number of observations to keep … Effectively, we will now keep between `n` and `n+polling` observations").
//!
//! As there: an **observation** is what one step brought back. Agents of today call tools in parallel, so all results of
//! a step are one observation here and are hidden together. Calls, answers and users' turns stay; the placeholder is
//! SWE-agent's, word for word. The task, which SWE-agent counts as the first observation and never hides, is a user's turn
//! here: `hidden_steps` counts it again, because polling depends on it.
//!
//! Its tags (`keep_output`, `remove_output`) are left out: no default configuration sets them.

use super::{
    Counter, Step, Strategy,
    made::{Results, results_of_steps},
};
use crate::{conversation::Conversation, parameters::MaskParameters};

pub(super) struct Mask<'a> {
    conversation: &'a Conversation<'a>,
    parameters: MaskParameters,
    results: Results<'a>,
}

impl<'a> Mask<'a> {
    pub(super) fn new(conversation: &'a Conversation<'a>, parameters: MaskParameters, count: Counter<'a>) -> Self {
        Self { conversation, parameters, results: Results::new(conversation, count, placeholder) }
    }

    /// How many of the oldest steps are hidden. SWE-agent: `observations[1 : len // polling * polling - n]`, the first
    /// being the task.
    fn hidden_steps(&self, steps: usize) -> usize {
        let MaskParameters { n, polling } = self.parameters;
        let observations = steps + 1;
        (observations / polling * polling).saturating_sub(n + 1)
    }
}

impl Strategy for Mask<'_> {
    fn show(&mut self, call: usize) -> Step {
        let steps = results_of_steps(self.conversation, call);
        let old: Vec<usize> = steps[..self.hidden_steps(steps.len())].iter().cloned().flatten().collect();
        let hiding = self.results.hiding(&old);
        self.results.show_all();
        self.results.hide(&old);
        let did = hiding.map(|hiding| hiding.did("mask", format!("results of {hiding} became placeholders")));
        Step { shown: self.results.shown(call), did: did.into_iter().collect(), compactor: Vec::new() }
    }
}

fn placeholder(output: &str) -> String {
    format!("Old environment output: ({} lines omitted)", output.lines().count())
}
