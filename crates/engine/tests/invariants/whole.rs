//! Invariant 4, Whole: folds cut at steps; archives at rounds, unless the window forces steps of the running round.

use lookback_engine::{
    Session,
    session::{RoundState, Step},
    trace::{AssistantPart, Event, EventBody, TurnNo, decision::TurnRange},
};
use lookback_wire::is_blank;
use proptest::prelude::*;

use crate::{
    cases,
    driver::{Nothing, play},
    operations::{sessions, settings},
    walk::{Law, walk},
};

pub(crate) struct Whole;

fn splits(step: &Step, range: TurnRange) -> bool {
    step.tool.is_some_and(|tool| range.contains(step.assistant) != range.contains(tool))
}

/// The turns of the conversation as it stands, in order. What says nothing stands in no view.
fn live_turns(session: &Session) -> impl Iterator<Item = TurnNo> {
    session.trace().iter().filter(|event| session.history().is_live(event.seq)).filter_map(|event| match &event.event {
        EventBody::UserTurn(turn) => Some(turn.turn),
        EventBody::AssistantTurn(turn) => turn.parts.iter().any(says_something).then_some(turn.turn),
        EventBody::StepEnded { turn, .. } => Some(*turn),
        _ => None,
    })
}

fn says_something(part: &AssistantPart) -> bool {
    match part {
        AssistantPart::Text { text, .. } => !is_blank(text),
        AssistantPart::Call { unfinished, .. } => !unfinished,
        AssistantPart::Thinking { .. } | AssistantPart::Unknown { .. } => false,
    }
}

/// Whether no round goes on behind this turn.
fn ends_round(session: &Session, last: TurnNo) -> bool {
    let rounds = session.state().rounds();
    match live_turns(session).find(|turn| *turn > last) {
        Some(next) => rounds.iter().any(|round| round.first == next),
        None => rounds.last().is_none_or(|round| round.state == RoundState::Ended),
    }
}

impl Law for Whole {
    fn before(&mut self, session: &Session, event: &Event) {
        let (range, what) = match &event.event {
            EventBody::Fold(fold) => (fold.range, "fold"),
            EventBody::Archive(archive) => (archive.range, "archive"),
            _ => return,
        };
        assert!(range.first <= range.last, "{what} of {range:?}");
        for step in session.state().steps() {
            assert!(!splits(step, range), "the {what} of {range:?} splits {step:?}");
        }
        if let EventBody::Archive(archive) = &event.event {
            let running = session.state().rounds().last().is_none_or(|round| round.first <= range.last);
            let forced = archive.trigger == "window" && running;
            assert!(forced || ends_round(session, range.last), "the archive of {range:?} ends inside of a round");
        }
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn invariant_4_whole(operations in sessions(), setting in settings()) {
        walk(&play(&operations, &setting, &mut Nothing), || Whole);
    }
}
