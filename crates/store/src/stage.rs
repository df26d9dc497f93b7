//! Sessions that nobody sees: those whose first events are still coming, and those that were removed and are being erased.
//!
//! Both exist so that long work is many short transactions. A process that dies in the middle leaves one of them behind;
//! the next one that writes, creates or removes takes it away.

use lookback_engine::trace::SessionId;
use rusqlite::{Connection, OptionalExtension};

use crate::{StoreError, database::Database, home::Home, lock::SessionLock};

/// On disk for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    Whole = 0,
    Coming = 1,
    Going = 2,
}

pub(crate) fn is_whole(connection: &Connection, key: i64) -> Result<bool, StoreError> {
    let mut statement = connection.prepare_cached("SELECT 1 FROM sessions WHERE key = ?1 AND stage = 0")?;
    Ok(statement.exists([key])?)
}

/// From now on everybody sees it.
pub(crate) fn set_whole(connection: &Connection, key: i64) -> Result<(), StoreError> {
    connection.prepare_cached("UPDATE sessions SET stage = 0 WHERE key = ?1")?.execute([key])?;
    Ok(())
}

/// From now on nobody sees it, its id is free, and its erasing is due. No id of a person has a dot.
pub(crate) fn set_going(connection: &Connection, key: i64) -> Result<(), StoreError> {
    let sql = "UPDATE sessions SET stage = ?2, id = '.' || key, parent = NULL, parent_upto = NULL,
                      title = '', root = '', model = '' WHERE key = ?1";
    connection.prepare_cached(sql)?.execute([key, Stage::Going as i64])?;
    connection.prepare_cached("UPDATE erasing SET due = due + 1")?.execute([])?;
    Ok(())
}

/// What a process that died left under this id. The caller holds the lock of the id, so nobody is still bringing it.
pub(crate) fn find_left_behind(connection: &Connection, session: &SessionId) -> Result<Option<i64>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT key FROM sessions WHERE id = ?1 AND stage = 1")?;
    Ok(statement.query_row([&session.0], |row| row.get(0)).optional()?)
}

/// Marks as going what processes that died have left half-written.
pub(crate) fn give_up_left_behind(home: &Home, database: &Database) -> Result<(), StoreError> {
    let coming: Vec<SessionId> = database.read(|connection| {
        let mut statement = connection.prepare_cached("SELECT id FROM sessions WHERE stage = 1")?;
        let ids = statement.query_map([], |row| row.get(0).map(SessionId))?;
        Ok::<_, StoreError>(ids.collect::<Result<_, _>>()?)
    })?;
    for session in coming {
        let _lock = match SessionLock::take(home, &session) {
            Ok(lock) => lock,
            // Whoever brings it lives.
            Err(StoreError::Locked { .. }) => continue,
            Err(error) => return Err(error),
        };
        database.writing().write(|transaction| match find_left_behind(transaction, &session)? {
            Some(key) => set_going(transaction, key),
            None => Ok(()),
        })?;
    }
    Ok(())
}
