//! Invariant 7, Same again: replaying a trace gives the same session, byte for byte, after any crash.

use lookback_engine::{
    Context, Session, SessionError,
    trace::{Event, NoBlobs, Origin, Timestamp},
};
use lookback_wire::{Provider, check_body};
use proptest::prelude::*;

use crate::{
    cases,
    driver::{Nothing, count, play},
    operations::{sessions, settings},
};

fn through_json(trace: &[Event]) -> Vec<Event> {
    let lines = trace.iter().map(|event| serde_json::to_string(event).expect("events are JSON"));
    lines.map(|line| serde_json::from_str(&line).expect("what was written is read")).collect()
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn invariant_7_same_again(operations in sessions(), setting in settings()) {
        let session = play(&operations, &setting, &mut Nothing).session;
        let events = through_json(session.trace());
        prop_assert_eq!(&events, session.trace());
        let again = Session::replay(events, &NoBlobs).expect("a recorded trace replays");
        for provider in Provider::ALL {
            prop_assert_eq!(session.body_for(provider, &NoBlobs), again.body_for(provider, &NoBlobs));
        }
        prop_assert_eq!(session.view().entries(), again.view().entries());
        prop_assert_eq!(session.view().seam(), again.view().seam());
        prop_assert_eq!(session.state().board(), again.state().board());
        prop_assert_eq!(format!("{:?}", session.state()), format!("{:?}", again.state()));
        prop_assert_eq!(session.ledger(), again.ledger());
        prop_assert_eq!(session.sent(), again.sent());
    }

    /// A trace may end anywhere: the session can be opened again and goes on.
    #[test]
    fn invariant_7_after_any_crash(
        operations in sessions(),
        setting in settings(),
        cut in any::<prop::sample::Index>(),
    ) {
        let session = play(&operations, &setting, &mut Nothing).session;
        let end = 1 + cut.index(session.trace().len());
        let mut again = Session::replay(session.trace()[..end].to_vec(), &NoBlobs).expect("a cut trace replays");
        let context = Context { now: Timestamp(1_763_900_000_000), count: &count, blobs: &NoBlobs };
        again.resume(&context).expect("it resumes");
        again.user_turn("go on", Origin::Person, &context).expect("it is idle");
        match again.start_call(&context) {
            Ok(_) => {
                let body = again.body(&NoBlobs).expect("no blobs are needed");
                prop_assert_eq!(check_body(again.prompt_provider(), &body), Ok(()));
            }
            Err(SessionError::WindowExceeded(_)) => {}
            Err(error) => prop_assert!(false, "it does not go on: {error}"),
        }
    }
}
