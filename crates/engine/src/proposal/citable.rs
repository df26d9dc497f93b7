//! The pointers that a block may cite: what was said, run and seen in its range.
//!
//! They become an enumeration in a schema, so there is a limit to their number; the newest are the likeliest to be cited.

use crate::{
    configuration::written::CITABLE,
    evidence::pointer::{LineRange, Place, Pointer},
    history::History,
    trace::{EventBody, ResultData, decision::TurnRange},
};

/// In the order of the trace; of one place once.
pub fn citable(history: &History, range: TurnRange) -> Vec<Pointer> {
    let mut places = Vec::new();
    for event in history.live_events(range).rev() {
        for place in places_of(history, &event.event).into_iter().rev() {
            if places.len() < CITABLE && !places.contains(&place) {
                places.push(place);
            }
        }
    }
    places.into_iter().rev().map(|place| Pointer { session: None, place }).collect()
}

fn places_of(history: &History, event: &EventBody) -> Vec<Place> {
    match event {
        EventBody::UserTurn(turn) => turn.user.map(Place::User).into_iter().collect(),
        EventBody::ToolResult { turn, index, result } => {
            let ResultData::Run(run) = &result.data else { return Vec::new() };
            let command = history.index().tool_turn(*turn).and_then(|step| step.calls.get(*index as usize)?.command);
            command.map(|number| Place::Cmd { number, exit: run.exit_code }).into_iter().collect()
        }
        EventBody::StepEnded { shown, .. } => {
            shown.iter().filter_map(|shown| Some(Place::Test { number: shown.test?, failed: None })).collect()
        }
        EventBody::FileObserved(seen) if seen.line_count > 0 => {
            let last = seen.first_line.saturating_add(seen.line_count - 1);
            let lines = Some(LineRange { first: seen.first_line, last });
            vec![Place::File { path: seen.path.clone(), lines, at: None }]
        }
        body => body.decided_gate().map(|(number, _)| Place::Gate(number)).into_iter().collect(),
    }
}
