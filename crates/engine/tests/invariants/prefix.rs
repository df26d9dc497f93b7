//! Invariant 1, Prefix: an edit leaves the bytes of everything before it as they were, for every provider.

use lookback_engine::{
    Session, Source,
    trace::{Event, EventBody, decision::Reach},
};
use lookback_wire::Provider;
use proptest::prelude::*;

use crate::{
    cases,
    driver::{Nothing, play},
    operations::{sessions, settings},
    walk::{Body, Law, walk},
};

#[derive(Default)]
pub(crate) struct Prefix {
    /// Where the coming edit begins, and the bodies before it.
    edit: Option<(usize, Vec<Body>)>,
}

/// The first entry that an edit may change.
fn begins(session: &Session, event: &Event) -> Option<usize> {
    let view = session.view();
    match &event.event {
        EventBody::Fold(fold) => Some(match fold.reach {
            Reach::FromSeam => view.seam(),
            Reach::Alone => {
                let first = Source::Turn(fold.range.first);
                view.entries().iter().position(|entry| entry.source == first).expect("it is in the view")
            }
        }),
        // docs/design/folding.md, "Four ways to get shorter": all before the seam unchanged.
        EventBody::Settle(_) => Some(view.seam()),
        EventBody::Stub(stub) => {
            let first = Source::Block(stub.blocks.first()?.block);
            view.entries().iter().position(|entry| entry.source == first)
        }
        EventBody::Unfold(unfold) => {
            view.entries().iter().position(|entry| entry.source == Source::Block(unfold.block))
        }
        _ => None,
    }
}

impl Law for Prefix {
    fn before(&mut self, session: &Session, event: &Event) {
        let bodies = || Provider::ALL.map(|provider| Body::of(session, provider)).into();
        self.edit = begins(session, event).map(|place| (place, bodies()));
    }

    fn after(&mut self, session: &Session, event: &Event) {
        let Some((place, bodies)) = self.edit.take() else { return };
        for (provider, before) in Provider::ALL.into_iter().zip(&bodies) {
            let after = Body::of(session, provider);
            let same = after.bytes.starts_with(before.before(place));
            assert!(same, "{provider}: the edit at {place} changed what stands before it: {:?}", event.event);
        }
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn invariant_1_prefix(operations in sessions(), setting in settings()) {
        walk(&play(&operations, &setting, &mut Nothing), Prefix::default);
    }
}
