//! `clear-tools`: above a threshold old tool results are cleared, the newest three stay.
//!
//! As in: Anthropic's context editing, `clear_tool_uses_20250919` (Claude API, "Context editing"). Its defaults: `trigger`
//! 100,000 input tokens, `keep` 3 tool uses, `clear_tool_inputs` false (calls stay). `clear_at_least` has no default; the
//! guide asks for one where prompts are cached, so that a broken cache is worth it: **20,000** here.
//!
//! As there: at the trigger the oldest results are cleared in order, all but the kept ones; a tool use is one call with its
//! result, not a step; where less than `clear_at_least` could be cleared, nothing is. What was cleared stays cleared
//! ("subsequent requests can reuse the newly cached prefix"), and input tokens are counted with it cleared. The words of
//! the placeholder are not documented; these are a guess of about their length.

use super::{
    Counter, Did, Step, Strategy,
    made::Placeholders,
    turns::{TurnNote, steps},
};
use crate::{
    conversation::Conversation,
    shown::{Part, Shown},
};

pub(super) const PLACEHOLDER: &str = "[Old tool result content cleared]";

/// The API's names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ClearParameters {
    /// Input tokens, base included, above which results are cleared.
    pub trigger: u64,
    /// Tool uses that stay.
    pub keep: usize,
    /// Tokens.
    pub clear_at_least: u64,
}

impl Default for ClearParameters {
    fn default() -> Self {
        Self { trigger: 100_000, keep: 3, clear_at_least: 20_000 }
    }
}

#[derive(Debug)]
pub(super) struct ClearTools<'a> {
    conversation: &'a Conversation<'a>,
    parameters: ClearParameters,
    placeholders: Placeholders<'a>,
    /// By piece.
    cleared: Vec<bool>,
}

impl<'a> ClearTools<'a> {
    pub(super) fn new(conversation: &'a Conversation<'a>, parameters: ClearParameters, count: Counter<'a>) -> Self {
        let placeholders = Placeholders::new(conversation, count);
        Self { conversation, parameters, placeholders, cleared: vec![false; conversation.pieces.len()] }
    }

    /// Clears all but the kept results, if the prompt asks for it and it is worth it.
    fn clear(&mut self, call: usize) -> Option<Did> {
        let conversation = self.conversation;
        let shown = conversation.before(call).map(|piece| u64::from(self.part(piece).tokens(conversation)));
        let input = u64::from(conversation.scale.base) + shown.sum::<u64>();
        if input <= self.parameters.trigger {
            return None;
        }
        let uses: Vec<usize> = steps(conversation, call).into_iter().flatten().collect();
        let old = &uses[..uses.len().saturating_sub(self.parameters.keep)];
        let mut note = TurnNote::default();
        for result in old.iter().copied().filter(|result| !self.cleared[*result]) {
            let after = self.placeholders.of(result, || PLACEHOLDER.into()).tokens;
            note.add(&conversation.pieces[result], after);
        }
        if !note.is_some() || note.before_tokens < note.after_tokens + self.parameters.clear_at_least {
            return None;
        }
        old.iter().for_each(|result| self.cleared[*result] = true);
        Some(Did {
            what: "clear",
            before_tokens: note.before_tokens,
            after_tokens: note.after_tokens,
            note: format!("results of {note} were cleared at {input} tokens"),
        })
    }

    fn part(&mut self, piece: usize) -> Part {
        match self.cleared[piece] {
            true => self.placeholders.part(piece, || PLACEHOLDER.into()),
            false => Part::Raw(piece),
        }
    }
}

impl Strategy for ClearTools<'_> {
    fn show(&mut self, call: usize) -> Step {
        let conversation = self.conversation;
        let did = self.clear(call);
        let parts: Vec<Part> = conversation.before(call).map(|piece| self.part(piece)).collect();
        let may_change = |part: &Part| matches!(part, Part::Raw(piece) if conversation.pieces[*piece].is_result());
        let stable = parts.iter().position(may_change).unwrap_or(parts.len());
        Step { shown: Shown { parts, stable }, did: did.into_iter().collect(), compactor: Vec::new() }
    }
}
