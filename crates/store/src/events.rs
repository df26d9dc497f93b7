//! Events as rows: number, time, kind and body under one digest, and none missing. Knows nothing of what else is kept
//! about them.

use std::cmp::Ordering;

use lookback_engine::trace::{Event, EventBody, EventNo, Timestamp, TurnNo};
use rusqlite::{Connection, OptionalExtension, Row, params, types::FromSql};

use crate::{
    StoreError,
    packed::Packed,
    sessions::{self, Stretch, damaged},
};

/// Writes an event, its large outputs taken out, and returns how long its JSON is.
pub(crate) fn insert(connection: &Connection, key: i64, event: &Event) -> Result<u64, StoreError> {
    let json = serde_json::to_vec(&event.event)
        .map_err(|cause| StoreError::Unwritable { seq: event.seq, cause: cause.into() })?;
    let (kind, body) = (event.event.name(), Packed::of(&json));
    let sql = "INSERT INTO events (session, seq, at, kind, unpacked, body, digest) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    let digest = digest(key, event.seq, event.at, kind, &body);
    let row = params![key, event.seq.0, event.at.0, kind, body.unpacked, body.bytes, digest];
    connection.prepare_cached(sql)?.execute(row)?;
    Ok(json.len() as u64)
}

/// SQLite has no checksums of its own, and a flipped bit in a text is still a text, in a number still a number.
pub(crate) fn digest(session: i64, seq: EventNo, at: Timestamp, kind: &str, body: &Packed<'_>) -> i64 {
    let mut hasher = blake3::Hasher::new();
    let unpacked = body.unpacked.map_or(-1, |length| length as i64);
    for number in [session, seq.0.cast_signed(), at.0, unpacked, kind.len() as i64] {
        hasher.update(&number.to_le_bytes());
    }
    let hash = hasher.update(kind.as_bytes()).update(&body.bytes).finalize();
    let [a, b, c, d, e, f, g, h, ..] = *hash.as_bytes();
    i64::from_le_bytes([a, b, c, d, e, f, g, h])
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

/// A walk through a session's events in their order, a fork's shared ones first. Notices what is missing.
pub(crate) struct Walk {
    key: i64,
    stretches: std::vec::IntoIter<Stretch>,
    stretch: Option<Stretch>,
    next: EventNo,
}

impl Walk {
    pub(crate) fn begin(connection: &Connection, key: i64) -> Result<Self, StoreError> {
        let mut stretches = sessions::lineage(connection, key)?.into_iter();
        Ok(Self { key, stretch: stretches.next(), stretches, next: EventNo(0) })
    }

    /// The next events, at most `limit`; none at the end.
    pub(crate) fn read(&mut self, connection: &Connection, limit: usize) -> Result<Vec<Event>, StoreError> {
        let sql = "SELECT session, seq, at, kind, unpacked, body, digest FROM events
                   WHERE session = ?1 AND seq <= ?2 AND seq >= ?3 ORDER BY seq LIMIT ?4";
        let mut statement = connection.prepare_cached(sql)?;
        let mut events = Vec::new();
        while let Some(Stretch { session, upto }) = self.stretch {
            let mut rows = statement.query(params![session, upto, self.next.0, limit - events.len()])?;
            while let Some(row) = rows.next()? {
                let event = parse(connection, session, self.next, row)?;
                self.next.0 += 1;
                events.push(event);
            }
            if events.len() == limit {
                return Ok(events);
            }
            self.stretch = self.stretches.next();
            if self.stretch.is_none() {
                self.check_end(connection)?;
            }
        }
        Ok(events)
    }

    fn check_end(&self, connection: &Connection) -> Result<(), StoreError> {
        let end = sessions::next_event(connection, self.key)?;
        match self.next.cmp(&end) {
            Ordering::Less => Err(damaged(connection, self.key, self.next, "it is missing")),
            Ordering::Equal => Ok(()),
            Ordering::Greater => Err(damaged(connection, self.key, end, "the session ends before it")),
        }
    }
}

pub(crate) fn read_all(connection: &Connection, key: i64) -> Result<Vec<Event>, StoreError> {
    Walk::begin(connection, key)?.read(connection, i64::MAX as usize)
}

/// None where the session has no event of that number.
pub(crate) fn read_one(connection: &Connection, key: i64, seq: EventNo) -> Result<Option<Event>, StoreError> {
    let sql = "SELECT session, seq, at, kind, unpacked, body, digest FROM events WHERE session = ?1 AND seq = ?2";
    let mut statement = connection.prepare_cached(sql)?;
    let stretches = sessions::lineage(connection, key)?;
    for Stretch { session, .. } in stretches.iter().filter(|stretch| seq.0 <= stretch.upto.cast_unsigned()) {
        let found = statement.query_row(params![session, seq.0], |row| Ok(parse(connection, *session, seq, row)));
        if let Some(event) = found.optional()? {
            return event.map(Some);
        }
    }
    match !stretches.is_empty() && seq < sessions::next_event(connection, key)? {
        true => Err(damaged(connection, key, seq, "it is missing")),
        false => Ok(None),
    }
}

fn parse(connection: &Connection, session: i64, expected: EventNo, row: &Row<'_>) -> Result<Event, StoreError> {
    let read = || -> Result<Event, String> {
        let seq = EventNo(column(row, 1)?);
        if (column::<i64>(row, 0)?, seq) != (session, expected) {
            return Err(format!("event {seq} stands in its place"));
        }
        let (at, kind) = (Timestamp(column(row, 2)?), column::<String>(row, 3)?);
        let body = Packed { unpacked: column(row, 4)?, bytes: column::<Vec<u8>>(row, 5)?.into() };
        if digest(session, seq, at, &kind, &body) != column::<i64>(row, 6)? {
            return Err("its checksum is another".to_owned());
        }
        let json = body.unpack().map_err(|error| error.to_string())?;
        let event = serde_json::from_slice(&json).map_err(|error| error.to_string())?;
        Ok(Event { seq, at, event })
    };
    read().map_err(|reason| damaged(connection, session, expected, &reason))
}

/// A value of another type, or a negative length, is damage like any other.
fn column<T: FromSql>(row: &Row<'_>, number: usize) -> Result<T, String> {
    row.get(number).map_err(|error| error.to_string())
}

/// The turn that an event is part of.
pub fn turn_of(body: &EventBody) -> Option<TurnNo> {
    match body {
        EventBody::UserTurn(turn) => Some(turn.turn),
        EventBody::AssistantTurn(turn) => Some(turn.turn),
        EventBody::ToolCall { turn, .. } | EventBody::ToolResult { turn, .. } | EventBody::StepEnded { turn, .. } => {
            Some(*turn)
        }
        _ => None,
    }
}
