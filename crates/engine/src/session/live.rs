//! The turns of the conversation as it stands: what a rollback took out is not among them.
//!
//! For whoever writes about past turns. What the view shows of them is not known here.

use super::{
    Session,
    index::{ToolTurn, TurnRecord},
};
use crate::trace::{AssistantTurn, Event, EventBody, EventNo, TurnNo, UserTurn, decision::TurnRange, event::GateAsked};

pub(crate) enum LiveTurn<'a> {
    User(&'a UserTurn),
    Assistant(&'a AssistantTurn),
    Tool(&'a ToolTurn),
}

impl Session {
    pub(crate) fn live_turns(&self, range: TurnRange) -> impl Iterator<Item = (TurnNo, LiveTurn<'_>)> {
        let turns = range.first.0..=range.last.0.min(self.turns());
        turns.map(TurnNo).filter_map(|turn| Some((turn, self.live_turn(turn)?)))
    }

    pub(crate) fn live_turn(&self, turn: TurnNo) -> Option<LiveTurn<'_>> {
        let record = self.index.turn(turn)?;
        let event = begun(record);
        if !self.is_live(event) {
            return None;
        }
        match (record, self.body_of(event)) {
            (TurnRecord::User { .. }, EventBody::UserTurn(user)) => Some(LiveTurn::User(user)),
            (TurnRecord::Assistant { .. }, EventBody::AssistantTurn(assistant)) => Some(LiveTurn::Assistant(assistant)),
            (TurnRecord::Tool(step), _) => Some(LiveTurn::Tool(step)),
            _ => None,
        }
    }

    /// The question of a gate.
    pub(crate) fn gate_asked(&self, number: u32) -> Option<&GateAsked> {
        match self.body_of(self.index.gates.get((number as usize).checked_sub(1)?)?.asked) {
            EventBody::GateAsked(gate) => Some(gate),
            _ => None,
        }
    }

    /// The live events from the first turn of a range to the first turn behind it: also what was recorded between
    /// turns.
    pub(crate) fn live_events(&self, range: TurnRange) -> impl DoubleEndedIterator<Item = &Event> {
        let begin = |turn: u32| self.index.turn(TurnNo(turn)).map(|record| begun(record).0 as usize);
        let end = range.last.0.checked_add(1).and_then(begin).unwrap_or(self.trace.len());
        let first = begin(range.first.0).unwrap_or(end).min(end);
        self.trace[first..end].iter().filter(|event| self.is_live(event.seq))
    }
}

/// The event that began a turn; of results, the one that asked for them.
fn begun(record: &TurnRecord) -> EventNo {
    match record {
        TurnRecord::User { event } | TurnRecord::Assistant { event } => *event,
        TurnRecord::Tool(step) => step.assistant,
    }
}
