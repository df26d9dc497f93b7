//! Invariant 2, Frozen: what stands for folded or archived turns keeps its bytes for as long as it is in the view. A block
//! alone may become a stub: only at a cold cache, once, and by a recorded event.

use std::collections::{BTreeMap, BTreeSet};

use lookback_engine::{
    Entry, Session, Source,
    trace::{Event, EventBody, NoBlobs, decision::Reach},
};
use lookback_wire::{Provider, render_message};
use proptest::prelude::*;

use crate::{
    cases,
    driver::{Nothing, play},
    operations::{sessions, settings},
    walk::{Law, walk},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Record {
    Block(u32),
    Archived(u32),
}

#[derive(Default)]
pub(crate) struct Frozen {
    /// The bytes that each was first shown with.
    bytes: BTreeMap<Record, [Vec<u8>; 4]>,
    in_view: Vec<Record>,
    blocks: u32,
    archives: u32,
    stubs: BTreeSet<u32>,
    /// A stub was recorded since the last call, or the model changed.
    stubbed: bool,
    other_model: bool,
}

fn record(entry: &Entry) -> Option<Record> {
    match entry.source {
        Source::Block(number) => Some(Record::Block(number)),
        Source::Archived(number) => Some(Record::Archived(number)),
        _ => None,
    }
}

/// Whether an event may take a record out of the view.
fn may_take(event: &EventBody, record: Record) -> bool {
    match (event, record) {
        (EventBody::Unfold(unfold), Record::Block(number)) => unfold.block == number,
        (EventBody::Archive(_), Record::Block(_)) => true,
        (EventBody::RolledBack { .. } | EventBody::LayoutChanged(_), _) => true,
        _ => false,
    }
}

/// What a fold covers was never folded or archived before.
fn covers_only_turns(session: &Session, event: &EventBody) -> bool {
    let EventBody::Fold(fold) = event else { return true };
    let entries = session.view().entries();
    let place = |turn| entries.iter().position(|entry| entry.source == Source::Turn(turn)).expect("it is raw");
    let first = match fold.reach {
        Reach::FromSeam => session.view().seam(),
        Reach::Alone => place(fold.range.first),
    };
    let plain = |entry: &Entry| matches!(entry.source, Source::Turn(_) | Source::Note | Source::Board);
    entries[first..=place(fold.range.last)].iter().all(plain)
}

impl Law for Frozen {
    fn before(&mut self, session: &Session, event: &Event) {
        assert!(covers_only_turns(session, &event.event), "a fold covers a record: {:?}", event.event);
    }

    fn after(&mut self, session: &Session, event: &Event) {
        match &event.event {
            EventBody::Fold(fold) => {
                self.blocks += 1;
                assert_eq!(fold.block, self.blocks, "numbers of blocks go on and are never reused");
            }
            EventBody::Archive(archive) => {
                self.archives += 1;
                assert_eq!(archive.archive, self.archives, "numbers of archives go on and are never reused");
            }
            EventBody::Stub(stub) => {
                self.stubbed = true;
                for stubbed in &stub.blocks {
                    assert!(self.stubs.insert(stubbed.block), "block {} became a stub twice", stubbed.block);
                    self.bytes.remove(&Record::Block(stubbed.block));
                    assert!(stubbed.content.tokens < stubbed.replaced_tokens, "a stub is shorter");
                }
            }
            EventBody::ModelChanged { .. } => self.other_model = true,
            // What was rolled back never happened: a stub among it may be made again.
            EventBody::RolledBack { .. } => {
                let entries = session.view().entries().iter();
                let whole = entries
                    .filter(|entry| matches!(session.trace()[entry.revision.0 as usize].event, EventBody::Fold(_)));
                for entry in whole {
                    if let Source::Block(number) = entry.source
                        && self.stubs.remove(&number)
                    {
                        self.bytes.remove(&Record::Block(number));
                    }
                }
            }
            EventBody::CallStarted { cold, .. } => {
                assert!(!self.stubbed || cold.is_some() || self.other_model, "a stub while the cache was warm");
                (self.stubbed, self.other_model) = (false, false);
            }
            _ => {}
        }
        let entries = session.view().entries();
        let in_view: Vec<Record> = entries.iter().filter_map(record).collect();
        for gone in self.in_view.iter().filter(|record| !in_view.contains(record)) {
            assert!(may_take(&event.event, *gone), "{gone:?} left the view with {:?}", event.event);
        }
        if in_view != self.in_view || matches!(event.event, EventBody::CallStarted { .. }) {
            for entry in entries {
                let Some(record) = record(entry) else { continue };
                let message = session.message(entry, &NoBlobs).expect("no blobs are needed");
                let now = Provider::ALL.map(|provider| render_message(provider, &message));
                let first = self.bytes.entry(record).or_insert_with(|| now.clone());
                assert!(*first == now, "{record:?} has changed with {:?}", event.event);
            }
        }
        self.in_view = in_view;
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn invariant_2_frozen(operations in sessions(), setting in settings()) {
        walk(&play(&operations, &setting, &mut Nothing), Frozen::default);
    }
}
