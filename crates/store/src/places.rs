//! Where in a session things are, so that a pointer is answered without reading the session.
//!
//! The engine decides which events set which marks ([`marks_of`]); here they are only kept and found again.

use lookback_engine::{
    recall::{Mark, MarkKind, marks_of},
    trace::{Event, EventBody, EventNo},
};
use rusqlite::{Connection, ToSql, params, types::FromSql};

use crate::{StoreError, sessions};

/// Notes where the event can be found, for the session `key`.
pub(crate) fn write(connection: &Connection, key: i64, event: &Event) -> Result<(), StoreError> {
    for mark in marks_of(&event.event) {
        let sql = "INSERT INTO marks (session, kind, number, seq) VALUES (?1, ?2, ?3, ?4)";
        connection.prepare_cached(sql)?.execute(params![key, code(mark.kind), mark.number, event.seq.0])?;
    }
    let path = match &event.event {
        EventBody::FileObserved(seen) => &seen.path,
        EventBody::FileChanged(changed) => &changed.path,
        _ => return Ok(()),
    };
    let sql = "INSERT INTO sights (session, path, seq) VALUES (?1, ?2, ?3)";
    connection.prepare_cached(sql)?.execute(params![key, path, event.seq.0])?;
    Ok(())
}

/// The events that set a mark.
pub(crate) fn marked(connection: &Connection, key: i64, mark: Mark) -> Result<Vec<EventNo>, StoreError> {
    let sql = "SELECT seq FROM marks WHERE session = ?1 AND seq <= ?2 AND kind = ?3 AND number = ?4 ORDER BY seq";
    let found: Vec<u64> = query(connection, key, sql, &[&code(mark.kind), &mark.number])?;
    Ok(found.into_iter().map(EventNo).collect())
}

/// The events that saw or changed a file.
pub(crate) fn seen(connection: &Connection, key: i64, path: &str) -> Result<Vec<EventNo>, StoreError> {
    let sql = "SELECT seq FROM sights WHERE session = ?1 AND seq <= ?2 AND path = ?3 ORDER BY seq";
    let found: Vec<u64> = query(connection, key, sql, &[&path])?;
    Ok(found.into_iter().map(EventNo).collect())
}

/// The highest number that was given before an event.
pub(crate) fn highest(
    connection: &Connection,
    key: i64,
    kind: MarkKind,
    before: EventNo,
) -> Result<Option<u32>, StoreError> {
    let before = i64::try_from(before.0).unwrap_or(i64::MAX);
    let sql = "SELECT MAX(number) FROM marks WHERE session = ?1 AND seq <= ?2 AND kind = ?3 AND seq < ?4";
    let found: Vec<Option<u32>> = query(connection, key, sql, &[&code(kind), &before])?;
    Ok(found.into_iter().flatten().max())
}

/// One query over the stretches of a fork's lineage, the oldest first.
fn query<T: FromSql>(connection: &Connection, key: i64, sql: &str, given: &[&dyn ToSql]) -> Result<Vec<T>, StoreError> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut found = Vec::new();
    for stretch in sessions::lineage(connection, key)? {
        let own: [&dyn ToSql; 2] = [&stretch.session, &stretch.upto];
        let parameters: Vec<&dyn ToSql> = own.into_iter().chain(given.iter().copied()).collect();
        let rows = statement.query_map(parameters.as_slice(), |row| row.get(0))?;
        found.extend(rows.collect::<Result<Vec<_>, _>>()?);
    }
    Ok(found)
}

/// On disk for ever: new kinds get new numbers.
fn code(kind: MarkKind) -> i64 {
    match kind {
        MarkKind::Turn => 1,
        MarkKind::Call => 2,
        MarkKind::Result => 3,
        MarkKind::StepEnd => 4,
        MarkKind::User => 5,
        MarkKind::Command => 6,
        MarkKind::Test => 7,
        MarkKind::Gate => 8,
        MarkKind::SpanStart => 9,
        MarkKind::SpanEnd => 10,
        MarkKind::Rollback => 11,
        MarkKind::JobStart => 12,
        MarkKind::JobEnd => 13,
    }
}
