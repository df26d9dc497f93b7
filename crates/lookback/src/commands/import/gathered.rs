//! Whole sessions on their way into the store: short ones are gathered, and stored many in one transaction. One by one,
//! each waited for the disk three times: 50,000 took 11 minutes.

use std::collections::BTreeMap;

use anyhow::Result;
use lookback_engine::trace::{BlobHash, Event, SessionId, Timestamp};
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
    /// As JSON: any of its texts may be long.
    pub(super) bytes: u64,
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
    /// All that are stored or wait, by when they began, with how many events each has. None before it is asked for.
    begun: Option<BTreeMap<Timestamp, Vec<(SessionId, u64)>>>,
}

impl<'a> Gathered<'a> {
    pub(super) fn new(store: &'a Store) -> Self {
        Self { store, waiting: Vec::new(), events: 0, bytes: 0, outcomes: Vec::new(), begun: None }
    }

    /// Whether a session is stored; one that still waits is stored now.
    pub(super) fn has(&mut self, id: &SessionId) -> Result<bool> {
        if self.waiting.iter().any(|whole| whole.id == *id) {
            self.flush();
        }
        Ok(self.store.contains(id)?)
    }

    /// The session that has all the same events under another name, where one is stored: its file was copied.
    pub(super) fn twin(&mut self, of: &Written) -> Result<Option<SessionId>> {
        if self.begun.is_none() {
            let mut begun: BTreeMap<_, Vec<_>> = BTreeMap::new();
            for session in self.store.sessions()? {
                begun.entry(session.created).or_default().push((session.id, session.events));
            }
            self.begun = Some(begun);
        }
        let same = self.begun.iter().filter_map(|begun| begun.get(&of.began)).flatten();
        let same: Vec<SessionId> = same.filter(|(_, events)| *events == of.events).map(|(id, _)| id.clone()).collect();
        for id in same {
            if self.has(&id)? && of.digest == self.digest(&id)? {
                return Ok(Some(id));
            }
        }
        let known = self.begun.get_or_insert_default().entry(of.began).or_default();
        known.push((of.id.clone(), of.events));
        Ok(None)
    }

    fn digest(&self, id: &SessionId) -> Result<BlobHash> {
        let mut written = Written::of(id.clone(), &[]);
        self.store.for_each_event(id, |event| -> Result<()> {
            if event.seq.0 > 0 {
                written.add(&self.store.inline(event)?);
            }
            Ok(())
        })?;
        Ok(written.digest)
    }

    pub(super) fn push(&mut self, whole: Whole) {
        let (events, bytes) = (whole.events.len(), whole.bytes);
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

/// What was written of a session, in short. Its start, which has its name, is not in the digest.
pub(super) struct Written {
    id: SessionId,
    began: Timestamp,
    events: u64,
    digest: BlobHash,
    pub(super) bytes: u64,
}

impl Written {
    pub(super) fn of(id: SessionId, events: &[Event]) -> Self {
        let began = events.first().map_or(Timestamp(0), |start| start.at);
        let mut written = Self { id, began, events: events.len().min(1) as u64, digest: BlobHash::of(&[]), bytes: 0 };
        events.iter().skip(1).for_each(|event| written.add(event));
        written
    }

    pub(super) fn add(&mut self, event: &Event) {
        // Where it cannot be written, storing it says so.
        let json = serde_json::to_vec(event).unwrap_or_default();
        self.events += 1;
        self.bytes += json.len() as u64;
        self.digest = BlobHash::of(&[&self.digest.0[..], &json].concat());
    }
}
