//! What one session has waiting for the next group commit. Whoever commits takes it under the writing connection's lock,
//! so that nothing of a session overtakes what came before.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lookback_engine::trace::Event;

use crate::{StoreError, database::Writing, events};

/// With more waiting than this the disk does not keep up, and appends wait for it instead of filling the memory.
const MOST_WAITING: usize = 1024;

#[derive(Debug)]
pub(super) struct Lane {
    key: i64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    waiting: Vec<Event>,
    /// A failure in the background that the writer was not told of yet.
    failure: Option<StoreError>,
    /// Set by such a failure: no further events join those that wait until a commit succeeds.
    stuck: bool,
}

impl Lane {
    pub(super) fn new(key: i64) -> Self {
        Self { key, state: Mutex::default() }
    }

    pub(super) fn take_failure(&self) -> Result<(), StoreError> {
        self.state().failure.take().map_or(Ok(()), Err)
    }

    /// Whether the events wait for the next group commit now.
    pub(super) fn accept(&self, events: &[Event]) -> bool {
        let mut state = self.state();
        let accepted = !state.stuck && state.waiting.len() < MOST_WAITING;
        if accepted {
            state.waiting.extend_from_slice(events);
        }
        accepted
    }

    /// Writes what waits and then `events`, or nothing.
    pub(super) fn commit(&self, writing: &mut Writing<'_>, events: &[Event]) -> Result<(), StoreError> {
        let waiting = self.take_waiting();
        if waiting.is_empty() && events.is_empty() {
            return Ok(());
        }
        let outcome = write_in_order(writing, self.key, &waiting, events);
        match &outcome {
            Ok(()) => self.state().stuck = false,
            Err(_) => self.keep(waiting),
        }
        outcome
    }

    fn keep(&self, waiting: Vec<Event>) {
        let mut state = self.state();
        state.stuck |= !waiting.is_empty();
        let newer = std::mem::replace(&mut state.waiting, waiting);
        state.waiting.extend(newer);
    }

    pub(super) fn take_waiting(&self) -> Vec<Event> {
        std::mem::take(&mut self.state().waiting)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn write_in_order(writing: &mut Writing<'_>, key: i64, first: &[Event], then: &[Event]) -> Result<(), StoreError> {
    writing.write(|transaction| {
        events::write(transaction, key, first)?;
        events::write(transaction, key, then)
    })
}

/// Commits what waits in all these lanes with one sync; where that fails, each alone, so that one session's trouble is
/// not the others'.
pub(super) fn commit_together(writing: &mut Writing<'_>, lanes: &[Arc<Lane>]) {
    let batches: Vec<_> = lanes.iter().map(|lane| (lane, lane.take_waiting())).collect();
    let together = writing
        .write(|transaction| batches.iter().try_for_each(|(lane, batch)| events::write(transaction, lane.key, batch)));
    if together.is_ok() {
        return;
    }
    for (lane, batch) in batches {
        if let Err(error) = write_in_order(writing, lane.key, &batch, &[]) {
            // A lane that is stuck has told its writer, or will: the same events failing again are no news.
            let known = lane.state().stuck;
            lane.keep(batch);
            if !known {
                lane.state().failure = Some(error);
            }
        }
    }
}
