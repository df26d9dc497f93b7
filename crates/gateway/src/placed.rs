//! Which turn stands in which messages, found again in a stored session. More may have passed than was written, so the
//! trace itself says how far it came.

use std::ops::Range;

use lookback_engine::{
    Session,
    trace::{Event, EventBody, TurnNo},
};
use lookback_wire::{Body, body::Link};

use crate::conversation::{Said, Spoken, turns_from};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Placed {
    pub(crate) turn: TurnNo,
    pub(crate) messages: Range<usize>,
}

/// What a request finds of itself in a session.
#[derive(Debug)]
pub(crate) struct Found {
    /// The turns up to the newest call that was asked with a beginning of the request.
    pub(crate) placed: Vec<Placed>,
    /// So many messages.
    pub(crate) messages: usize,
    /// The turns behind that call: its answer, where the trace goes no further.
    pub(crate) behind: Behind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Behind {
    Nothing,
    Answer(TurnNo),
    /// The session went on otherwise.
    More,
}

/// None: nothing of the request is there.
pub(crate) fn find(session: &Session, body: &Body, chain: &[Link]) -> Option<Found> {
    let live = || session.trace().iter().filter(|event| session.history().is_live(event.seq));
    let begins = |event: &Event| {
        let EventBody::CallStarted { details: Some(details), .. } = &event.event else { return None };
        let link = details.chain.filter(|_| details.over.is_none())?;
        Some((event.seq, chain.iter().position(|known| *known == link.0)? + 1))
    };
    let (call, messages) = live().rev().find_map(begins)?;
    let turns = live().filter_map(|event| Some((event.seq, &event.event, turn_of(&event.event)?)));
    let (before, behind): (Vec<_>, Vec<_>) = turns.partition(|(event, ..)| *event < call);
    let behind = match behind[..] {
        [] => Behind::Nothing,
        [(_, EventBody::AssistantTurn(_), turn)] => Behind::Answer(turn),
        _ => Behind::More,
    };
    let before = before.into_iter().map(|(_, event, turn)| (event, turn));
    let placed = place(before, turns_from(body, 0).into_iter().take_while(|spoken| spoken.messages.end <= messages))?;
    Some(Found { placed, messages, behind })
}

fn place<'e>(
    turns: impl Iterator<Item = (&'e EventBody, TurnNo)>,
    spoken: impl Iterator<Item = Spoken>,
) -> Option<Vec<Placed>> {
    let mut turns = turns.peekable();
    let mut placed = Vec::new();
    for Spoken { messages, said } in spoken {
        // The results of calls that were given up are in no message, and those of calls that nobody made in no turn.
        let is_result = matches!(said, Said::Results(_));
        while !is_result && turns.next_if(|(event, _)| matches!(event, EventBody::StepEnded { .. })).is_some() {}
        match turns.next_if(|(event, _)| is_turn(&said, event)) {
            Some((_, turn)) => placed.push(Placed { turn, messages }),
            None if is_result => {}
            // An answer at the end of a request is recorded with what the model said next.
            None if turns.peek().is_none() => break,
            None => return None,
        }
    }
    let is_all = turns.all(|(event, _)| matches!(event, EventBody::StepEnded { .. }));
    (is_all && !placed.is_empty()).then_some(placed)
}

fn turn_of(event: &EventBody) -> Option<TurnNo> {
    match event {
        EventBody::UserTurn(user) => Some(user.turn),
        EventBody::AssistantTurn(answer) => Some(answer.turn),
        EventBody::StepEnded { turn, .. } => Some(*turn),
        _ => None,
    }
}

fn is_turn(said: &Said, event: &EventBody) -> bool {
    matches!(
        (said, event),
        (Said::User { .. }, EventBody::UserTurn(_))
            | (Said::Answer(_), EventBody::AssistantTurn(_))
            | (Said::Results(_), EventBody::StepEnded { .. })
    )
}
