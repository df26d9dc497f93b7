//! Whole sessions on their way into the store: short ones are gathered, and stored many in one transaction. One by one,
//! each waited for the disk three times: 50,000 took 11 minutes.

use std::io;

use anyhow::Result;
use lookback_engine::trace::{Event, SessionId};
use lookback_store::{Store, StoreError};

use super::{Done, Kind, Outcome};
use crate::screen;

/// What is stored at once: more would let others wait for their turn, and be held in memory.
const EVENTS: usize = 2_000;
const BYTES: u64 = 4 << 20;

/// A session that was read to its end.
pub(super) struct Whole {
    pub(super) id: SessionId,
    pub(super) events: Vec<Event>,
    /// What a person is told when it is stored, given the short name of it.
    pub(super) told: Box<dyn FnOnce(&str) -> String>,
    pub(super) done: Done,
}

pub(super) struct Gathered<'a> {
    pub(super) store: &'a Store,
    waiting: Vec<Whole>,
    events: usize,
    bytes: u64,
    outcomes: Vec<Result<Outcome>>,
}

impl<'a> Gathered<'a> {
    pub(super) fn new(store: &'a Store) -> Self {
        Self { store, waiting: Vec::new(), events: 0, bytes: 0, outcomes: Vec::new() }
    }

    /// Whether a session is stored; one that still waits is stored now.
    pub(super) fn has(&mut self, id: &SessionId) -> Result<bool> {
        if self.waiting.iter().any(|whole| whole.id == *id) {
            self.flush();
        }
        Ok(self.store.contains(id)?)
    }

    pub(super) fn push(&mut self, whole: Whole) {
        let (events, bytes) = (whole.events.len(), size(&whole.events));
        if events >= EVENTS || bytes >= BYTES {
            let text = format!("storing {}…", screen::counted(events as u64, "event"));
            let created = screen::announce(&text, || self.store.create(&whole.events).map(drop));
            return self.outcomes.push(outcome(self.store, whole, created));
        }
        self.events += events;
        self.bytes += bytes;
        self.waiting.push(whole);
        if self.events >= EVENTS || self.bytes >= BYTES {
            self.flush();
        }
    }

    /// Stores what waits.
    pub(super) fn flush(&mut self) {
        let waiting = std::mem::take(&mut self.waiting);
        (self.events, self.bytes) = (0, 0);
        let sessions: Vec<&[Event]> = waiting.iter().map(|whole| whole.events.as_slice()).collect();
        let created = match sessions.is_empty() {
            true => Ok(Vec::new()),
            false => self.store.create_all(&sessions),
        };
        let created = created.unwrap_or_else(|error| sessions.iter().map(|_| Err(error.clone())).collect());
        for (whole, created) in waiting.into_iter().zip(created) {
            self.outcomes.push(outcome(self.store, whole, created));
        }
    }

    /// What became of sessions since the last time this was asked.
    pub(super) fn outcomes(&mut self) -> Vec<Result<Outcome>> {
        std::mem::take(&mut self.outcomes)
    }
}

fn outcome(store: &Store, whole: Whole, created: Result<(), StoreError>) -> Result<Outcome> {
    let Whole { id, told, mut done, .. } = whole;
    let name = &done.name;
    match created {
        Ok(()) => {
            done.text = told(&store.short_id(&id)?);
            Ok(Outcome::Done(done))
        }
        Err(StoreError::Exists(id)) => {
            let short = store.short_id(&id)?;
            let text = format!("{name}: session {id} is stored already: look at it with `lookback show {short}`");
            Ok(Outcome::Done(Done { kind: Kind::Stored, text, ..done }))
        }
        Err(error) => Err(anyhow::Error::from(error).context(format!("cannot import {name}"))),
    }
}

/// As JSON: any of its texts may be long.
pub(super) fn size(events: &[Event]) -> u64 {
    let mut counting = Counting(0);
    // Where it cannot be written, storing it says so.
    let _ = serde_json::to_writer(&mut counting, events);
    counting.0
}

struct Counting(u64);

impl io::Write for Counting {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
