//! What one session has waiting for the next group commit. Whoever commits takes it under the writing connection's lock,
//! so that nothing of a session overtakes what came before.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lookback_engine::trace::{Event, EventNo};
use rusqlite::Transaction;

use crate::{StoreError, append::append, database::Writing};

/// With more waiting than this the disk does not keep up, and appends wait for it instead of filling the memory.
const MOST_WAITING: usize = 1024;

#[derive(Debug)]
pub(super) struct Lane {
    key: i64,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    waiting: Vec<Event>,
    /// All events before this one are on the disk.
    durable: EventNo,
    /// Of the background, until the writer has heard of it.
    failure: Option<StoreError>,
    /// Set by such a failure: no further events join those that wait until a commit succeeds.
    stuck: bool,
}

impl Lane {
    pub(super) fn new(key: i64, durable: EventNo) -> Self {
        let state = State { waiting: Vec::new(), durable, failure: None, stuck: false };
        Self { key, state: Mutex::new(state) }
    }

    pub(super) fn durable(&self) -> EventNo {
        self.state().durable
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
        if events.is_empty() && self.state().waiting.is_empty() {
            return Ok(());
        }
        self.commit_with(writing, events, |_, _| Ok(()))
    }

    /// The same together with something else about the session, whose key that is told.
    pub(super) fn commit_with<T>(
        &self,
        writing: &mut Writing<'_>,
        events: &[Event],
        also: impl FnOnce(&Transaction<'_>, i64) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let waiting = self.take_waiting();
        let outcome = writing.write(|transaction| {
            append(transaction, self.key, &waiting)?;
            append(transaction, self.key, events)?;
            also(transaction, self.key)
        });
        match &outcome {
            Ok(_) => self.written(waiting.len() + events.len()),
            Err(_) => self.keep(waiting),
        }
        outcome
    }

    fn written(&self, events: usize) {
        let mut state = self.state();
        state.durable.0 += events as u64;
        state.stuck = false;
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

/// Commits what waits in all these lanes with one sync; where that fails, each alone, so that one session's trouble is
/// not the others'.
pub(super) fn commit_together(writing: &mut Writing<'_>, lanes: &[Arc<Lane>]) {
    let batches: Vec<_> = lanes.iter().map(|lane| (lane, lane.take_waiting())).collect();
    let together =
        writing.write(|transaction| batches.iter().try_for_each(|(lane, batch)| append(transaction, lane.key, batch)));
    for (lane, batch) in batches {
        let outcome =
            if together.is_ok() { Ok(()) } else { writing.write(|transaction| append(transaction, lane.key, &batch)) };
        match outcome {
            Ok(()) => lane.written(batch.len()),
            Err(error) => {
                // A lane that is stuck has told its writer, or will: the same events failing again are no news.
                let known = lane.state().stuck;
                lane.keep(batch);
                if !known {
                    lane.state().failure = Some(error);
                }
            }
        }
    }
}
