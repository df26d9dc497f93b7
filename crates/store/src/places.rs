//! Where in a session things are, so that a pointer is answered without reading the session.
//!
//! The engine decides which events set which marks ([`marks_of`]); here they are only kept and found again.

use std::borrow::Cow;

use lookback_engine::{
    recall::{Mark, MarkKind, RecallError, TraceLookup, marks_of},
    trace::{Event, EventBody, EventNo, SessionId},
};
use rusqlite::{Connection, params};

use crate::{Snapshot, StoreError, events, identity, lineage, store::Store};

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

/// A stored session that can be asked for single events.
#[derive(Debug)]
pub struct StoredTrace {
    reader: Reader,
    key: i64,
}

/// What it is read from: the store as it is at each question, or as it was once.
#[derive(Debug)]
pub(crate) enum Reader {
    Store(Store),
    Snapshot(Snapshot),
}

impl Reader {
    fn read<T>(&self, job: impl FnOnce(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        match self {
            Self::Store(store) => store.shared.database.read(job),
            Self::Snapshot(snapshot) => snapshot.read(job),
        }
    }
}

impl StoredTrace {
    pub(crate) fn new(reader: Reader, session: &SessionId) -> Result<Self, StoreError> {
        let key = reader.read(|connection| identity::key_of(connection, session))?;
        Ok(Self { reader, key })
    }

    fn read<T>(&self, read: impl FnOnce(&Connection) -> Result<T, StoreError>) -> Result<T, RecallError> {
        self.reader.read(read).map_err(|error| match error {
            StoreError::Blob(error) => RecallError::Blob(error),
            error => RecallError::Unreadable(error.to_string()),
        })
    }

    /// One query over the stretches of a fork's lineage, the oldest first.
    fn numbers(&self, sql: &str, given: &[&dyn rusqlite::ToSql]) -> Result<Vec<Option<i64>>, RecallError> {
        self.read(|connection| {
            let mut found = Vec::new();
            for stretch in lineage::of(connection, self.key)? {
                let mut statement = connection.prepare_cached(sql)?;
                let own: [&dyn rusqlite::ToSql; 2] = [&stretch.session, &stretch.upto];
                let parameters: Vec<&dyn rusqlite::ToSql> = own.into_iter().chain(given.iter().copied()).collect();
                let rows = statement.query_map(parameters.as_slice(), |row| row.get::<_, Option<i64>>(0))?;
                found.extend(rows.collect::<Result<Vec<_>, _>>()?);
            }
            Ok(found)
        })
    }

    fn events(&self, sql: &str, given: &[&dyn rusqlite::ToSql]) -> Result<Vec<EventNo>, RecallError> {
        let numbers = self.numbers(sql, given)?;
        Ok(numbers.into_iter().flatten().map(|seq| EventNo(seq.cast_unsigned())).collect())
    }
}

impl TraceLookup for StoredTrace {
    fn event(&self, event: EventNo) -> Result<Cow<'_, Event>, RecallError> {
        let found = self.read(|connection| events::read_one(connection, self.key, event))?;
        found.map(Cow::Owned).ok_or_else(|| RecallError::Unreadable(format!("there is no event {event}")))
    }

    fn marked(&self, mark: Mark) -> Result<Vec<EventNo>, RecallError> {
        let sql = "SELECT seq FROM marks WHERE session = ?1 AND seq <= ?2 AND kind = ?3 AND number = ?4 ORDER BY seq";
        self.events(sql, &[&code(mark.kind), &mark.number])
    }

    fn count(&self, kind: MarkKind) -> Result<u32, RecallError> {
        // Turns are counted from 0, and the last one may be the results of a step; all else counts from 1.
        if matches!(kind, MarkKind::Turn | MarkKind::Call | MarkKind::Result | MarkKind::StepEnd) {
            return self.turns_before(EventNo(i64::MAX.cast_unsigned()));
        }
        let sql = "SELECT MAX(number) FROM marks WHERE session = ?1 AND seq <= ?2 AND kind = ?3";
        let highest = self.numbers(sql, &[&code(kind)])?.into_iter().flatten().max();
        Ok(highest.map_or(0, |number| number as u32))
    }

    fn seen(&self, path: &str) -> Result<Vec<EventNo>, RecallError> {
        let sql = "SELECT seq FROM sights WHERE session = ?1 AND seq <= ?2 AND path = ?3 ORDER BY seq";
        self.events(sql, &[&path])
    }

    fn turns_before(&self, event: EventNo) -> Result<u32, RecallError> {
        let before = i64::try_from(event.0).unwrap_or(i64::MAX);
        let sql = "SELECT MAX(number) FROM marks WHERE session = ?1 AND seq <= ?2 AND kind = ?3 AND seq < ?4";
        let mut turns = 0;
        for kind in [MarkKind::Turn, MarkKind::Result] {
            let highest = self.numbers(sql, &[&code(kind), &before])?.into_iter().flatten().max();
            turns = turns.max(highest.map_or(0, |number| number as u32 + 1));
        }
        Ok(turns)
    }
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
    }
}
