//! Invariant 9, Monotone cost: between two edits, appending a step renders and counts that step only; an edit renders
//! what it changes and what follows it.

use lookback_engine::{
    Entry, Miss, Session,
    trace::{EventBody, SessionId},
};
use lookback_wire::Provider;
use proptest::prelude::*;

use crate::{
    cases,
    driver::{Watch, play},
    operations::{sessions, settings},
};

/// Watches how much is rendered and counted between two calls.
#[derive(Default)]
struct Monotone {
    last: Option<Seen>,
    edit_tried: bool,
}

struct Seen {
    session: SessionId,
    events: usize,
    provider: Provider,
    rendered: u64,
    heads: u64,
    entries: Vec<Entry>,
    counted: u64,
}

impl Seen {
    fn of(session: &Session, counted: u64) -> Self {
        Self {
            session: session.id().clone(),
            events: session.trace().len(),
            provider: session.sent().provider(),
            rendered: session.sent().work().messages,
            heads: session.sent().work().heads,
            entries: session.view().entries().to_vec(),
            counted,
        }
    }
}

fn edits_view(event: &EventBody) -> bool {
    matches!(
        event,
        EventBody::Fold(_)
            | EventBody::Unfold(_)
            | EventBody::Settle(_)
            | EventBody::Archive(_)
            | EventBody::LayoutChanged(_)
            | EventBody::StateDelta(_)
            | EventBody::Error { .. }
    )
}

impl Watch for Monotone {
    fn sent(&mut self, session: &Session, counted: u64) {
        let now = Seen::of(session, counted);
        let line = session.ledger().last().expect("a call was started");
        let other_cache = line.reasons.contains(&Miss::ModelChanged) || line.reasons.contains(&Miss::FirstCall);
        let edit_tried = std::mem::take(&mut self.edit_tried);
        if let Some(before) = &self.last
            && before.session == now.session
            && before.provider == now.provider
            && !other_cache
        {
            let kept = now.entries.iter().zip(&before.entries).take_while(|(now, before)| now == before).count();
            let changed = (now.entries.len() - kept) as u64;
            let rendered = now.rendered - before.rendered;
            let new_head = now.heads > before.heads;
            assert!(
                rendered == changed || (new_head && rendered == now.entries.len() as u64),
                "{rendered} messages were rendered where {changed} changed or followed a change"
            );
            let new = &session.trace()[before.events.min(now.events)..];
            if !edit_tried && !new.iter().any(|event| edits_view(&event.event)) {
                let written: usize =
                    new.iter().map(|event| serde_json::to_vec(event).expect("events are JSON").len()).sum();
                let counted = now.counted - before.counted;
                assert!(counted <= 8 * written as u64 + 4_096, "{counted} bytes were counted for {written} new ones");
            }
        }
        self.last = Some(now);
    }

    fn edit_tried(&mut self) {
        self.edit_tried = true;
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn invariant_9_monotone_cost(operations in sessions(), setting in settings()) {
        play(&operations, &setting, &mut Monotone::default());
    }
}
