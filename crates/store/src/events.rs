//! Events as rows: writing them with all that belongs to them, and reading them back.

use std::ops::ControlFlow;

use lookback_engine::trace::{BlobHash, Event, EventNo, SessionId, Timestamp};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::{
    StoreError, blobs,
    lineage::{self, Stretch},
    packed::{pack, unpack},
    places, search,
    stage::Stage,
    summary::Changes,
};

/// Writes events that continue the session `key`; the caller has checked their numbers and holds a transaction.
pub(crate) fn write(connection: &Connection, key: i64, events: &[Event]) -> Result<(), StoreError> {
    let mut changes = Changes::default();
    for event in events {
        search::index(connection, key, event)?;
        places::write(connection, key, event)?;
        let mut stored = event.clone();
        blobs::take_out(connection, key, &mut stored)?;
        let json = serde_json::to_vec(&stored.event)
            .map_err(|cause| StoreError::Unwritable { seq: event.seq, cause: cause.into() })?;
        changes.note(event, json.len() as u64);
        let body = pack(&json);
        let sql = "INSERT INTO events (session, seq, at, kind, unpacked, body, checksum)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        connection.prepare_cached(sql)?.execute(params![
            key,
            event.seq.0,
            event.at.0,
            event.event.name(),
            body.unpacked,
            body.bytes,
            checksum(&json)
        ])?;
    }
    changes.write(connection, key)
}

/// All events of a session, a fork's shared ones first.
pub(crate) fn read_all(connection: &Connection, key: i64) -> Result<Vec<Event>, StoreError> {
    let mut events = Vec::new();
    for_each(connection, key, |event| {
        events.push(event);
        ControlFlow::Continue(())
    })?;
    Ok(events)
}

/// The same, one after another, until `take` has enough.
pub(crate) fn for_each(
    connection: &Connection,
    key: i64,
    mut take: impl FnMut(Event) -> ControlFlow<()>,
) -> Result<(), StoreError> {
    for stretch in lineage::of(connection, key)? {
        let mut statement = connection.prepare_cached(STRETCH)?;
        let mut rows = statement.query(params![stretch.session, stretch.upto, -1, -1])?;
        while let Some(row) = rows.next()? {
            if take(parse(row)?).is_break() {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// At most `limit` events of one stretch, those after `after`.
pub(crate) fn read_page(
    connection: &Connection,
    stretch: Stretch,
    after: Option<EventNo>,
    limit: usize,
) -> Result<Vec<Event>, StoreError> {
    let mut statement = connection.prepare_cached(STRETCH)?;
    let after = after.map_or(-1, |seq| seq.0.cast_signed());
    let mut rows = statement.query(params![stretch.session, stretch.upto, after, limit])?;
    let mut events = Vec::new();
    while let Some(row) = rows.next()? {
        events.push(parse(row)?);
    }
    Ok(events)
}

/// A negative limit is none.
const STRETCH: &str = "SELECT seq, at, unpacked, body, checksum FROM events
    WHERE session = ?1 AND seq <= ?2 AND seq > ?3 ORDER BY seq LIMIT ?4";

pub(crate) fn read_one(connection: &Connection, key: i64, seq: EventNo) -> Result<Option<Event>, StoreError> {
    let sql = "SELECT seq, at, unpacked, body, checksum FROM events WHERE session = ?1 AND seq = ?2";
    let mut statement = connection.prepare_cached(sql)?;
    for Stretch { session, upto } in lineage::of(connection, key)? {
        if seq.0 > upto.cast_unsigned() {
            continue;
        }
        if let Some(event) = statement.query_row(params![session, seq.0], |row| Ok(parse(row))).optional()? {
            return event.map(Some);
        }
    }
    Ok(None)
}

pub(crate) fn next_seq(connection: &Connection, key: i64) -> Result<EventNo, StoreError> {
    let mut statement = connection.prepare_cached("SELECT next_seq FROM sessions WHERE key = ?1")?;
    Ok(statement.query_row([key], |row| row.get(0).map(EventNo))?)
}

/// A new session's row. Its events fill in the rest.
pub(crate) fn insert_session(
    connection: &Connection,
    stage: Stage,
    id: &SessionId,
    parent: Option<(i64, EventNo)>,
    created: Timestamp,
) -> Result<i64, StoreError> {
    let sql = "INSERT INTO sessions (id, parent, parent_upto, next_seq, created, updated, stage)
         VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6)";
    let next = parent.map_or(0, |(_, upto)| upto.0 + 1);
    let row = params![id.0, parent.map(|(key, _)| key), parent.map(|(_, upto)| upto.0), next, created.0, stage as i64];
    Ok(connection.prepare_cached(sql)?.insert(row)?)
}

fn parse(row: &Row<'_>) -> Result<Event, StoreError> {
    let seq = EventNo(row.get(0)?);
    let at = Timestamp(row.get(1)?);
    let damaged = |reason: String| StoreError::Damaged { seq, reason };
    let json = unpack(row.get(3)?, row.get(2)?).map_err(|error| damaged(error.to_string()))?;
    if checksum(&json) != row.get::<_, i64>(4)? {
        return Err(damaged("its checksum is another".to_owned()));
    }
    let event = serde_json::from_slice(&json).map_err(|error| damaged(error.to_string()))?;
    Ok(Event { seq, at, event })
}

/// SQLite has no checksums of its own, and a flipped bit in a text is still a text.
fn checksum(json: &[u8]) -> i64 {
    let BlobHash([a, b, c, d, e, f, g, h, ..]) = BlobHash::of(json);
    i64::from_le_bytes([a, b, c, d, e, f, g, h])
}
