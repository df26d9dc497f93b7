//! The background thread of a store: commits what waits, all sessions together, a few milliseconds after it came.

use std::{
    mem,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use super::lane::{self, Lane};
use crate::{StoreError, database::Database};

/// Half of the 10 ms that [`super::Durability::Grouped`] promises; the other half is for the commit itself.
const GATHER: Duration = Duration::from_millis(5);

#[derive(Debug)]
pub(crate) struct Group {
    database: Arc<Database>,
    queue: Arc<Queue>,
    /// Started by the first grouped append.
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Debug, Default)]
struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    lanes: Vec<Arc<Lane>>,
    /// When the oldest of them has to be committed.
    due: Option<Instant>,
    closing: bool,
}

impl Group {
    pub(crate) fn new(database: Arc<Database>) -> Self {
        Self { database, queue: Arc::default(), thread: Mutex::default() }
    }

    pub(crate) fn database(&self) -> &Arc<Database> {
        &self.database
    }

    /// Has the lane committed soon.
    pub(super) fn schedule(&self, lane: &Arc<Lane>) {
        let mut state = self.queue.state();
        if !state.lanes.iter().any(|other| Arc::ptr_eq(other, lane)) {
            state.lanes.push(lane.clone());
        }
        if state.due.is_none() {
            state.due = Some(Instant::now() + GATHER);
            self.queue.changed.notify_all();
        }
    }

    /// Before the first event is accepted: one that was accepted is written.
    pub(super) fn start(&self) -> Result<(), StoreError> {
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        if thread.is_none() {
            let (database, queue) = (self.database.clone(), self.queue.clone());
            let builder = thread::Builder::new().name("lookback-store".to_owned());
            *thread = Some(
                builder
                    .spawn(move || run(&database, &queue))
                    .map_err(|source| StoreError::NoThread(Arc::new(source)))?,
            );
        }
        Ok(())
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.queue.state().closing = true;
        self.queue.changed.notify_all();
        if let Some(thread) = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take() {
            // It ends by itself; if it panicked, its test or its user has seen that.
            let _ = thread.join();
        }
    }
}

impl Queue {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The lanes to commit now; none when the store closes.
    fn next(&self) -> Option<Vec<Arc<Lane>>> {
        let mut state = self.state();
        loop {
            let now = Instant::now();
            state = match state.due {
                Some(due) if due <= now || state.closing => {
                    state.due = None;
                    return Some(mem::take(&mut state.lanes));
                }
                Some(due) => self.changed.wait_timeout(state, due - now).unwrap_or_else(PoisonError::into_inner).0,
                None if state.closing => return None,
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }
}

fn run(database: &Database, queue: &Queue) {
    while let Some(lanes) = queue.next() {
        lane::commit_together(&mut database.writing(), &lanes);
    }
}
