//! Invariant 8, Bounded: no view that is sent exceeds the window minus the reserve, as the provider bills.

use lookback_engine::{
    Session,
    trace::{EventBody, NoBlobs},
};
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
                    Part::Picture(_) => unreachable!("nobody shows one here"),
                    Part::Native(native) if native.plain.is_none() => count(native.raw.as_bytes()),
                    Part::Native(_) => unreachable!("no answer of these sessions has one"),
                })
                .sum();
            // What stands before a separated message is bounded, not counted: one token for each byte.
            let separator = if entry.separated { SEPARATOR.len() as u64 + 4 } else { 0 };
            tokens += u64::from(parts) + 4 + separator;
        }
        tokens
    }

    /// The size that the window is kept by.
    fn expected(session: &Session) -> u64 {
        let tokens = Self::recount(session);
        assert_eq!(tokens, session.view().tokens(), "a view is the sum of its parts");
        session.expected_input().max(tokens)
    }

    /// What the driver will bill for this view, as the last bill of this model tells: it bills evenly.
    fn billed(session: &Session) -> u64 {
        let mut ratio = 1.0;
        let mut counted = 0;
        for event in session.trace() {
            match &event.event {
                EventBody::CallStarted { input_tokens, .. } => counted = *input_tokens,
                EventBody::Usage(usage) => ratio = usage.billed.prompt() as f64 / f64::from(counted),
                EventBody::ModelChanged { .. } => ratio = 1.0,
                _ => {}
            }
        }
        (Self::recount(session) as f64 * ratio) as u64
    }
}

/// The driver rounds each bill down, so that a factor is not met to the token.
fn more_or_less(tokens: u64) -> u64 {
    tokens / 50 + 20
}

impl Watch for Bounded {
    fn sent(&mut self, session: &Session, _counted: u64) {
        let (expected, billed, limit) = (Self::expected(session), Self::billed(session), Self::limit(session));
        assert!(expected <= limit, "{expected} tokens were sent, {limit} fit");
        assert!(billed <= limit + more_or_less(limit), "{billed} tokens are billed, {limit} fit, {expected} expected");
    }

    fn refused(&mut self, session: &Session) {
        let (expected, billed, limit) = (Self::expected(session), Self::billed(session), Self::limit(session));
        assert!(expected > limit, "a call that fits was refused");
        assert!(billed + more_or_less(limit) > limit, "{billed} tokens are billed, {limit} fit, {expected} expected");
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn invariant_8_bounded(operations in sessions(), setting in settings()) {
        play(&operations, &setting, &mut Bounded);
    }
}
