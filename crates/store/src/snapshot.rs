//! Reading a whole command's worth from one state of the database: what another process appends or removes meanwhile is
//! not seen, so a session that was there at the start can be read to its end, outputs included.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use bytes::Bytes;
use lookback_engine::{
    recall::{Mark, MarkKind, RecallError, TraceLookup},
    trace::{BlobError, BlobHash, Blobs, Event, EventNo, SessionId},
};
use rusqlite::Connection;

use crate::{
    StoreError,
    bills::{self, CallBill},
    blobs,
    database::Database,
    events::{self, Walk},
    identity, places,
    search::{self, Hit},
    summary::{self, SessionSummary},
};

/// How many events are read at once, so that outputs can be read in between.
const PAGE: usize = 64;

/// The store as it was when this was made. Cheap to clone. Not for keeping: what is removed stays in the log until it is
/// dropped.
#[derive(Debug, Clone)]
pub struct Snapshot {
    held: Arc<Held>,
}

#[derive(Debug)]
struct Held {
    database: Arc<Database>,
    /// None only while it is dropped.
    connection: Mutex<Option<Connection>>,
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.get_mut().unwrap_or_else(PoisonError::into_inner).take() {
            self.database.end_reading(connection);
        }
    }
}

impl Snapshot {
    pub(crate) fn new(database: Arc<Database>) -> Result<Self, StoreError> {
        let connection = Mutex::new(Some(database.begin_reading()?));
        Ok(Self { held: Arc::new(Held { database, connection }) })
    }

    fn read<T>(&self, job: impl FnOnce(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let connection = self.held.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let connection = connection.as_ref().ok_or(StoreError::Busy)?;
        job(connection).map_err(|error| error.in_database(self.held.database.path()))
    }

    /// The session whose id begins with `prefix` (at least 4 characters), where only one does.
    pub fn find(&self, prefix: &str) -> Result<SessionId, StoreError> {
        self.read(|connection| identity::find(connection, prefix))
    }

    /// The shortest beginning of the session's id, of at least 8 characters, by which [`Snapshot::find`] gives it.
    pub fn short_id(&self, session: &SessionId) -> Result<String, StoreError> {
        self.read(|connection| identity::short(connection, session))
    }

    /// All sessions, the last used first.
    pub fn sessions(&self) -> Result<Vec<SessionSummary>, StoreError> {
        self.read(summary::list)
    }

    /// What each call of every session was billed, a fork's shared ones not among them.
    pub fn bills(&self) -> Result<BTreeMap<SessionId, Vec<CallBill>>, StoreError> {
        self.read(bills::list)
    }

    /// All events of a session in order, a fork's shared ones first. Large outputs stay in the store.
    pub fn events(&self, session: &SessionId) -> Result<Vec<Event>, StoreError> {
        self.read(|connection| events::read_all(connection, identity::key_of(connection, session)?))
    }

    /// The same, one after another: a long session is never in memory as a whole. `take` may read from this snapshot.
    pub fn for_each_event<E: From<StoreError>>(
        &self,
        session: &SessionId,
        mut take: impl FnMut(Event) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut walk = self.read(|connection| Walk::begin(connection, identity::key_of(connection, session)?))?;
        loop {
            let page = self.read(|connection| walk.read(connection, PAGE))?;
            if page.is_empty() {
                return Ok(());
            }
            page.into_iter().try_for_each(&mut take)?;
        }
    }

    /// One event, checked as all are.
    pub fn event(&self, session: &SessionId, seq: EventNo) -> Result<Event, StoreError> {
        let found =
            self.read(|connection| events::read_one(connection, identity::key_of(connection, session)?, seq))?;
        found.ok_or_else(|| StoreError::NoSuchEvent { session: session.clone(), seq })
    }

    /// The event with its large outputs filled in, as it was appended.
    pub fn inline(&self, mut event: Event) -> Result<Event, StoreError> {
        self.read(|connection| blobs::put_back(connection, &mut event))?;
        Ok(event)
    }

    /// A session to be asked for single events, by `lookback_engine::recall`.
    pub fn trace(&self, session: &SessionId) -> Result<StoredTrace, StoreError> {
        let key = self.read(|connection| identity::key_of(connection, session))?;
        Ok(StoredTrace { snapshot: self.clone(), key })
    }

    /// What holds all words of `query`, best first: lines with the query itself, then the newest. With a session only
    /// in that one; for a fork the events that it shares are its own, too.
    pub fn search(&self, query: &str, session: Option<&SessionId>, limit: usize) -> Result<Vec<Hit>, StoreError> {
        self.read(|connection| search::search(connection, query, session, limit))
    }
}

impl Blobs for Snapshot {
    fn blob(&self, hash: &BlobHash) -> Result<Bytes, BlobError> {
        self.read(|connection| blobs::read(connection, hash)).map_err(|error| error.of_blob(hash))
    }
}

/// A stored session that can be asked for single events. Not for keeping, like its [`Snapshot`].
#[derive(Debug)]
pub struct StoredTrace {
    snapshot: Snapshot,
    key: i64,
}

impl StoredTrace {
    fn read<T>(&self, job: impl FnOnce(&Connection, i64) -> Result<T, StoreError>) -> Result<T, RecallError> {
        self.snapshot.read(|connection| job(connection, self.key)).map_err(|error| match error {
            StoreError::Blob(error) => RecallError::Blob(error),
            error => RecallError::Unreadable(error.to_string()),
        })
    }
}

impl TraceLookup for StoredTrace {
    fn event(&self, event: EventNo) -> Result<Cow<'_, Event>, RecallError> {
        let found = self.read(|connection, key| events::read_one(connection, key, event))?;
        found.map(Cow::Owned).ok_or_else(|| RecallError::Unreadable(format!("there is no event {event}")))
    }

    fn marked(&self, mark: Mark) -> Result<Vec<EventNo>, RecallError> {
        self.read(|connection, key| places::marked(connection, key, mark))
    }

    fn count(&self, kind: MarkKind) -> Result<u32, RecallError> {
        // Turns are counted from 0, and the last one may be the results of a step; all else counts from 1.
        if matches!(kind, MarkKind::Turn | MarkKind::Call | MarkKind::Result | MarkKind::StepEnd) {
            return self.turns_before(EventNo(u64::MAX));
        }
        let highest = self.read(|connection, key| places::highest(connection, key, kind, EventNo(u64::MAX)))?;
        Ok(highest.unwrap_or(0))
    }

    fn seen(&self, path: &str) -> Result<Vec<EventNo>, RecallError> {
        self.read(|connection, key| places::seen(connection, key, path))
    }

    fn turns_before(&self, event: EventNo) -> Result<u32, RecallError> {
        self.read(|connection, key| {
            let of = |kind| places::highest(connection, key, kind, event);
            Ok(of(MarkKind::Turn)?.max(of(MarkKind::Result)?).map_or(0, |number| number + 1))
        })
    }
}
