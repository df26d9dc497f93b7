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
    /// None of a copy: its original is told of, behind what waits.
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
    /// All that are stored or wait, by when they began and how many events each has. None before it is asked for.
    known: Option<BTreeMap<(Timestamp, u64), Alike>>,
}

/// Sessions that began at one moment and have as many events.
#[derive(Default)]
struct Alike {
    /// Stored before this import. Each is read when the first session comes that may be its copy, and never again:
    /// agents that were started together made thousands of them.
    unread: Vec<SessionId>,
    read: BTreeMap<BlobHash, SessionId>,
}

impl<'a> Gathered<'a> {
    pub(super) fn new(store: &'a Store) -> Self {
        Self { store, waiting: Vec::new(), events: 0, bytes: 0, outcomes: Vec::new(), known: None }
    }

    /// Whether a session is stored; one that still waits is stored now.
    pub(super) fn has(&mut self, id: &SessionId) -> Result<bool> {
        if self.waiting.iter().any(|whole| whole.id == *id) {
            self.flush();
        }
        Ok(self.store.contains(id)?)
    }

    /// The session that has all the same events under another name, where one is stored or waits: its file was copied.
    pub(super) fn twin(&mut self, of: &Written) -> Result<Option<SessionId>> {
        let known = match self.known.take() {
            Some(known) => known,
            None => {
                let mut known: BTreeMap<_, Alike> = BTreeMap::new();
                for session in self.store.sessions()? {
                    known.entry((session.created, session.events)).or_default().unread.push(session.id);
                }
                known
            }
        };
        let alike = self.known.insert(known).entry((of.began, of.events)).or_default();
        while let Some(id) = alike.unread.last().cloned() {
            if self.store.contains(&id)? {
                alike.read.insert(digest(self.store, &id)?, id);
            }
            alike.unread.pop();
        }
        if let Some(twin) = alike.read.get(&of.digest)
            && (self.waiting.iter().any(|whole| whole.id == *twin) || self.store.contains(twin)?)
        {
            return Ok(Some(twin.clone()));
        }
        alike.read.insert(of.digest, of.id.clone());
        Ok(None)
    }

    pub(super) fn push(&mut self, whole: Whole) {
        let (events, bytes) = (whole.events.len(), whole.bytes);
        if events >= EVENTS || bytes >= BYTES {
            let text = format!("storing {}…", screen::counted(events as u64, "event"));
            let created = screen::announce(&text, || self.store.create(&whole.events).map(drop));
            return self.outcomes.push(outcome(self.store, whole, created));
        }
        self.events += events.max(1);
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
        let is_new = |whole: &&Whole| !whole.events.is_empty();
        let sessions: Vec<&[Event]> = waiting.iter().filter(is_new).map(|whole| whole.events.as_slice()).collect();
        let created = match sessions.is_empty() {
            true => Ok(Vec::new()),
            false => self.store.create_all(&sessions),
        };
        let created = created.unwrap_or_else(|error| sessions.iter().map(|_| Err(error.clone())).collect());
        let mut created = created.into_iter();
        for whole in waiting {
            let created = if is_new(&&whole) { created.next() } else { None };
            self.outcomes.push(outcome(self.store, whole, created.unwrap_or(Ok(()))));
        }
    }

    /// What became of sessions since the last time this was asked.
    pub(super) fn outcomes(&mut self) -> Vec<Result<Outcome>> {
        std::mem::take(&mut self.outcomes)
    }
}

fn digest(store: &Store, id: &SessionId) -> Result<BlobHash> {
    let mut written = Written::of(id.clone(), &[]);
    store.for_each_event(id, |event| -> Result<()> {
        if event.seq.0 > 0 {
            written.add(&store.inline(event)?);
        }
        Ok(())
    })?;
    Ok(written.digest)
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
