//! Invariant 8, Bounded: no view that is sent exceeds the window minus the reserve, as the provider bills.

use lookback_engine::{Session, trace::NoBlobs};
use lookback_wire::Part;
use proptest::prelude::*;

use crate::{
    cases,
    driver::{Watch, count, play},
    operations::{sessions, settings},
    walk::SEPARATOR,
};

/// Recounts every view from its messages, part by part.
struct Bounded;

impl Bounded {
    fn limit(session: &Session) -> u64 {
        let window = session.state().model().window;
        u64::from(window - 32_000.min(window / 4))
    }

    /// The tokens of all parts, 4 for each message.
    fn recount(session: &Session) -> u64 {
        let mut tokens = session.view().head().tokens();
        for entry in session.view().entries() {
            let message = session.message(entry, &NoBlobs).expect("no blobs are needed");
            let parts: u32 = message
                .parts
                .iter()
                .map(|part| match part {
                    Part::Text(text) => count(text.as_bytes()),
                    Part::Thinking(thinking) => count(thinking.text.as_bytes()),
                    Part::Call(call) => count(format!("{}{}", call.name, call.arguments).as_bytes()),
                    Part::Result(result) => count(result.text.as_bytes()),
                    Part::Native(native) => count(native.raw.as_bytes()),
                })
                .sum();
            // What stands before a separated message is bounded, not counted: one token for each byte.
            let separator = if entry.separated { SEPARATOR.len() as u64 + 4 } else { 0 };
            tokens += u64::from(parts) + 4 + separator;
        }
        tokens
    }

    fn billed(session: &Session) -> f64 {
        let tokens = Self::recount(session);
        assert_eq!(tokens, session.view().tokens(), "a view is the sum of its parts");
        tokens as f64 * session.factor().max(1.0)
    }
}

impl Watch for Bounded {
    fn sent(&mut self, session: &Session, _counted: u64) {
        let (billed, limit) = (Self::billed(session), Self::limit(session));
        assert!(billed <= limit as f64, "{billed} tokens were sent, {limit} fit");
    }

    fn refused(&mut self, session: &Session) {
        assert!(Self::billed(session) > Self::limit(session) as f64, "a call that fits was refused");
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn invariant_8_bounded(operations in sessions(), setting in settings()) {
        play(&operations, &setting, &mut Bounded);
    }
}
