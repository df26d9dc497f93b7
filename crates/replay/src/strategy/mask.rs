//! `mask`: old observations become a placeholder, the newest stay, every step.
//!
//! As in: SWE-agent's history processor `last_n_observations` (`sweagent/agent/history_processors.py`), and "The
//! Complexity Trap" (Lindenbauer et al. 2025), which found it as good as summaries at half the cost with a window of the
//! latest **10** turns. `n` = 10 is that paper's; SWE-agent's own first configuration had 5.
//!
//! As there: an **observation** is what one step brought back. Agents of today call tools in parallel, so all results of
//! a step are one observation here and are hidden together. Calls, answers and users' turns stay; the placeholder is
//! SWE-agent's, word for word. The task, which SWE-agent counts as the first observation and never hides, is a user's turn
//! here: `hidden_steps` counts it again, because polling (see [`super::mask_batched`]) depends on it.
//!
//! Its tags (`keep_output`, `remove_output`) are left out: no default configuration sets them.

use super::{
    Counter, Did, Step, Strategy,
    made::Placeholders,
    turns::{TurnNote, steps},
};
use crate::{
    conversation::Conversation,
    shown::{Part, Shown},
};

/// SWE-agent's names: `n` and `polling`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MaskParameters {
    /// Observations that stay.
    pub n: usize,
    /// Steps between two changes; 1: every step.
    pub polling: usize,
}

impl Default for MaskParameters {
    fn default() -> Self {
        Self { n: 10, polling: 1 }
    }
}

#[derive(Debug)]
pub(super) struct Mask<'a> {
    conversation: &'a Conversation<'a>,
    parameters: MaskParameters,
    placeholders: Placeholders<'a>,
    /// By piece: hidden in the view before.
    hidden: Vec<bool>,
}

impl<'a> Mask<'a> {
    pub(super) fn new(conversation: &'a Conversation<'a>, parameters: MaskParameters, count: Counter<'a>) -> Self {
        let placeholders = Placeholders::new(conversation, count);
        Self { conversation, parameters, placeholders, hidden: vec![false; conversation.pieces.len()] }
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
        let conversation = self.conversation;
        let steps = steps(conversation, call);
        let masked = self.hidden_steps(steps.len());
        let mut hide = vec![false; conversation.pieces.len()];
        steps[..masked].iter().cloned().flatten().for_each(|result| hide[result] = true);

        let (mut parts, mut stable) = (Vec::new(), None);
        let mut note = TurnNote::default();
        for piece in conversation.before(call) {
            if !hide[piece] {
                if conversation.pieces[piece].is_result() {
                    stable.get_or_insert(parts.len());
                }
                parts.push(Part::Raw(piece));
                continue;
            }
            let text = || placeholder(&conversation.pieces[piece].text);
            let part = self.placeholders.part(piece, text);
            if !self.hidden[piece] {
                note.add(&conversation.pieces[piece], part.tokens(conversation));
            }
            parts.push(part);
        }
        self.hidden = hide;
        let stable = stable.unwrap_or(parts.len());
        let did = note.is_some().then(|| Did {
            what: "mask",
            before_tokens: note.before_tokens,
            after_tokens: note.after_tokens,
            note: format!("results of {note} became placeholders"),
        });
        Step { shown: Shown { parts, stable }, did: did.into_iter().collect(), compactor: Vec::new() }
    }
}

fn placeholder(output: &str) -> String {
    format!("Old environment output: ({} lines omitted)", output.lines().count())
}
