//! Reading a whole command's worth from one state of the database: what another process appends or removes meanwhile is
//! not seen, so a session that was there at the start can be read to its end, outputs included.

use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use lookback_engine::trace::{BlobError, BlobHash, Blobs, Event, EventNo, SessionId};
use rusqlite::Connection;

use crate::{
    Hit, SessionSummary, StoreError, StoredTrace, blobs, database::Database, events, identity, lineage, places::Reader,
    search, store, summary,
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

    pub(crate) fn read<T>(&self, job: impl FnOnce(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let connection = self.held.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let connection = connection.as_ref().ok_or(StoreError::Busy)?;
        job(connection).map_err(|error| error.in_database(self.held.database.path()))
    }

    /// As [`crate::Store::find`].
    pub fn find(&self, prefix: &str) -> Result<SessionId, StoreError> {
        self.read(|connection| identity::find(connection, prefix))
    }

    /// As [`crate::Store::short_id`].
    pub fn short_id(&self, session: &SessionId) -> Result<String, StoreError> {
        self.read(|connection| identity::short(connection, session))
    }

    /// As [`crate::Store::sessions`].
    pub fn sessions(&self) -> Result<Vec<SessionSummary>, StoreError> {
        self.read(summary::list)
    }

    /// As [`crate::Store::events`].
    pub fn events(&self, session: &SessionId) -> Result<Vec<Event>, StoreError> {
        self.read(|connection| events::read_all(connection, identity::key_of(connection, session)?))
    }

    /// As [`crate::Store::for_each_event`]; `take` may read from this snapshot, too.
    pub fn for_each_event<E: From<StoreError>>(
        &self,
        session: &SessionId,
        mut take: impl FnMut(Event) -> Result<(), E>,
    ) -> Result<(), E> {
        let stretches = self.read(|connection| lineage::of(connection, identity::key_of(connection, session)?))?;
        for stretch in stretches {
            let mut after = None;
            loop {
                let page = self.read(|connection| events::read_page(connection, stretch, after, PAGE))?;
                let Some(last) = page.last() else { break };
                after = Some(last.seq);
                page.into_iter().try_for_each(&mut take)?;
            }
        }
        Ok(())
    }

    /// As [`crate::Store::event`].
    pub fn event(&self, session: &SessionId, seq: EventNo) -> Result<Event, StoreError> {
        self.read(|connection| store::read_event(connection, session, seq))
    }

    /// As [`crate::Store::inline`].
    pub fn inline(&self, mut event: Event) -> Result<Event, StoreError> {
        self.read(|connection| blobs::put_back(connection, &mut event))?;
        Ok(event)
    }

    /// As [`crate::Store::trace`].
    pub fn trace(&self, session: &SessionId) -> Result<StoredTrace, StoreError> {
        StoredTrace::new(Reader::Snapshot(self.clone()), session)
    }

    /// As [`crate::Store::search`].
    pub fn search(&self, query: &str, session: Option<&SessionId>, limit: usize) -> Result<Vec<Hit>, StoreError> {
        self.read(|connection| search::search(connection, query, session, limit))
    }
}

impl Blobs for Snapshot {
    fn blob(&self, hash: &BlobHash) -> Result<Bytes, BlobError> {
        self.read(|connection| blobs::read(connection, hash)).map_err(|error| store::blob_error(hash, error))
    }
}
