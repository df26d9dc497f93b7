//! Thinking that an edit of the view took away from the steps behind it.

use super::{State, entries::turn_of};
use crate::{
    history::{History, index::TurnRecord},
    trace::{AssistantPart, EventBody, EventNo, TurnNo, decision::ThinkingBehind},
    view::{
        Entry,
        visible::{part_tokens, visible_parts},
    },
};

impl State {
    /// From `place` to the end of the view; gives the first place that changed. Turns that a block or a dialogue stands for are not there; they come back as
    /// they were.
    pub(crate) fn apply_thinking(
        &mut self,
        thinking: ThinkingBehind,
        place: usize,
        event: EventNo,
        past: &History,
    ) -> Option<usize> {
        let mut first = None;
        if thinking == ThinkingBehind::Kept {
            return first;
        }
        for place in place..self.view.entries().len() {
            let entry = self.view.entries()[place];
            let thought = turn_of(&entry).filter(|_| !entry.thoughtless).and_then(|turn| thinking_tokens(turn, past));
            if let Some(thought) = thought {
                let tokens = entry.tokens.saturating_sub(thought);
                self.view.set_entry(place, Entry { revision: event, tokens, thoughtless: true, ..entry });
                first = first.or(Some(place));
            }
        }
        first
    }
}

/// None: the turn shows no thinking.
fn thinking_tokens(turn: TurnNo, past: &History) -> Option<u32> {
    let Some(TurnRecord::Assistant { event }) = past.index().turn(turn) else { return None };
    let EventBody::AssistantTurn(turn) = past.body_at(*event)? else { return None };
    let thinking = visible_parts(turn).into_iter().filter(|part| matches!(part, AssistantPart::Thinking { .. }));
    thinking.map(part_tokens).reduce(u32::saturating_add)
}
