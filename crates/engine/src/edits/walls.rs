//! Where a fold of a guest's turns may not pass: turns that no text can stand for, and messages of the client that go on
//! (docs/design/model.md, "Guests").
//!
//! The session of our own agent has no walls.

use std::{collections::BTreeSet, ops::Bound::Excluded};

use crate::{
    history::{History, LiveTurn, index::ToolTurn},
    trace::{AssistantPart, Origin, ToolResult, TurnNo, decision::TurnRange},
};

/// Of the turns from the seam on.
#[derive(Debug, Default)]
pub(crate) struct Walls {
    /// These stay as they are.
    barred: BTreeSet<TurnNo>,
    /// Nothing may end with these: the same message, or the same step, goes on behind them.
    bound: BTreeSet<TurnNo>,
}

impl Walls {
    /// From `first` on. `joined` are the turns behind which the client's message goes on.
    pub(crate) fn new(history: &History, first: Option<TurnNo>, joined: &BTreeSet<TurnNo>) -> Self {
        let mut walls = Self::default();
        let Some(first) = first else { return walls };
        // What stands or falls together: a step, and what the client sent in one message.
        let mut group = Vec::new();
        let mut is_barred = false;
        let head = end_of_head(history);
        // Not only what the view shows: an answer that says nothing we know is not there, and is sent all the same.
        for (turn, live) in history.live_turns(TurnRange { first, last: TurnNo(u32::MAX) }) {
            is_barred |= turn < head || has_no_reading(history, &live);
            group.push(turn);
            let calls = history.index().tool_turn(TurnNo(turn.0 + 1));
            let goes_on = calls.is_some_and(|step| history.index().event_of(turn) == Some(step.assistant));
            if goes_on || joined.contains(&turn) {
                walls.bound.insert(turn);
                continue;
            }
            if std::mem::take(&mut is_barred) {
                walls.barred.extend(&group);
            }
            group.clear();
        }
        // The newest message may still go on.
        walls.barred.extend(&group);
        walls
    }

    pub(crate) fn bars(&self, turn: TurnNo) -> bool {
        self.barred.contains(&turn)
    }

    /// Whether one of them stands between two turns: the view need not show it.
    pub(crate) fn part(&self, one: TurnNo, other: TurnNo) -> bool {
        one < other && self.barred.range((Excluded(one), Excluded(other))).next().is_some()
    }

    /// Whether a fold may end with a turn.
    pub(crate) fn lets_end(&self, turn: TurnNo) -> bool {
        !self.barred.contains(&turn) && !self.bound.contains(&turn)
    }
}

/// The first turn behind what the client puts first: machine-made turns before anybody said anything.
fn end_of_head(history: &History) -> TurnNo {
    let all = TurnRange { first: TurnNo(0), last: TurnNo(u32::MAX) };
    let said = history
        .live_turns(all)
        .find(|(_, live)| !matches!(live, LiveTurn::User(user) if user.origin == Origin::Machine));
    said.map_or(TurnNo(u32::MAX), |(turn, _)| turn)
}

fn has_no_reading(history: &History, live: &LiveTurn<'_>) -> bool {
    match live {
        LiveTurn::User(user) => user.as_came.as_ref().is_some_and(|as_came| as_came.has_more_than_text()),
        LiveTurn::Assistant(turn) => turn.parts.iter().any(|part| matches!(part, AssistantPart::Unknown { .. })),
        LiveTurn::Tool(step) => results(history, step)
            .any(|result| result.as_came.as_ref().is_some_and(|as_came| as_came.has_more_than_text())),
    }
}

fn results<'a>(history: &'a History, step: &'a ToolTurn) -> impl Iterator<Item = &'a ToolResult> {
    (0..step.calls.len()).filter_map(|index| history.result_at(step, index))
}
