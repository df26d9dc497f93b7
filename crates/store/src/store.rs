//! The store itself: opening it, beginning sessions, reading them.

use std::{ops::ControlFlow, path::Path, sync::Arc};

use bytes::Bytes;
use lookback_engine::trace::{BlobError, BlobHash, Blobs, Event, EventBody, EventNo, SessionId, Timestamp};
use rusqlite::Connection;

use crate::{
    ComingSession, Hit, Removal, SessionSummary, SessionWriter, Snapshot, StoreError, blobs, create,
    database::Database,
    erase::{self, Patience},
    events,
    home::Home,
    identity,
    lock::SessionLock,
    places::{Reader, StoredTrace},
    remove, search, stage, summary,
    writer::Group,
};

/// A user's traces. Cheap to clone; clones share their connections and may be used from any thread.
#[derive(Debug, Clone)]
pub struct Store {
    pub(crate) shared: Arc<Shared>,
}

#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) home: Home,
    pub(crate) database: Arc<Database>,
    pub(crate) group: Group,
}

impl Store {
    /// Opens the store in `home`, and creates or migrates it where needed.
    pub fn open(home: &Path) -> Result<Self, StoreError> {
        let home = Home::open(home)?;
        let database = Arc::new(Database::open(&home)?);
        Ok(Self { shared: Arc::new(Shared { group: Group::new(database.clone()), home, database }) })
    }

    /// Begins a session with its first events, `session started` before all others. Durable when it returns; before that
    /// nobody sees any of it, however long the events are. A trace that holds a fork's beginning is the fork's.
    pub fn create(&self, first: &[Event]) -> Result<SessionWriter, StoreError> {
        let Some(Event { seq: EventNo(0), at, event: EventBody::SessionStarted(started) }) = first.first() else {
            return Err(StoreError::NotAStart);
        };
        let forked = first.iter().rev().find_map(|event| match &event.event {
            EventBody::Forked { session, .. } => Some(&**session),
            _ => None,
        });
        let session = forked.unwrap_or(&started.session);
        let next = continue_from(EventNo(0), first)?;
        let lock = SessionLock::take(&self.shared.home, session)?;
        self.tidy_up();
        let key = create::create(&self.shared, &lock, session, *at, first)?;
        Ok(SessionWriter::new(self.shared.clone(), lock, session.clone(), key, next))
    }

    /// Begins a session whose events come one after another and are not in memory together. Nobody sees any of it before
    /// it is finished.
    pub fn begin(&self, start: &Event) -> Result<ComingSession, StoreError> {
        let Event { seq: EventNo(0), event: EventBody::SessionStarted(started), .. } = start else {
            return Err(StoreError::NotAStart);
        };
        let lock = SessionLock::take(&self.shared.home, &started.session)?;
        self.tidy_up();
        ComingSession::begin(self.shared.clone(), lock, started.session.clone(), start)
    }

    /// Begins a session that shares the parent's events up to and with `upto`; its own ones follow those. The parent
    /// may go on meanwhile. What its writer has grouped but not flushed cannot be shared yet.
    pub fn create_fork(
        &self,
        child: &SessionId,
        parent: &SessionId,
        upto: EventNo,
    ) -> Result<SessionWriter, StoreError> {
        let lock = SessionLock::take(&self.shared.home, child)?;
        self.tidy_up();
        let key = create::create_fork(&self.shared, &lock, child, parent, upto)?;
        Ok(SessionWriter::new(self.shared.clone(), lock, child.clone(), key, EventNo(upto.0 + 1)))
    }

    /// Takes away what processes that died have left half-done, for a moment. Where it fails, whoever comes next tries
    /// again: nobody who came to write has to care.
    fn tidy_up(&self) {
        let _ = stage::give_up_left_behind(&self.shared.home, &self.shared.database)
            .and_then(|()| erase::erase(&self.shared.database, Patience::Short));
    }

    /// The one writer of a session: refused while another one exists, in this process or any other.
    pub fn writer(&self, session: &SessionId) -> Result<SessionWriter, StoreError> {
        let lock = SessionLock::take(&self.shared.home, session)?;
        let (key, next) = self.shared.database.read(|connection| {
            let key = identity::key_of(connection, session)?;
            Ok((key, events::next_seq(connection, key)?))
        })?;
        self.tidy_up();
        Ok(SessionWriter::new(self.shared.clone(), lock, session.clone(), key, next))
    }

    /// The session whose id begins with `prefix` (at least 4 characters), where only one does.
    pub fn find(&self, prefix: &str) -> Result<SessionId, StoreError> {
        self.shared.database.read(|connection| identity::find(connection, prefix))
    }

    /// The shortest beginning of the session's id, of at least 8 characters, by which [`Store::find`] gives it.
    pub fn short_id(&self, session: &SessionId) -> Result<String, StoreError> {
        self.shared.database.read(|connection| identity::short(connection, session))
    }

    /// The store as it is now, for reading sessions that another process may remove meanwhile.
    pub fn snapshot(&self) -> Result<Snapshot, StoreError> {
        Snapshot::new(self.shared.database.clone())
    }

    /// All events of a session in order, a fork's shared ones first. Large outputs stay in the store.
    pub fn events(&self, session: &SessionId) -> Result<Vec<Event>, StoreError> {
        self.shared.database.read(|connection| events::read_all(connection, identity::key_of(connection, session)?))
    }

    /// The same, one after another: a long session is never in memory as a whole.
    pub fn for_each_event<E: From<StoreError>>(
        &self,
        session: &SessionId,
        mut take: impl FnMut(Event) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut outcome = Ok(());
        self.shared.database.read(|connection| {
            events::for_each(connection, identity::key_of(connection, session)?, |event| {
                outcome = take(event);
                if outcome.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            })
        })?;
        outcome
    }

    /// A session to be asked for single events, by `lookback_engine::recall`.
    pub fn trace(&self, session: &SessionId) -> Result<StoredTrace, StoreError> {
        StoredTrace::new(Reader::Store(self.clone()), session)
    }

    pub fn event(&self, session: &SessionId, seq: EventNo) -> Result<Event, StoreError> {
        self.shared.database.read(|connection| read_event(connection, session, seq))
    }

    /// The event with its large outputs filled in, as it was appended.
    pub fn inline(&self, mut event: Event) -> Result<Event, StoreError> {
        self.shared.database.read(|connection| blobs::put_back(connection, &mut event))?;
        Ok(event)
    }

    /// All sessions, the last used first.
    pub fn sessions(&self) -> Result<Vec<SessionSummary>, StoreError> {
        self.shared.database.read(summary::list)
    }

    /// The sessions whose last event is older than `time`.
    pub fn older_than(&self, time: Timestamp) -> Result<Vec<SessionId>, StoreError> {
        self.shared.database.read(|connection| summary::older_than(connection, time))
    }

    /// Removes sessions, all or none, with the outputs that no other session names, from the file itself. Refused
    /// while one of them is being written or has a fork that is not among them; an error says that all are still there.
    pub fn remove(&self, sessions: &[SessionId]) -> Result<Removal, StoreError> {
        remove::remove(&self.shared, sessions)
    }

    /// What holds all words of `query`, best first: lines with the query itself, then the newest. With a session only
    /// in that one; for a fork the events that it shares are its own, too.
    pub fn search(&self, query: &str, session: Option<&SessionId>, limit: usize) -> Result<Vec<Hit>, StoreError> {
        self.shared.database.read(|connection| search::search(connection, query, session, limit))
    }
}

impl Blobs for Store {
    fn blob(&self, hash: &BlobHash) -> Result<Bytes, BlobError> {
        self.shared.database.read(|connection| blobs::read(connection, hash)).map_err(|error| blob_error(hash, error))
    }
}

pub(crate) fn blob_error(hash: &BlobHash, error: StoreError) -> BlobError {
    match error {
        StoreError::Blob(error) => error,
        other => BlobError::Unreadable { hash: *hash, reason: other.to_string() },
    }
}

pub(crate) fn read_event(connection: &Connection, session: &SessionId, seq: EventNo) -> Result<Event, StoreError> {
    let found = events::read_one(connection, identity::key_of(connection, session)?, seq)?;
    found.ok_or_else(|| StoreError::NoSuchEvent { session: session.clone(), seq })
}

/// The number after `events`, which must begin with `next` and leave none out.
pub(crate) fn continue_from(next: EventNo, events: &[Event]) -> Result<EventNo, StoreError> {
    let mut expected = next;
    for event in events {
        if event.seq != expected {
            return Err(StoreError::OutOfOrder { expected, found: event.seq });
        }
        expected.0 += 1;
    }
    Ok(expected)
}
