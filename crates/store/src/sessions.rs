//! Sessions as rows: which are whole, and where the events of each lie.
//!
//! A session that nobody sees is still coming, or was removed and is being erased: so that long work is many short
//! transactions.

use lookback_engine::trace::{EventNo, SessionId, Timestamp};
use rusqlite::{Connection, OptionalExtension, params};

use crate::{StoreError, identity};

/// On disk for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    Whole = 0,
    Coming = 1,
    Going = 2,
}

/// A new session's row; what a process that died left under this id goes. The caller holds the lock of the id, so nobody
/// is still bringing it. Its events fill in the rest of the row.
pub(crate) fn insert(
    connection: &Connection,
    stage: Stage,
    id: &SessionId,
    parent: Option<(i64, EventNo)>,
    created: Timestamp,
) -> Result<i64, StoreError> {
    if identity::find_key(connection, id)?.is_some() {
        return Err(StoreError::Exists(id.clone()));
    }
    if let Some(left) = find_coming(connection, id)? {
        set_going(connection, left)?;
    }
    let sql = "INSERT INTO sessions (id, parent, parent_upto, next_seq, created, updated, stage, stored)
         VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6, CAST(unixepoch('subsec') * 1000 AS INTEGER))";
    let next = parent.map_or(0, |(_, upto)| upto.0 + 1);
    let row = params![id.0, parent.map(|(key, _)| key), parent.map(|(_, upto)| upto.0), next, created.0, stage as i64];
    Ok(connection.prepare_cached(sql)?.insert(row)?)
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

pub(crate) fn find_coming(connection: &Connection, session: &SessionId) -> Result<Option<i64>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT key FROM sessions WHERE id = ?1 AND stage = 1")?;
    Ok(statement.query_row([&session.0], |row| row.get(0)).optional()?)
}

pub(crate) fn all_coming(connection: &Connection) -> Result<Vec<SessionId>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT id FROM sessions WHERE stage = 1")?;
    Ok(statement.query_map([], |row| row.get(0).map(SessionId))?.collect::<Result<_, _>>()?)
}

/// The number of the next event, and so how many there are, shared ones included.
pub(crate) fn next_event(connection: &Connection, key: i64) -> Result<EventNo, StoreError> {
    let mut statement = connection.prepare_cached("SELECT next_seq FROM sessions WHERE key = ?1")?;
    Ok(statement.query_row([key], |row| row.get(0).map(EventNo))?)
}

/// The events of `session` up to and with `upto`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stretch {
    pub(crate) session: i64,
    pub(crate) upto: i64,
}

/// From the oldest ancestor to the session itself: a fork's first events are its parent's, and so on up, so that reading
/// them in this order gives the trace. A session that is still coming, or going, has nothing to read.
pub(crate) fn lineage(connection: &Connection, key: i64) -> Result<Vec<Stretch>, StoreError> {
    if !connection.prepare_cached("SELECT 1 FROM sessions WHERE key = ?1 AND stage = 0")?.exists([key])? {
        return Ok(Vec::new());
    }
    let mut statement = connection.prepare_cached("SELECT parent, parent_upto FROM sessions WHERE key = ?1")?;
    let mut stretches = vec![Stretch { session: key, upto: i64::MAX }];
    let mut current = key;
    let mut bound = i64::MAX;
    while let (Some(parent), Some(upto)) =
        statement.query_row([current], |row| Ok((row.get::<_, Option<i64>>(0)?, row.get::<_, Option<i64>>(1)?)))?
    {
        // A fork comes after what it is a fork of, so its key is larger: no walk upwards goes round.
        if parent >= current {
            return Err(damaged(
                connection,
                key,
                EventNo(0),
                "the session is a fork of itself by the table of sessions",
            ));
        }
        // A fork of a fork may begin before its parent's own first event.
        bound = bound.min(upto);
        stretches.push(Stretch { session: parent, upto: bound });
        current = parent;
    }
    stretches.reverse();
    Ok(stretches)
}

/// What is wrong with an event, with its place.
pub(crate) fn damaged(connection: &Connection, key: i64, seq: EventNo, reason: &str) -> StoreError {
    let id = connection.query_row("SELECT id FROM sessions WHERE key = ?1", [key], |row| row.get(0));
    id.map_or_else(StoreError::from, |id| StoreError::Damaged {
        session: SessionId(id),
        seq,
        reason: reason.to_owned(),
    })
}
