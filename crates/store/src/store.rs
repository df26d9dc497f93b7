//! The store itself: opening it, beginning sessions, writing and removing them. Reading is a [`Snapshot`]'s.

#[cfg(test)]
mod full_disk;
mod guests;

use std::{collections::BTreeMap, fs::File, io::Read, path::Path, slice, sync::Arc};

use bytes::Bytes;
use lookback_engine::trace::{BlobError, BlobHash, Blobs, Event, EventNo, SessionId};
use rusqlite::Connection;

use crate::{
    StoreError,
    bills::CallBill,
    blobs,
    create::{self, ComingSession},
    database::Database,
    home::{DATABASE, Home},
    identity,
    lock::{self, SessionLock},
    migrate,
    remove::{self, Kept, Removal},
    search::Hit,
    sessions::{self, Stage},
    snapshot::{Snapshot, StoredTrace},
    summary::SessionSummary,
    writer::{Group, SessionWriter},
};

/// A user's traces. Cheap to clone; clones share their connections and may be used from any thread. What it reads it
/// reads as it is at that moment.
#[derive(Debug, Clone)]
pub struct Store {
    home: Arc<Home>,
    group: Arc<Group>,
}

/// While it is held, other processes wait with their imports.
#[derive(Debug)]
pub struct ImportTurn {
    _file: File,
}

impl Store {
    /// Opens the store in `home`, and creates or migrates it where needed.
    pub fn open(home: &Path) -> Result<Self, StoreError> {
        let home = Arc::new(Home::open(home)?);
        let database = Arc::new(migrate::open(&home)?);
        Ok(Self { home, group: Arc::new(Group::new(database)) })
    }

    /// Whether its file is still the one that was opened. What is written into one that somebody removed nobody finds.
    pub fn is_there(&self) -> bool {
        self.database().is_there()
    }

    /// What is at its place now; made anew where there is nothing. Writers of this one are to be dropped before.
    pub fn open_again(&self) -> Result<Self, StoreError> {
        Self::open(self.home.path())
    }

    /// Whether there is a store in `home`. Asking makes none.
    pub fn is_in(home: &Path) -> bool {
        home.join(DATABASE).exists()
    }

    /// Begins a session with its first events, `session started` before all others. Durable when it returns; before that
    /// nobody sees any of it, however long the events are. A trace that holds a fork's beginning is the fork's.
    pub fn create(&self, first: &[Event]) -> Result<SessionWriter, StoreError> {
        let session = create::session_of(first)?;
        create::create(self.group.clone(), self.lock_new(session)?, session, first)
    }

    /// Begins sessions whose events are all there and few, together in one transaction: each as [`Store::create`] does, but
    /// nobody goes on writing them. One that cannot be begun says why and hinders no other.
    pub fn create_all(&self, sessions: &[&[Event]]) -> Result<Vec<Result<(), StoreError>>, StoreError> {
        remove::tidy_up(&self.home, self.database());
        create::create_all(&self.home, self.database(), sessions)
    }

    /// Puts a session in the place of the one that is stored under its id, which is removed. Refused while that one is being
    /// written or has forks; an error says that it is still there.
    pub fn replace(&self, events: &[Event]) -> Result<(), StoreError> {
        create::replace(&self.home, self.database(), events)?;
        remove::tidy_up(&self.home, self.database());
        Ok(())
    }

    /// Whether the session is stored.
    pub fn contains(&self, session: &SessionId) -> Result<bool, StoreError> {
        self.database().read(|connection| Ok(identity::find_key(connection, session)?.is_some()))
    }

    /// Begins a session whose events come one after another and are not in memory together. Nobody sees any of it before
    /// it is finished.
    pub fn begin(&self, start: &Event) -> Result<ComingSession, StoreError> {
        let first = slice::from_ref(start);
        let session = create::session_of(first)?;
        ComingSession::begin(self.group.clone(), self.lock_new(session)?, session, first, Stage::Coming)
    }

    /// Begins a session that shares the parent's events up to and with `upto`; its own ones follow those. The parent
    /// may go on meanwhile. What its writer has grouped but not flushed cannot be shared yet.
    pub fn create_fork(
        &self,
        child: &SessionId,
        parent: &SessionId,
        upto: EventNo,
    ) -> Result<SessionWriter, StoreError> {
        create::create_fork(self.group.clone(), self.lock_new(child)?, child, parent, upto)
    }

    fn lock_new(&self, session: &SessionId) -> Result<SessionLock, StoreError> {
        let lock = SessionLock::take(&self.home, session)?;
        remove::tidy_up(&self.home, self.database());
        Ok(lock)
    }

    /// The one writer of a session: refused while another one exists, in this process or any other.
    pub fn writer(&self, session: &SessionId) -> Result<SessionWriter, StoreError> {
        let lock = SessionLock::take(&self.home, session)?;
        // In a write transaction: a removal that found the session free before it was locked is waited for, and seen.
        let (key, next) = self.database().writing().write(|transaction| {
            let key = identity::key_of(transaction, session)?;
            Ok((key, sessions::next_event(transaction, key)?))
        })?;
        remove::tidy_up(&self.home, self.database());
        Ok(SessionWriter::new(self.group.clone(), lock, session.clone(), key, next))
    }

    /// Takes in a large output of a session that is being written, before an event names it by its hash: it is never in
    /// memory as a whole, and goes with the session.
    pub fn keep_output(&self, session: &SessionId, hash: &BlobHash, bytes: &mut dyn Read) -> Result<(), StoreError> {
        let key = self.database().read(|connection| identity::key_of(connection, session))?;
        blobs::take_in(self.database(), key, hash, bytes)
    }

    /// Waits until no other process imports sessions; `told` hears which one does, where there is one. Until the turn is
    /// dropped others wait.
    pub fn wait_for_imports(&self, told: impl FnOnce(Option<u32>)) -> Result<ImportTurn, StoreError> {
        Ok(ImportTurn { _file: lock::wait_and_tell(&self.home.locks().join("import"), told)? })
    }

    /// The store as it is now, for reading sessions that another process may remove meanwhile.
    pub fn snapshot(&self) -> Result<Snapshot, StoreError> {
        Snapshot::new(self.database().clone())
    }

    /// As [`Snapshot::find`].
    pub fn find(&self, prefix: &str) -> Result<SessionId, StoreError> {
        self.snapshot()?.find(prefix)
    }

    /// As [`Snapshot::short_id`].
    pub fn short_id(&self, session: &SessionId) -> Result<String, StoreError> {
        self.snapshot()?.short_id(session)
    }

    /// As [`Snapshot::events`].
    pub fn events(&self, session: &SessionId) -> Result<Vec<Event>, StoreError> {
        self.snapshot()?.events(session)
    }

    /// As [`Snapshot::for_each_event`].
    pub fn for_each_event<E: From<StoreError>>(
        &self,
        session: &SessionId,
        take: impl FnMut(Event) -> Result<(), E>,
    ) -> Result<(), E> {
        self.snapshot()?.for_each_event(session, take)
    }

    /// As [`Snapshot::trace`].
    pub fn trace(&self, session: &SessionId) -> Result<StoredTrace, StoreError> {
        self.snapshot()?.trace(session)
    }

    /// As [`Snapshot::event`].
    pub fn event(&self, session: &SessionId, seq: EventNo) -> Result<Event, StoreError> {
        self.snapshot()?.event(session, seq)
    }

    /// As [`Snapshot::inline`].
    pub fn inline(&self, event: Event) -> Result<Event, StoreError> {
        self.snapshot()?.inline(event)
    }

    /// As [`Snapshot::sessions`].
    pub fn sessions(&self) -> Result<Vec<SessionSummary>, StoreError> {
        self.snapshot()?.sessions()
    }

    /// As [`Snapshot::bills`].
    pub fn bills(&self) -> Result<BTreeMap<SessionId, Vec<CallBill>>, StoreError> {
        self.snapshot()?.bills()
    }

    /// As [`Snapshot::search`].
    pub fn search(&self, query: &str, session: Option<&SessionId>, limit: usize) -> Result<Vec<Hit>, StoreError> {
        self.snapshot()?.search(query, session, limit)
    }

    /// Removes sessions, all or none, with the outputs that no other session names, from the file itself. Refused
    /// while one of them is being written or has a fork that is not among them; an error says that all are still there.
    pub fn remove(&self, sessions: &[SessionId]) -> Result<Removal, StoreError> {
        remove::remove(&self.home, self.database(), sessions)
    }

    /// Removes those of the sessions that can go, and says which stay; otherwise like [`Store::remove`]. `told` hears from
    /// time to time how many are gone from the file. An error says that all are still there.
    pub fn remove_each(
        &self,
        sessions: &[SessionId],
        told: &mut dyn FnMut(u64),
    ) -> Result<(Vec<Kept>, Removal), StoreError> {
        remove::remove_each(&self.home, self.database(), sessions, told)
    }

    /// One transaction: all of it, or nothing.
    pub(crate) fn writing<T>(&self, job: impl FnOnce(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.database().writing().write(|transaction| job(transaction))
    }

    pub(crate) fn reading<T>(&self, job: impl FnOnce(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.database().read(job)
    }

    pub(crate) fn database(&self) -> &Arc<Database> {
        self.group.database()
    }
}

impl Blobs for Store {
    fn blob(&self, hash: &BlobHash) -> Result<Bytes, BlobError> {
        self.snapshot().map_err(|error| error.of_blob(hash))?.blob(hash)
    }
}
