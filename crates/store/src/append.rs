//! Appending events with all that is kept about them: their outputs, where things are, words to search for, and what a
//! list of sessions shows.

use lookback_engine::trace::Event;
use rusqlite::Connection;

use crate::{StoreError, blobs, events, places, search, summary::Changes};

/// Writes events that continue the session `key`; the caller has checked their numbers and holds a transaction.
pub(crate) fn append(connection: &Connection, key: i64, events: &[Event]) -> Result<(), StoreError> {
    let mut changes = Changes::default();
    for event in events {
        search::index(connection, key, event)?;
        places::write(connection, key, event)?;
        let mut stored = event.clone();
        blobs::take_out(connection, key, &mut stored)?;
        let size = events::insert(connection, key, &stored)?;
        changes.note(event, size);
    }
    changes.write(connection, key)
}
