//! The turns of the conversation as it stands: what a rollback took out is not among them.
//!
//! For whoever writes about past turns. What the view shows of them is not known here.

use super::{
    History,
    index::{ToolTurn, TurnRecord},
};
use crate::trace::{AssistantTurn, Event, EventBody, TurnNo, UserTurn, decision::TurnRange, event::GateAsked};

/// A turn with what it says; results are looked up by their step.
pub(crate) enum LiveTurn<'a> {
    User(&'a UserTurn),
    Assistant(&'a AssistantTurn),
    Tool(&'a ToolTurn),
}

impl History {
    pub(crate) fn live_turns(&self, range: TurnRange) -> impl DoubleEndedIterator<Item = (TurnNo, LiveTurn<'_>)> {
        let turns = range.first.0..range.last.0.saturating_add(1).min(self.turns());
        turns.map(TurnNo).filter_map(|turn| Some((turn, self.live_turn(turn)?)))
    }

    pub(crate) fn live_turn(&self, turn: TurnNo) -> Option<LiveTurn<'_>> {
        let record = self.index.turn(turn)?;
        match (record, self.live_body(record.begun())?) {
            (TurnRecord::User { .. }, EventBody::UserTurn(user)) => Some(LiveTurn::User(user)),
            (TurnRecord::Assistant { .. }, EventBody::AssistantTurn(assistant)) => Some(LiveTurn::Assistant(assistant)),
            (TurnRecord::Tool(step), _) => Some(LiveTurn::Tool(step)),
            _ => None,
        }
    }

    /// The question of a gate.
    pub(crate) fn gate_asked(&self, number: u32) -> Option<&GateAsked> {
        match self.body_at(self.index.gates.get((number as usize).checked_sub(1)?)?.asked)? {
            EventBody::GateAsked(gate) => Some(gate),
            _ => None,
        }
    }

    /// The live events from the first turn of a range to the first turn behind it: also what was recorded between
    /// turns.
    pub(crate) fn live_events(&self, range: TurnRange) -> impl DoubleEndedIterator<Item = &Event> {
        let begin = |turn: u32| self.index.turn(TurnNo(turn)).map(|record| record.begun().0);
        let end = range.last.0.checked_add(1).and_then(begin).unwrap_or(self.next_event().0);
        let first = begin(range.first.0).unwrap_or(end).min(end);
        let place = |event: u64| event.saturating_sub(self.first) as usize;
        self.trace[place(first)..place(end)].iter().filter(|event| self.is_live(event.seq))
    }
}
